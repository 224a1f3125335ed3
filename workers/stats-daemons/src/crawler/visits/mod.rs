//! Visits to single channels (reference/public-stats.md#visits): those of the watch list, and those that a
//! directory no longer lists. A claim on the row selects the copy that visits a channel. It is renewed before
//! each call, which is not made when the claim is lost.

mod db;
mod youtube;

use std::{collections::HashSet, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use platforms::{ListedStream, PlatformError, kick, twitch};
use shared::{Result, platform::Platform};
use stats_model::{Source, channels};

use super::{
    IDLE, MAX_PAUSE, PlatformCrawler, Scope,
    batches::Batch,
    budget::Priority,
    calls::NoAnswer,
    directory::{self, LISTING},
    hidden::NamedBy,
    sightings, slots,
};
use db::{Claimed, Uploads, Visited};

/// Duration of a claim. Another copy visits the channels after the death of this one.
const LEASE: TimeDelta = TimeDelta::seconds(30);
/// Shortest rest of a claim before a call: the call, with its credential and the wait for the budget, takes less.
const MIN_LEASE: TimeDelta = TimeDelta::seconds(25);
/// Number of channels of a batch on platforms that need a call for each.
const SINGLE_CALL_BATCH_SIZE: usize = 10;
/// Longest time after which a channel that the platform refuses is visited again.
const MAX_REFUSED_PAUSE: TimeDelta = TimeDelta::days(1);

/// Answers about channels of a batch.
#[derive(Debug, Default)]
struct Answers {
    /// Channels that the platform was requested about.
    visited: Vec<String>,
    /// Channels that the platform refused to report on.
    refused: Vec<String>,
    /// Live ones, with one entry for each channel.
    live: Vec<ListedStream>,
    /// Streams of the live ones.
    broadcasts: Vec<ListedStream>,
    /// Further facts to store, on YouTube.
    youtube: Vec<Uploads>,
}

/// Visits a batch of channels that are due.
pub(super) async fn step(crawler: &PlatformCrawler, scope: &Scope) -> Result<Duration> {
    let (context, platform, now) = (&crawler.context, crawler.platform, crawler.context.clock.now());
    let mut connection = context.databases.postgres.get().await?;
    let request = db::ClaimRequest {
        platform,
        owner: crawler.owner,
        now,
        ahead: now + lead(platform, scope),
        until: now + LEASE,
        limit: batch_size(platform),
    };
    let claimed = db::claim(&mut connection, &request).await?;
    let lateness = claimed.iter().map(|channel| now - channel.next_at).max().unwrap_or_default();
    crawler.metrics.lateness(platform, seconds(lateness));
    if claimed.is_empty() {
        return Ok(IDLE);
    }
    let ids: Vec<&str> = claimed.iter().map(|channel| channel.id.as_str()).collect();
    let known = sightings::known(&mut connection, platform, &ids).await?;
    let known_of = |id: &str| known.get(id).copied().unwrap_or_default();
    let (hidden, shown): (Vec<_>, Vec<_>) =
        claimed.into_iter().partition(|channel| known_of(&channel.id).is_hidden);
    db::delete(&mut connection, platform, &hidden).await?;
    let (connected, due): (Vec<_>, Vec<_>) =
        shown.into_iter().partition(|channel| known_of(&channel.id).is_connected);
    let left: Vec<Visited> = connected.iter().map(Visited::left).collect();
    db::finish(&mut connection, platform, crawler.owner, now, &left).await?;
    drop(connection);
    let answers = match platform {
        Platform::Youtube => youtube::visit(crawler, &due, now).await,
        _ => visit(crawler, &due).await,
    };
    finish(crawler, scope, &due, answers, now).await
}

/// Time by which visits are made early, where a call serves many channels.
fn lead(platform: Platform, scope: &Scope) -> TimeDelta {
    if batch_size(platform) > SINGLE_CALL_BATCH_SIZE {
        slots::lead(scope.interval)
    } else {
        TimeDelta::zero()
    }
}

const fn batch_size(platform: Platform) -> usize {
    match platform {
        Platform::Twitch => twitch::MAX_LISTED,
        Platform::Kick => kick::MAX_LISTED,
        Platform::Youtube => platforms::youtube::MAX_LISTED,
        _ => SINGLE_CALL_BATCH_SIZE,
    }
}

async fn visit(crawler: &PlatformCrawler, due: &[Claimed]) -> Result<Answers, NoAnswer> {
    let ids = db::ids(due);
    let batch = match crawler.platform {
        Platform::Twitch | Platform::Kick => Batch::of(&ids),
        _ => Batch::of_parts(ids.iter().map(|id| vec![*id])),
    };
    let batch = batch.run(|part| request(crawler, due, part)).await?;
    let owned = |ids: Vec<&str>| ids.into_iter().map(str::to_owned).collect();
    Ok(Answers {
        visited: owned(batch.answered),
        refused: owned(batch.refused),
        broadcasts: batch.rows.clone(),
        live: batch.rows,
        youtube: Vec::new(),
    })
}

/// Live ones among channels that this copy still has; `None` without such channels.
async fn request(
    crawler: &PlatformCrawler,
    due: &[Claimed],
    mut ids: Vec<&str>,
) -> Result<Option<Vec<ListedStream>>, NoAnswer> {
    let claimed = renew(crawler, due).await?;
    ids.retain(|id| claimed.contains(*id));
    let (platforms, calls) = (&crawler.context.platforms, &crawler.calls);
    if ids.is_empty() {
        return Ok(None);
    }
    match crawler.platform {
        Platform::Twitch => {
            let client = platforms.twitch();
            let live = calls.about_all(Priority::Samples, NamedBy::Id, &ids, |access, ids| async move {
                client.streams_of(&access.client_id, &access.token, &ids).await
            });
            live.await
        }
        Platform::Kick => {
            let client = platforms.kick();
            let live = calls.about_all(Priority::Samples, NamedBy::Id, &ids, |access, ids| async move {
                client.streams_of(&access.token, &ids).await
            });
            live.await
        }
        _ => {
            let client = platforms.trovo();
            let live = calls.about_all(Priority::Samples, NamedBy::Id, &ids, |access, ids| async move {
                let Some(id) = ids.first() else { return Ok(Vec::new()) };
                let details = client.channel_details(&access.client_id, id).await?;
                let stream = details.and_then(|details| details.stream);
                Ok::<Vec<ListedStream>, PlatformError>(stream.into_iter().collect())
            });
            live.await
        }
    }
}

/// Renews the claims of a batch; returns the channels that this copy still has.
async fn renew(crawler: &PlatformCrawler, due: &[Claimed]) -> Result<HashSet<String>> {
    let now = crawler.context.clock.now();
    let mut connection = crawler.context.databases.postgres.get().await?;
    let times = (now + MIN_LEASE, now + LEASE);
    db::renew(&mut connection, crawler.platform, crawler.owner, due, times).await
}

/// Records the answers and ends the claims; returns the pause before the next batch.
async fn finish(
    crawler: &PlatformCrawler,
    scope: &Scope,
    due: &[Claimed],
    answers: Result<Answers, NoAnswer>,
    now: DateTime<Utc>,
) -> Result<Duration> {
    let answers = match answers {
        Ok(answers) => answers,
        Err(NoAnswer::Later(wait)) => {
            release(crawler, due).await?;
            return Ok(wait);
        }
        Err(NoAnswer::Refused(reason)) => {
            tracing::warn!(platform = %crawler.platform, reason, "a platform refused to report on channels");
            release(crawler, due).await?;
            return Ok(MAX_PAUSE);
        }
        Err(NoAnswer::Failed(error)) => {
            release(crawler, due).await?;
            return Err(error);
        }
    };
    match record(crawler, scope, due, &answers, now).await {
        Ok(()) => {
            let handled = answers.visited.len() + answers.refused.len();
            Ok(if handled < due.len() { IDLE } else { Duration::ZERO })
        }
        Err(error) => {
            release(crawler, due).await?;
            Err(error)
        }
    }
}

async fn release(crawler: &PlatformCrawler, due: &[Claimed]) -> Result<()> {
    let mut connection = crawler.context.databases.postgres.get().await?;
    db::release(&mut connection, crawler.platform, crawler.owner, due).await
}

async fn record(
    crawler: &PlatformCrawler,
    scope: &Scope,
    due: &[Claimed],
    answers: &Answers,
    now: DateTime<Utc>,
) -> Result<()> {
    let (context, platform) = (&crawler.context, crawler.platform);
    let least_viewers = if LISTING.contains(&platform) {
        directory::least_viewers(&context.redis, platform).await?
    } else {
        0
    };
    let claimed = renew(crawler, due).await?;
    let is_visited =
        |channel: &&Claimed| answers.visited.contains(&channel.id) && claimed.contains(&channel.id);
    let (mut visited, mut off) = (Vec::new(), Vec::new());
    let (mut live, mut broadcasts) = (Vec::new(), Vec::new());
    for channel in due.iter().filter(is_visited) {
        let stream = answers.live.iter().find(|stream| stream.channel_id == channel.id);
        let is_within = stream.is_some_and(|stream| {
            scope.includes(stream) && stream.viewer_count.unwrap_or(0) >= least_viewers
        });
        match stream {
            None => off.push(channel.id.clone()),
            Some(stream) if channel.is_watched || is_within => {
                live.push(stream.clone());
                let own = answers.broadcasts.iter().filter(|stream| stream.channel_id == channel.id);
                broadcasts.extend(own.cloned());
            }
            Some(_beyond_scope) => {}
        }
        let next_at = next_at(platform, scope, channel, is_within, now);
        let uploads = answers.youtube.iter().find(|uploads| uploads.channel_id == channel.id);
        visited.push(Visited::at(channel, next_at, uploads));
    }
    sightings::record(context, platform, scope, slots::start(now, scope.interval), &live, &broadcasts)
        .await?;
    let mut connection = context.databases.postgres.get().await?;
    channels::offline(&mut connection, platform, &off, Source::ExternalCrawler, now).await?;
    db::finish(&mut connection, platform, crawler.owner, now, &visited).await?;
    let is_refused = |channel: &&Claimed| answers.refused.contains(&channel.id);
    let refused: Vec<Visited> =
        due.iter().filter(is_refused).map(|channel| refused(channel, scope, now)).collect();
    db::finish(&mut connection, platform, crawler.owner, now, &refused).await?;
    let unvisited: Vec<Claimed> =
        due.iter().filter(|channel| !is_visited(channel) && !is_refused(channel)).cloned().collect();
    db::release(&mut connection, platform, crawler.owner, &unvisited).await?;
    crawler.metrics.channels(platform, "visited", visited.len());
    Ok(())
}

/// Next visit of a channel: in each slot while an entry of the watch list names it, later than the directory
/// while it is within the scope, else none.
fn next_at(
    platform: Platform,
    scope: &Scope,
    channel: &Claimed,
    is_within: bool,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    if channel.is_watched {
        return Some(slots::next_visit(platform, &channel.id, now, scope.interval));
    }
    // Without a directory the watch list alone decides.
    (is_within && LISTING.contains(&platform)).then(|| directory::next_visit(scope, now))
}

/// Schedule of a channel after a refusal: twice as long as after the one before.
fn refused(channel: &Claimed, scope: &Scope, now: DateTime<Utc>) -> Visited {
    let doublings = u32::try_from(channel.failures).unwrap_or(0).min(12);
    let pause = (scope.interval * 2_i32.pow(doublings)).min(MAX_REFUSED_PAUSE);
    Visited::refused(channel, now + pause)
}

fn seconds(lateness: TimeDelta) -> f64 {
    lateness.to_std().unwrap_or_default().as_secs_f64()
}
