//! What a worker could not send before it ended, for the next one.

use std::time::Duration;

use redis::AsyncCommands;
use shared::{feeds::TelemetryBatch, redis::Redis};

/// Batches that may be left; the oldest go first.
const MAX_BATCHES: isize = 64;
const TTL_SECS: i64 = 24 * 3600;
const REDIS_TIMEOUT: Duration = Duration::from_secs(1);

/// Batches of workers that have ended. Cheap to clone.
#[derive(Clone)]
pub struct LeftBehind {
    redis: Redis,
}

/// A batch and how it stands in the list.
pub struct Left {
    pub batch: TelemetryBatch,
    text: String,
}

impl LeftBehind {
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Leaves batches behind.
    ///
    /// # Errors
    /// When Redis cannot be reached in time.
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

    /// The oldest batch. It stays until it is taken off: whoever dies before that has sent nothing or something that
    /// counts once.
    ///
    /// # Errors
    /// When Redis cannot be reached in time.
    pub async fn oldest(&self) -> shared::Result<Option<Left>> {
        self.within_time(async {
            let mut connection = self.redis.get().await?;
            let Some(text) = connection.lindex::<_, Option<String>>(self.key(), 0).await? else {
                return Ok(None);
            };
            match serde_json::from_str(&text) {
                Ok(batch) => Ok(Some(Left { batch, text })),
                Err(error) => {
                    // Of another version: nobody will ever read it.
                    tracing::warn!(%error, "telemetry that a worker left cannot be read and is dropped");
                    connection.lrem::<_, _, ()>(self.key(), 1, &text).await?;
                    Ok(None)
                }
            }
        })
        .await
    }

    /// Takes a batch off.
    ///
    /// # Errors
    /// When Redis cannot be reached in time.
    pub async fn take_off(&self, left: &Left) -> shared::Result<()> {
        self.within_time(async {
            let mut connection = self.redis.get().await?;
            Ok(connection.lrem::<_, _, ()>(self.key(), 1, &left.text).await?)
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
