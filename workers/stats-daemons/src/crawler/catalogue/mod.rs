//! Catalogues of games and emotes, read once a day by one copy (reference/public-stats.md#catalogues).

mod emotes;
mod games;

use std::time::Duration;

use foundation::lease::Lease;
use shared::Result;

use super::{MAX_PAUSE, PlatformCrawler, calls::NoAnswer};

/// Interval at which the catalogues are read.
const INTERVAL: Duration = Duration::from_secs(86_400);
/// Pause before another attempt when a part was not read.
const RETRY_PAUSE: Duration = Duration::from_secs(300);

/// Reads the catalogues of the platform when they are due.
pub(super) async fn step(crawler: &PlatformCrawler) -> Result<Duration> {
    let redis = &crawler.context.redis;
    let key = redis.key(format_args!("crawler:{}:catalogue", crawler.platform));
    // The lease lasts until the next reading. A killed copy leaves the short one behind.
    let Some(mut lease) = Lease::take(redis, key, &crawler.owner, RETRY_PAUSE).await? else {
        return Ok(MAX_PAUSE);
    };
    match read(crawler, &mut lease).await {
        Ok(()) => lease.force(INTERVAL).await?,
        Err(NoAnswer::Failed(error)) => return Err(error),
        Err(reason) => {
            tracing::info!(platform = %crawler.platform, %reason, "a catalogue was not read completely");
        }
    }
    Ok(MAX_PAUSE)
}

/// Reads games and emotes while the lease and the scope hold.
async fn read(crawler: &PlatformCrawler, lease: &mut Lease) -> Result<(), NoAnswer> {
    games::read(crawler, lease).await?;
    emotes::read(crawler, lease).await
}

/// Renews the lease; false when the reading has to end.
async fn may_continue(crawler: &PlatformCrawler, lease: &mut Lease) -> Result<bool> {
    Ok(crawler.scope().is_some() && !crawler.shutdown.is_cancelled() && lease.extend().await?)
}
