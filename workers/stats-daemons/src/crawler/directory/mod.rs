//! Walks through the directories of live channels (reference/public-stats.md#directories). One copy at a time
//! walks the directory of a platform, page by page over the interval; another continues where it ended.

mod db;
mod histogram;
mod round;

use std::time::Duration;

use chrono::{DateTime, Utc};
use foundation::lease::Lease;
use platforms::{DirectoryPage, ListedStream};
use shared::{Result, platform::Platform};

use super::{IDLE, PlatformCrawler, Scope, budget::Priority, calls::NoAnswer, hidden, sightings};
use round::Round;

pub(super) use round::least_viewers;

/// Lifetime of the right to walk. The copy renews it with each page.
const LEASE_TTL: Duration = Duration::from_secs(15);
/// Intervals after which a channel that the directory no longer lists is visited by its id: a quarter more
/// than one.
const GRACE_DIVISOR: i32 = 4;
/// Times that a round begins again because the platform refused a position.
const MAX_RESTARTS: u32 = 2;

/// Platforms whose directory lists all live channels.
pub(super) const LISTING: [Platform; 3] = [Platform::Twitch, Platform::Kick, Platform::Trovo];

/// Returns true for a directory that begins with the channels with the most viewers.
const fn is_sorted(platform: Platform) -> bool {
    !matches!(platform, Platform::Kick)
}

/// Reads the next page when it is due.
pub(super) async fn step(crawler: &PlatformCrawler, scope: &Scope) -> Result<Duration> {
    let (platform, redis) = (crawler.platform, &crawler.context.redis);
    if !LISTING.contains(&platform) {
        return Ok(super::MAX_PAUSE);
    }
    if !lease(crawler).extend().await? {
        return Ok(IDLE);
    }
    let now = crawler.context.clock.now();
    let mut round = match Round::load(redis, platform).await? {
        Some(round) if round.continues(scope, now) => round,
        earlier => Round::begin(redis, platform, scope, now, earlier).await?,
    };
    let wait = round.due(scope) - now;
    if let Ok(wait) = wait.to_std()
        && !wait.is_zero()
    {
        return Ok(wait.min(IDLE));
    }
    match page(crawler, scope, round.after()).await {
        Ok(page) => {
            record(crawler, scope, &mut round, &page.items, now).await?;
            round.end_page(page.next, now);
        }
        Err(NoAnswer::Later(wait)) => return Ok(wait),
        Err(NoAnswer::Failed(error)) => return Err(error),
        Err(NoAnswer::Refused(reason)) => {
            tracing::warn!(%platform, reason, "a page of a directory was refused");
            round.restart(MAX_RESTARTS);
        }
    }
    round.save(redis, platform).await?;
    Ok(Duration::ZERO)
}

/// Ends the right of this copy to walk.
pub(super) async fn release(crawler: &PlatformCrawler) {
    if LISTING.contains(&crawler.platform) {
        lease(crawler).release().await;
    }
}

fn lease(crawler: &PlatformCrawler) -> Lease {
    let redis = &crawler.context.redis;
    let key = redis.key(format_args!("crawler:{}:walk", crawler.platform));
    Lease::new(redis, key, &crawler.owner, LEASE_TTL)
}

async fn page(
    crawler: &PlatformCrawler,
    scope: &Scope,
    after: Option<&str>,
) -> Result<DirectoryPage<ListedStream>, NoAnswer> {
    let (platforms, calls) = (&crawler.context.platforms, &crawler.calls);
    let languages = scope.languages.as_slice();
    match crawler.platform {
        Platform::Twitch => {
            let client = platforms.twitch();
            let page = calls.call(Priority::Samples, |access| async move {
                client.streams_page(&access.client_id, &access.token, languages, after).await
            });
            page.await
        }
        Platform::Kick => {
            let client = platforms.kick();
            let page = calls.call(Priority::Samples, |access| async move {
                client.streams_page(&access.token, languages, after).await
            });
            page.await
        }
        _ => {
            let client = platforms.trovo();
            let page = calls.call(Priority::Samples, |access| async move {
                client.streams_page(&access.client_id, after).await
            });
            page.await
        }
    }
}

/// Records the channels of a page that are crawled. Those of accounts are left to them, and those that were
/// opted out are dropped.
async fn record(
    crawler: &PlatformCrawler,
    scope: &Scope,
    round: &mut Round,
    listed: &[ListedStream],
    now: DateTime<Utc>,
) -> Result<()> {
    let (context, platform) = (&crawler.context, crawler.platform);
    let ids: Vec<&str> = listed.iter().map(|stream| stream.channel_id.as_str()).collect();
    let known = sightings::known(&mut *context.databases.postgres.get().await?, platform, &ids).await?;
    let (mut crawled, mut dropped, mut renamed) = (Vec::new(), Vec::new(), Vec::new());
    for stream in listed {
        let known = known.get(&stream.channel_id).copied().unwrap_or_default();
        if known.is_hidden {
            renamed.extend(stream.login.as_deref().map(|login| (stream.channel_id.as_str(), login)));
        }
        if known.is_hidden || known.is_connected {
            continue;
        }
        if round.choose(scope, stream, is_sorted(platform)) || known.is_watched {
            crawled.push(stream.clone());
        } else {
            dropped.push(stream.channel_id.clone());
        }
    }
    let slot = round.slot_of_page(scope, now);
    sightings::record(context, platform, scope, slot, &crawled, &crawled).await?;
    let ids: Vec<&str> = crawled.iter().map(|stream| stream.channel_id.as_str()).collect();
    let mut connection = context.databases.postgres.get().await?;
    db::schedule(&mut connection, platform, &ids, now, next_visit(scope, now)).await?;
    db::drop_excess(&mut connection, platform, &dropped).await?;
    hidden::remember_names(&mut connection, platform, &renamed).await?;
    crawler.metrics.channels(platform, "listed", crawled.len());
    Ok(())
}

/// Time at which a listed channel is visited by its id, unless it is listed again before.
pub(super) fn next_visit(scope: &Scope, now: DateTime<Utc>) -> DateTime<Utc> {
    now + scope.interval + scope.interval / GRACE_DIVISOR
}
