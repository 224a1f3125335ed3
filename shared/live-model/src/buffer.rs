//! Rows that wait for their batch (reference/ingest.md#rows).

use std::{marker::PhantomData, sync::LazyLock};

use redis::{Script, streams::StreamRangeReply};

use super::Row;
use foundation::{
    events::Position,
    redis::{Answers, PendingReply, Redis, RoundTrip},
};
use shared::Result;

/// Highest number of rows that wait for one table. They accumulate while the database is away; beyond it new
/// ones are shed.
pub const MAX_BACKLOG_ROWS: usize = 200_000;
/// Highest memory of waiting rows, in bytes: about five times that of as many lines of chat.
pub const MAX_BACKLOG_BYTES: usize = 512 * 1024 * 1024;

static PUSH: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("push.lua")));

/// Rows of one table that wait in Redis. Cheap to clone.
pub struct RowBuffer<R> {
    redis: Redis,
    bound: Bound,
    rows: PhantomData<fn(R)>,
}

/// Bound on waiting rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// Number of rows.
    pub rows: usize,
    /// Bytes of memory in Redis, not checked below a thousand rows.
    pub bytes: usize,
}

/// Result of pushing rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pushed {
    /// Rows that were added.
    pub kept: usize,
    /// Rows that were dropped, because the bound was reached.
    pub shed: usize,
}

/// Rows that are being pushed.
#[must_use]
pub struct Pushing {
    rows: usize,
    /// `None` without rows.
    kept: Option<PendingReply<usize>>,
}

impl Pushing {
    /// Returns the result of the push.
    ///
    /// # Errors
    /// A reply of the server that is no number.
    pub fn answered(self, answers: &mut Answers) -> Result<Pushed> {
        let kept = self.kept.map_or(Ok(0), |kept| answers.take(kept))?;
        Ok(Pushed { kept, shed: self.rows.saturating_sub(kept) })
    }
}

impl<R: Row> RowBuffer<R> {
    /// Creates the buffer of a table.
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self::bounded(redis, Bound { rows: MAX_BACKLOG_ROWS, bytes: MAX_BACKLOG_BYTES })
    }

    /// Creates a buffer with another bound.
    #[must_use]
    pub const fn bounded(redis: Redis, bound: Bound) -> Self {
        Self { redis, bound, rows: PhantomData }
    }

    /// Adds rows in their order. A row that is pushed twice is stored once, because its key is unique in the
    /// table.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn push(&self, rows: &[R]) -> Result<Pushed> {
        let mut trip = RoundTrip::default();
        let pushing = self.push_in(&mut trip, rows)?;
        pushing.answered(&mut trip.send(&self.redis).await?)
    }

    /// Adds rows in their order, together with other calls.
    ///
    /// # Errors
    /// A row without a JSON form.
    pub fn push_in(&self, trip: &mut RoundTrip, rows: &[R]) -> Result<Pushing> {
        let texts = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let kept = (!texts.is_empty()).then(|| {
            trip.script(&PUSH, |call| {
                call.key(self.stream()).arg(self.bound.rows).arg(self.bound.bytes).arg(texts);
            })
        });
        Ok(Pushing { rows: rows.len(), kept })
    }

    /// Number of waiting rows.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn backlog(&self) -> Result<u64> {
        Ok(redis::cmd("XLEN").arg(self.stream()).query_async(&mut *self.redis.get().await?).await?)
    }

    /// Position of the newest waiting row; `None` when none waits.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn newest(&self) -> Result<Option<Position>> {
        self.end("XREVRANGE", "+", "-").await
    }

    /// Position of the oldest waiting row; `None` when none waits.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn oldest(&self) -> Result<Option<Position>> {
        self.end("XRANGE", "-", "+").await
    }

    async fn end(&self, command: &str, from: &str, to: &str) -> Result<Option<Position>> {
        let mut command = redis::cmd(command);
        command.arg(self.stream()).arg(from).arg(to).arg("COUNT").arg(1);
        let range: StreamRangeReply = command.query_async(&mut *self.redis.get().await?).await?;
        range.ids.first().map(|row| row.id.parse()).transpose()
    }

    /// Redis stream that holds the rows, each as JSON in the field `row`.
    #[must_use]
    pub fn stream(&self) -> String {
        self.redis.key(format_args!("rows:{}", R::TABLE))
    }

    /// Access to Redis, for the reader.
    #[must_use]
    pub const fn redis(&self) -> &Redis {
        &self.redis
    }
}

impl<R> Clone for RowBuffer<R> {
    fn clone(&self) -> Self {
        Self { redis: self.redis.clone(), bound: self.bound, rows: PhantomData }
    }
}
