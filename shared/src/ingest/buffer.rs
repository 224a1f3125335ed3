//! Rows that wait for their batch.

use std::{marker::PhantomData, sync::LazyLock};

use redis::{Script, streams::StreamRangeReply};

use super::Row;
use crate::{
    Result,
    events::Position,
    redis::{Answers, Asked, Redis, RoundTrip},
};

/// Most rows that wait for one table. While the database is away they gather here; beyond, new ones are shed.
pub const BACKLOG: usize = 200_000;
/// Most memory that they take, in bytes: some five times what as many lines of chat take.
pub const BACKLOG_BYTES: usize = 512 * 1024 * 1024;

static PUSH: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("push.lua")));

/// Rows of one table that wait in Redis. Cheap to clone.
pub struct RowBuffer<R> {
    redis: Redis,
    bound: Bound,
    rows: PhantomData<fn(R)>,
}

/// How much may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    pub rows: usize,
    /// Of Redis' memory, not looked at below a thousand rows.
    pub bytes: usize,
}

/// What became of pushed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pushed {
    pub kept: usize,
    /// Dropped, because as many rows as may wait were waiting.
    pub shed: usize,
}

/// Rows that are being pushed.
#[must_use]
pub struct Pushing {
    rows: usize,
    /// `None` without rows.
    kept: Option<Asked<usize>>,
}

impl Pushing {
    /// What became of them.
    ///
    /// # Errors
    /// When the server did not answer with a number.
    pub fn answered(self, answers: &mut Answers) -> Result<Pushed> {
        let kept = self.kept.map_or(Ok(0), |kept| answers.take(kept))?;
        Ok(Pushed { kept, shed: self.rows.saturating_sub(kept) })
    }
}

impl<R: Row> RowBuffer<R> {
    /// The buffer of a table.
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self::bounded(redis, Bound { rows: BACKLOG, bytes: BACKLOG_BYTES })
    }

    /// The buffer with another bound.
    #[must_use]
    pub const fn bounded(redis: Redis, bound: Bound) -> Self {
        Self { redis, bound, rows: PhantomData }
    }

    /// Adds rows in their order. Pushing a row twice stores it once, because its key is unique in the table.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn push(&self, rows: &[R]) -> Result<Pushed> {
        let mut trip = RoundTrip::default();
        let pushing = self.push_in(&mut trip, rows)?;
        pushing.answered(&mut trip.send(&self.redis).await?)
    }

    /// The same beside other calls.
    ///
    /// # Errors
    /// When a row has no JSON.
    pub fn push_in(&self, trip: &mut RoundTrip, rows: &[R]) -> Result<Pushing> {
        let texts = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let kept = (!texts.is_empty()).then(|| {
            trip.script(&PUSH, |call| {
                call.key(self.stream()).arg(self.bound.rows).arg(self.bound.bytes).arg(texts);
            })
        });
        Ok(Pushing { rows: rows.len(), kept })
    }

    /// How many rows wait.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn backlog(&self) -> Result<u64> {
        Ok(redis::cmd("XLEN").arg(self.stream()).query_async(&mut *self.redis.get().await?).await?)
    }

    /// Where the newest row stands that waits; `None` when none does.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn newest(&self) -> Result<Option<Position>> {
        self.end("XREVRANGE", "+", "-").await
    }

    /// Where the oldest row stands that waits; `None` when none does.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn oldest(&self) -> Result<Option<Position>> {
        self.end("XRANGE", "-", "+").await
    }

    async fn end(&self, command: &str, from: &str, to: &str) -> Result<Option<Position>> {
        let mut command = redis::cmd(command);
        command.arg(self.stream()).arg(from).arg(to).arg("COUNT").arg(1);
        let range: StreamRangeReply = command.query_async(&mut *self.redis.get().await?).await?;
        range.ids.first().map(|row| row.id.parse()).transpose()
    }

    /// The Redis stream that holds them, each as JSON in the field `row`.
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
