//! Reader of buffered rows, shared among all writers of a table: each row goes to one of them, and to another
//! when that one has died.

use std::{
    marker::PhantomData,
    time::{Duration, Instant},
};

use foundation::redis::{Redis, milliseconds};
use live_model::{Row, RowBuffer};
use redis::{
    aio::MultiplexedConnection,
    streams::{StreamAutoClaimReply, StreamId, StreamReadReply},
};
use shared::Result;

use super::BATCH_DELAY;

const GROUP: &str = "writers";
/// Field that holds the row.
const ROW: &str = "row";
/// Maximum wait of one read, and so of the stop of an idle writer.
const BLOCK_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time that Redis may take beyond the wait.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);
/// Time after which a row that its writer has not written is taken over.
const CLAIM_IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Interval at which a writer looks for rows of dead writers.
const CLAIM_INTERVAL: Duration = Duration::from_secs(10);
/// Number of rows below which a batch is expected to stay small.
const SMALL_BATCH_SIZE: usize = 50;

/// Row with the id that it is acknowledged by.
pub(super) struct Entry<R> {
    pub id: String,
    pub row: R,
}

/// Result of one read.
pub(super) struct Batch<R> {
    pub entries: Vec<Entry<R>>,
    /// Entries that are no rows.
    pub unreadable: Vec<String>,
}

/// Access of one writer to the buffer of a table.
pub(super) struct Batches<R> {
    redis: Redis,
    stream: String,
    consumer: String,
    connection: Option<MultiplexedConnection>,
    claimed_at: Option<Instant>,
    rows: PhantomData<fn() -> R>,
}

impl<R: Row> Batches<R> {
    /// Returns a reader with a consumer name of its own.
    pub fn new(redis: Redis) -> Self {
        let stream = RowBuffer::<R>::new(redis.clone()).stream();
        let consumer = shared::id::new().to_string();
        Self { redis, stream, consumer, connection: None, claimed_at: None, rows: PhantomData }
    }

    /// Returns the next rows, at most `room`. Waits for the first if it may, and a moment for others.
    pub async fn next(&mut self, room: usize, may_wait: bool) -> Result<Batch<R>> {
        let read = self.read(room, may_wait).await;
        if read.is_err() {
            // After a broken connection or a lost consumer group, both are set up again by the next read.
            self.connection = None;
        }
        read
    }

    async fn read(&mut self, room: usize, may_wait: bool) -> Result<Batch<R>> {
        let began = Instant::now();
        let mut ids = if self.is_claim_due() { self.claim(room).await? } else { Vec::new() };
        if ids.is_empty() {
            ids = self.take(room, may_wait.then_some(BLOCK_TIMEOUT)).await?;
        }
        let first = Instant::now();
        while !ids.is_empty() && ids.len() < room && may_wait {
            let left = BATCH_DELAY.saturating_sub(first.elapsed());
            if left.is_zero() {
                break;
            }
            // A few rows a second do not fill the batch meanwhile, so the whole delay is used.
            let pause = if ids.len() < SMALL_BATCH_SIZE { left } else { left.min(BATCH_DELAY / 4) };
            tokio::time::sleep(pause).await;
            ids.extend(self.take(room - ids.len(), None).await?);
        }
        tracing::trace!(stream = self.stream, rows = ids.len(), took = ?began.elapsed(), "rows read");
        Ok(Batch::of(ids))
    }

    /// Reads new rows.
    async fn take(&mut self, count: usize, block: Option<Duration>) -> Result<Vec<StreamId>> {
        let mut command = redis::cmd("XREADGROUP");
        command.arg("GROUP").arg(GROUP).arg(&self.consumer).arg("COUNT").arg(count);
        if let Some(block) = block {
            command.arg("BLOCK").arg(milliseconds(block));
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

    /// Reads rows of writers that have died; also own rows that were written and could not be acknowledged.
    async fn claim(&mut self, count: usize) -> Result<Vec<StreamId>> {
        let mut command = redis::cmd("XAUTOCLAIM");
        command.arg(&self.stream).arg(GROUP).arg(&self.consumer);
        command.arg(milliseconds(CLAIM_IDLE_TIMEOUT)).arg("0-0").arg("COUNT").arg(count);
        let reply: StreamAutoClaimReply = command.query_async(self.connection().await?).await?;
        if reply.claimed.len() == count {
            // More rows may follow.
            self.claimed_at = None;
        }
        Ok(reply.claimed)
    }

    /// Acknowledges and deletes entries.
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

    /// Returns the number of waiting rows.
    pub async fn backlog(&mut self) -> Result<i64> {
        let stream = self.stream.clone();
        Ok(redis::cmd("XLEN").arg(stream).query_async(self.connection().await?).await?)
    }

    /// Ends in order: rows that could not be written go back into the buffer, for other writers to take
    /// immediately.
    pub async fn leave(&mut self, held: &[Entry<R>]) {
        let left = match self.requeue(held).await {
            Ok(()) => self.leave_group().await,
            // A consumer that holds rows must stay: they are taken over from it.
            failed => failed,
        };
        if let Err(error) = left {
            tracing::warn!(stream = self.stream, held = held.len(), %error, "the consumer of a writer was not removed");
        }
    }

    async fn requeue(&mut self, held: &[Entry<R>]) -> Result<()> {
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

    async fn leave_group(&mut self) -> Result<()> {
        let (stream, consumer) = (self.stream.clone(), self.consumer.clone());
        let connection = self.connection().await?;
        // Rows that were written and not acknowledged stay with this consumer until another takes them over.
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
            let mut connection = self.redis.dedicated(&self.stream, BLOCK_TIMEOUT + RESPONSE_TIMEOUT).await?;
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
