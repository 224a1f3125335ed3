//! Reading buffered rows, shared among all writers of a table: each row goes to one of them, and to another when that
//! one has died.

use std::{
    marker::PhantomData,
    time::{Duration, Instant},
};

use redis::{
    aio::MultiplexedConnection,
    streams::{StreamAutoClaimReply, StreamId, StreamReadReply},
};
use shared::{
    Result,
    ingest::{Row, RowBuffer},
    redis::Redis,
};

use super::BATCH_DELAY;

const GROUP: &str = "writers";
/// The field that holds the row.
const ROW: &str = "row";
/// Longest wait of one read, which is also how long an idle writer may take to stop.
const BLOCK: Duration = Duration::from_millis(500);
/// Redis may take its time beyond the wait.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);
/// A row that its writer has not written for this long is taken over.
const CLAIM_AFTER: Duration = Duration::from_secs(30);
const CLAIM_INTERVAL: Duration = Duration::from_secs(10);
/// So few rows at the begin of a batch are few a second.
const FEW: usize = 50;

/// A row and the id that it is acknowledged by.
pub(super) struct Entry<R> {
    pub id: String,
    pub row: R,
}

/// What one read brought.
pub(super) struct Batch<R> {
    pub entries: Vec<Entry<R>>,
    /// Entries that are no rows.
    pub unreadable: Vec<String>,
}

/// One writer's access to the buffer of a table.
pub(super) struct Batches<R> {
    redis: Redis,
    stream: String,
    consumer: String,
    connection: Option<MultiplexedConnection>,
    claimed_at: Option<Instant>,
    rows: PhantomData<fn() -> R>,
}

impl<R: Row> Batches<R> {
    pub fn new(redis: Redis) -> Self {
        let stream = RowBuffer::<R>::new(redis.clone()).stream();
        let consumer = shared::id::new().to_string();
        Self { redis, stream, consumer, connection: None, claimed_at: None, rows: PhantomData }
    }

    /// The next rows, at most `room`: waits for the first when it may, and a moment for others.
    pub async fn next(&mut self, room: usize, may_wait: bool) -> Result<Batch<R>> {
        let read = self.read(room, may_wait).await;
        if read.is_err() {
            // A broken connection, or a Redis that has lost the group: both are set up again by the next read.
            self.connection = None;
        }
        read
    }

    async fn read(&mut self, room: usize, may_wait: bool) -> Result<Batch<R>> {
        let began = Instant::now();
        let mut ids = if self.is_claim_due() { self.claim(room).await? } else { Vec::new() };
        if ids.is_empty() {
            ids = self.take(room, may_wait.then_some(BLOCK)).await?;
        }
        let first = Instant::now();
        while !ids.is_empty() && ids.len() < room && may_wait {
            let left = BATCH_DELAY.saturating_sub(first.elapsed());
            if left.is_zero() {
                break;
            }
            // Where few come, none of them fills the batch meanwhile.
            let pause = if ids.len() < FEW { left } else { left.min(BATCH_DELAY / 4) };
            tokio::time::sleep(pause).await;
            ids.extend(self.take(room - ids.len(), None).await?);
        }
        tracing::trace!(stream = self.stream, rows = ids.len(), took = ?began.elapsed(), "rows read");
        Ok(Batch::of(ids))
    }

    /// New rows.
    async fn take(&mut self, count: usize, block: Option<Duration>) -> Result<Vec<StreamId>> {
        let mut command = redis::cmd("XREADGROUP");
        command.arg("GROUP").arg(GROUP).arg(&self.consumer).arg("COUNT").arg(count);
        if let Some(block) = block {
            command.arg("BLOCK").arg(u64::try_from(block.as_millis()).unwrap_or(u64::MAX));
        }
        command.arg("STREAMS").arg(&self.stream).arg(">");
        let reply: Option<StreamReadReply> = command.query_async(self.connection().await?).await?;
        Ok(reply.into_iter().flat_map(|reply| reply.keys).flat_map(|key| key.ids).collect())
    }

    fn is_claim_due(&mut self) -> bool {
        if self.claimed_at.is_some_and(|at| at.elapsed() < CLAIM_INTERVAL) {
            return false;
        }
        self.claimed_at = Some(Instant::now());
        true
    }

    /// Rows of writers that have died. Also our own, when they were written and could not be acknowledged.
    async fn claim(&mut self, count: usize) -> Result<Vec<StreamId>> {
        let mut command = redis::cmd("XAUTOCLAIM");
        command.arg(&self.stream).arg(GROUP).arg(&self.consumer);
        command
            .arg(u64::try_from(CLAIM_AFTER.as_millis()).unwrap_or(u64::MAX))
            .arg("0-0")
            .arg("COUNT")
            .arg(count);
        let reply: StreamAutoClaimReply = command.query_async(self.connection().await?).await?;
        if reply.claimed.len() == count {
            // There may be more.
            self.claimed_at = None;
        }
        Ok(reply.claimed)
    }

    /// Forgets entries.
    pub async fn acknowledge(&mut self, ids: &[String]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let stream = self.stream.clone();
        let connection = self.connection().await?;
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        pipeline.cmd("XACK").arg(&stream).arg(GROUP).arg(ids).ignore();
        pipeline.cmd("XDEL").arg(&stream).arg(ids).ignore();
        Ok(pipeline.query_async(connection).await?)
    }

    /// How many rows wait.
    pub async fn backlog(&mut self) -> Result<i64> {
        let stream = self.stream.clone();
        Ok(redis::cmd("XLEN").arg(stream).query_async(self.connection().await?).await?)
    }

    /// Ends in good order: what could not be written goes back into the buffer, for other writers to take at once.
    pub async fn leave(&mut self, held: &[Entry<R>]) {
        let left = match self.give_back(held).await {
            Ok(()) => self.give_up_place().await,
            // A place that holds rows must stay: they are taken over from there.
            failed => failed,
        };
        if let Err(error) = left {
            tracing::warn!(stream = self.stream, held = held.len(), %error, "a writer's place is left behind");
        }
    }

    async fn give_back(&mut self, held: &[Entry<R>]) -> Result<()> {
        if held.is_empty() {
            return Ok(());
        }
        let stream = self.stream.clone();
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        for entry in held {
            pipeline
                .cmd("XADD")
                .arg(&stream)
                .arg("*")
                .arg(ROW)
                .arg(serde_json::to_string(&entry.row)?)
                .ignore();
            pipeline.cmd("XACK").arg(&stream).arg(GROUP).arg(&entry.id).ignore();
            pipeline.cmd("XDEL").arg(&stream).arg(&entry.id).ignore();
        }
        Ok(pipeline.query_async(self.connection().await?).await?)
    }

    async fn give_up_place(&mut self) -> Result<()> {
        let (stream, consumer) = (self.stream.clone(), self.consumer.clone());
        let connection = self.connection().await?;
        // Rows that were written and not acknowledged stand under this name until somebody takes them over.
        let pending: Vec<redis::Value> = redis::cmd("XPENDING")
            .arg(&stream)
            .arg(GROUP)
            .arg("-")
            .arg("+")
            .arg(1)
            .arg(&consumer)
            .query_async(connection)
            .await?;
        if pending.is_empty() {
            let group = redis::cmd("XGROUP").arg("DELCONSUMER").arg(stream).arg(GROUP).arg(consumer).clone();
            group.query_async::<()>(connection).await?;
        }
        Ok(())
    }

    async fn connection(&mut self) -> Result<&mut MultiplexedConnection> {
        if self.connection.is_none() {
            let mut connection = self.redis.dedicated(BLOCK + RESPONSE_TIMEOUT).await?;
            let made = redis::cmd("XGROUP")
                .arg("CREATE")
                .arg(&self.stream)
                .arg(GROUP)
                .arg("0")
                .arg("MKSTREAM")
                .query_async::<()>(&mut connection)
                .await;
            match made {
                Err(error) if error.code() != Some("BUSYGROUP") => return Err(error.into()),
                _ => self.connection = Some(connection),
            }
        }
        self.connection.as_mut().ok_or_else(|| shared::Error::Redis("no connection".into()))
    }
}

impl<R: Row> Batch<R> {
    fn of(ids: Vec<StreamId>) -> Self {
        let (mut entries, mut unreadable) = (Vec::with_capacity(ids.len()), Vec::new());
        for entry in ids {
            let text: Option<String> = entry.get(ROW);
            match text.and_then(|text| serde_json::from_str(&text).ok()) {
                Some(row) => entries.push(Entry { id: entry.id, row }),
                None => unreadable.push(entry.id),
            }
        }
        Self { entries, unreadable }
    }
}
