//! Catalogues of games and emotes, read once a day by one copy (reference/public-stats.md#catalogues). The
//! position of a reading is in Redis: the same or another copy continues what was interrupted.

mod emotes;
mod games;

use std::time::Duration;

use foundation::{lease::Lease, redis::Redis};
use platforms::emotes::EmoteProvider;
use redis::AsyncCommands;
use serde::{Deserialize, Serialize};
use shared::{Result, platform::Platform};

use super::{MAX_PAUSE, PlatformCrawler, calls::NoAnswer};

/// Interval at which the catalogues are read.
const INTERVAL: Duration = Duration::from_secs(86_400);
/// Pause before a reading continues that could not make a call.
const RETRY_PAUSE: Duration = Duration::from_secs(300);
/// Lifetime of the position, in seconds. An older reading begins again.
const POSITION_TTL_SECS: u64 = 86_400;

/// Position of a reading.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Position {
    are_games_read: bool,
    /// Position of the next page of games.
    games_after: Option<String>,
    /// Pages of games that were requested.
    pages: usize,
    are_global_emotes_read: bool,
    /// Last channel whose emotes were read.
    channel: Option<String>,
    /// Number of channels whose emotes were read.
    channels: usize,
    /// Providers that failed and are left out.
    failed: Vec<EmoteProvider>,
}

/// Reading of the catalogues in this copy.
struct Reading<'a> {
    crawler: &'a PlatformCrawler,
    lease: Lease,
    position: Position,
}

/// Reads the catalogues of the platform when they are due.
pub(super) async fn step(crawler: &PlatformCrawler) -> Result<Duration> {
    let (redis, platform) = (&crawler.context.redis, crawler.platform);
    // The lease lasts until the next reading. A killed copy leaves the short one behind.
    let lease = Lease::take(redis, lease_key(redis, platform), &crawler.owner, RETRY_PAUSE).await?;
    let Some(lease) = lease else { return Ok(MAX_PAUSE) };
    let mut reading = Reading::resume(crawler, lease).await?;
    match reading.read().await {
        Ok(true) => reading.complete().await?,
        Ok(false) => reading.lease.release().await,
        Err(NoAnswer::Failed(error)) => return Err(error),
        Err(_) if reading.is_off() => reading.lease.release().await,
        Err(reason) => {
            tracing::info!(%platform, %reason, "the reading of a catalogue continues later");
        }
    }
    Ok(MAX_PAUSE)
}

impl<'a> Reading<'a> {
    /// Continues an interrupted reading, or begins one.
    async fn resume(crawler: &'a PlatformCrawler, lease: Lease) -> Result<Self> {
        let redis = &crawler.context.redis;
        let text: Option<String> = redis.get().await?.get(position_key(redis, crawler.platform)).await?;
        // A position of another version begins a new reading.
        let position = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok(Self { crawler, lease, position })
    }

    /// Reads games and emotes while the lease and the scope hold. False when it was interrupted.
    async fn read(&mut self) -> Result<bool, NoAnswer> {
        Ok(games::read(self).await? && emotes::read(self).await?)
    }

    /// Renews the lease; false when the reading has to end.
    async fn may_continue(&mut self) -> Result<bool> {
        Ok(!self.is_off() && self.lease.extend().await?)
    }

    fn is_off(&self) -> bool {
        self.crawler.scope().is_none() || self.crawler.shutdown.is_cancelled()
    }

    async fn save(&self) -> Result<()> {
        let redis = &self.crawler.context.redis;
        let (key, position) =
            (position_key(redis, self.crawler.platform), serde_json::to_string(&self.position)?);
        Ok(redis.get().await?.set_ex(key, position, POSITION_TTL_SECS).await?)
    }

    /// Ends the reading until the next day, unless another copy has the lease meanwhile.
    async fn complete(self) -> Result<()> {
        let (redis, platform) = (&self.crawler.context.redis, self.crawler.platform);
        let mut lease = Lease::new(redis, lease_key(redis, platform), &self.crawler.owner, INTERVAL);
        if lease.extend().await? {
            let () = redis.get().await?.del(position_key(redis, platform)).await?;
        }
        Ok(())
    }
}

fn lease_key(redis: &Redis, platform: Platform) -> String {
    redis.key(format_args!("crawler:{platform}:catalogue"))
}

fn position_key(redis: &Redis, platform: Platform) -> String {
    redis.key(format_args!("crawler:{platform}:catalogue_position"))
}
