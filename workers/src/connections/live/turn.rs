//! Whose turn it is on a platform, and where the last round ended: in Redis, for all copies.

use std::time::Duration;

use redis::AsyncCommands;
use shared::{Result, platforms::Platform, redis::Redis};

/// A place that nobody goes on from is forgotten.
const PLACE_TTL_SECS: u64 = 3600;

/// The right to ask a platform, until the time of the next round.
pub(super) struct Turn {
    redis: Redis,
    key: String,
    place: String,
    after: Option<String>,
}

impl Turn {
    /// Takes the turn; `None` while it is another's, or not yet time.
    pub async fn take(redis: &Redis, platform: Platform, every: Duration) -> Result<Option<Self>> {
        let key = redis.key(format_args!("channel_status:turn:{platform}"));
        let place = redis.key(format_args!("channel_status:place:{platform}"));
        let mut connection = redis.get().await?;
        let taken: Option<String> = redis::cmd("SET")
            .arg(&key)
            .arg(1)
            .arg("NX")
            .arg("PX")
            .arg(milliseconds(every))
            .query_async(&mut *connection)
            .await?;
        if taken.is_none() {
            return Ok(None);
        }
        let after: Option<String> = connection.get(&place).await?;
        drop(connection);
        Ok(Some(Self { redis: redis.clone(), key, place, after }))
    }

    /// The channel that the last round ended with; `None`: it asked about all.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Where the next round goes on; `None`: at the beginning.
    pub async fn goes_on(&self, after: Option<&str>) -> Result<()> {
        let mut connection = self.redis.get().await?;
        let () = match after {
            Some(id) => connection.set_ex(&self.place, id, PLACE_TTL_SECS).await?,
            None => connection.del(&self.place).await?,
        };
        Ok(())
    }

    /// Nobody asks before that time is over.
    pub async fn rests(&self, pause: Duration) -> Result<()> {
        let mut connection = self.redis.get().await?;
        let () = connection.pset_ex(&self.key, 1, milliseconds(pause)).await?;
        Ok(())
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
