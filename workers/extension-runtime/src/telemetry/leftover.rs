//! Batches that a worker could not send before it ended, for the next one (reference/telemetry.md#batches).

use std::time::Duration;

use extension_model::feeds::TelemetryBatch;
use foundation::redis::Redis;
use redis::AsyncCommands;

/// Maximum number of leftover batches; the oldest are dropped first.
const MAX_BATCHES: isize = 64;
/// Lifetime of leftover batches, in seconds.
const TTL_SECS: i64 = 24 * 3600;
/// Maximum wait for a command.
const REDIS_TIMEOUT: Duration = Duration::from_secs(1);

/// Batches of workers that have ended. Cheap to clone.
#[derive(Clone)]
pub struct LeftoverBatches {
    redis: Redis,
}

/// Batch with its stored form.
pub struct LeftoverBatch {
    /// Batch to send.
    pub batch: TelemetryBatch,
    text: String,
}

impl LeftoverBatches {
    /// Returns the batches in a Redis.
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Stores batches for another worker.
    ///
    /// # Errors
    /// `Redis` when Redis cannot be reached in time.
    pub async fn leave(&self, batches: &[TelemetryBatch]) -> shared::Result<()> {
        if batches.is_empty() {
            return Ok(());
        }
        let texts = batches.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let key = self.key();
        self.within_time(async {
            let mut connection = self.redis.get().await?;
            redis::pipe()
                .atomic()
                .rpush(&key, texts)
                .ltrim(&key, -MAX_BATCHES, -1)
                .expire(&key, TTL_SECS)
                .query_async::<()>(&mut *connection)
                .await?;
            Ok(())
        })
        .await
    }

    /// Returns the oldest batch. It stays until it is removed: a worker that dies before that has sent
    /// nothing, or records that count once.
    ///
    /// # Errors
    /// `Redis` when Redis cannot be reached in time.
    pub async fn oldest(&self) -> shared::Result<Option<LeftoverBatch>> {
        self.within_time(async {
            let mut connection = self.redis.get().await?;
            let Some(text) = connection.lindex::<_, Option<String>>(self.key(), 0).await? else {
                return Ok(None);
            };
            match serde_json::from_str(&text) {
                Ok(batch) => Ok(Some(LeftoverBatch { batch, text })),
                Err(error) => {
                    // Of another version: no worker will ever read it.
                    tracing::warn!(%error, "unsent telemetry of another worker cannot be read and is dropped");
                    connection.lrem::<_, _, ()>(self.key(), 1, &text).await?;
                    Ok(None)
                }
            }
        })
        .await
    }

    /// Removes a batch.
    ///
    /// # Errors
    /// `Redis` when Redis cannot be reached in time.
    pub async fn remove(&self, leftover: &LeftoverBatch) -> shared::Result<()> {
        self.within_time(async {
            let mut connection = self.redis.get().await?;
            Ok(connection.lrem::<_, _, ()>(self.key(), 1, &leftover.text).await?)
        })
        .await
    }

    async fn within_time<T>(&self, work: impl Future<Output = shared::Result<T>>) -> shared::Result<T> {
        tokio::time::timeout(REDIS_TIMEOUT, work)
            .await
            .map_err(|_elapsed| shared::Error::Redis("timed out".to_owned()))?
    }

    fn key(&self) -> String {
        self.redis.key("runtime_telemetry_left")
    }
}
