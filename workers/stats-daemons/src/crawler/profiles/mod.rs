//! Profiles of channels, read once a day (reference/public-stats.md#profiles). A source for each platform fills
//! what its documented interface has; the rest stays empty. Panels have no documented interface anywhere.

mod claims;
mod connected;
mod db;
mod kick;
mod store;
mod trovo;
mod twitch;
mod youtube;

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use platforms::ListedChannel;
use shared::{Result, platform::Platform};
use stats_model::{
    Source,
    channels::{self, LiveState, SeenChannel},
    samples::{self, ChannelSample},
};

use super::{IDLE, MAX_PAUSE, PlatformCrawler, Scope, calls::NoAnswer, sightings, slots};
use claims::{CLAIM_DURATION, Claims};

pub use store::{Panel, Profile, store};

/// Time after which the profile of a channel that the platform does not know, or refuses, is read again.
const UNKNOWN_PAUSE: TimeDelta = TimeDelta::days(7);

/// Source of the profiles of a platform.
#[async_trait]
trait ProfileSource: Send + Sync {
    /// Number of channels of a batch.
    fn batch_size(&self) -> usize;

    /// Reads profiles that this copy has claimed. Channels that the platform does not know, or refuses to report on, are
    /// absent, and so are those that were opted out, or that another copy has claimed since.
    async fn read(&self, claims: &Claims<'_>, channels: &[String]) -> Result<Profiles, NoAnswer>;
}

/// Profiles of a batch.
#[derive(Debug, Default)]
struct Profiles {
    /// Profiles that were read.
    read: Vec<(ListedChannel, Profile)>,
    /// Channels for which the budget did not suffice.
    unread: Vec<String>,
}

fn source(platform: Platform) -> &'static dyn ProfileSource {
    match platform {
        Platform::Twitch => &twitch::Source,
        Platform::Kick => &kick::Source,
        Platform::Trovo => &trovo::Source,
        _ => &youtube::Source,
    }
}

/// Reads a batch of profiles that are due.
pub(super) async fn step(crawler: &PlatformCrawler, scope: &Scope) -> Result<Duration> {
    connected::add(crawler).await?;
    let (context, platform, now) = (&crawler.context, crawler.platform, crawler.context.clock.now());
    let source = source(platform);
    let mut connection = context.databases.postgres.get().await?;
    let until = now + CLAIM_DURATION;
    let claimed = db::claim(&mut connection, platform, now, until, source.batch_size()).await?;
    if claimed.is_empty() {
        return Ok(IDLE);
    }
    let ids: Vec<&str> = claimed.iter().map(|channel| channel.id.as_str()).collect();
    let known = sightings::known(&mut connection, platform, &ids).await?;
    let (mut due, mut left) = (Vec::new(), Vec::new());
    for channel in &claimed {
        let known = known.get(&channel.id).copied().unwrap_or_default();
        let is_crawled = channel.is_scheduled || known.is_watched || known.is_connected;
        let list = if is_crawled && !known.is_hidden { &mut due } else { &mut left };
        list.push(channel.id.clone());
    }
    db::set_next(&mut connection, platform, &left, None).await?;
    drop(connection);
    if due.is_empty() {
        return Ok(Duration::ZERO);
    }
    let claims = Claims::new(crawler, &due, until);
    let (mut profiles, pause) = match source.read(&claims, &due).await {
        Ok(profiles) => (profiles, Duration::ZERO),
        Err(NoAnswer::Later(wait)) => (Profiles { unread: due.clone(), ..Profiles::default() }, wait),
        Err(NoAnswer::Refused(reason)) => {
            tracing::warn!(%platform, reason, "a platform refused to report profiles");
            (Profiles { unread: due.clone(), ..Profiles::default() }, MAX_PAUSE)
        }
        Err(NoAnswer::Failed(error)) => return Err(error),
    };
    // What another copy has claimed since is left to it.
    let held = claims.renew().await?;
    profiles.read.retain(|(channel, _)| held.contains(&channel.id));
    profiles.unread.retain(|id| held.contains(id));
    write(crawler, scope, &profiles, now).await?;
    let is_handled = |id: &&String| {
        profiles.unread.contains(id) || profiles.read.iter().any(|(channel, _)| channel.id == **id)
    };
    let unknown: Vec<String> = held.iter().filter(|id| !is_handled(id)).cloned().collect();
    let mut connection = context.databases.postgres.get().await?;
    db::set_next(&mut connection, platform, &profiles.unread, Some(now)).await?;
    db::set_next(&mut connection, platform, &unknown, Some(now + UNKNOWN_PAUSE)).await?;
    Ok(if profiles.unread.is_empty() { pause } else { pause.max(IDLE) })
}

async fn write(
    crawler: &PlatformCrawler,
    scope: &Scope,
    profiles: &Profiles,
    now: DateTime<Utc>,
) -> Result<()> {
    let (context, platform) = (&crawler.context, crawler.platform);
    let seen: Vec<SeenChannel> =
        profiles.read.iter().map(|(channel, _)| seen(platform, channel, now)).collect();
    let mut connection = context.databases.postgres.get().await?;
    channels::seen(&mut connection, &seen).await?;
    let mut stored = Vec::new();
    for (channel, profile) in &profiles.read {
        if store(&mut connection, platform, &channel.id, profile, now).await? {
            stored.push(channel);
        }
    }
    drop(connection);
    let samples: Vec<ChannelSample> =
        stored.iter().filter_map(|channel| followers(platform, scope, channel, now)).collect();
    samples::write(&mut *context.databases.timescaledb.get().await?, &samples).await?;
    crawler.metrics.channels(platform, "profile", stored.len());
    Ok(())
}

fn seen(platform: Platform, channel: &ListedChannel, now: DateTime<Utc>) -> SeenChannel {
    SeenChannel {
        platform,
        platform_channel_id: channel.id.clone(),
        source: Source::ExternalCrawler,
        login: channel.login.clone(),
        display_name: channel.display_name.clone(),
        avatar_url: channel.avatar_url.clone(),
        broadcaster_type: channel.broadcaster_type.clone(),
        language: None,
        followers: channel.followers,
        state: LiveState::Unknown,
        seen_at: now,
    }
}

/// Sample of the followers alone. Its time is none of a visit, and the same for a repeated reading.
fn followers(
    platform: Platform,
    scope: &Scope,
    channel: &ListedChannel,
    now: DateTime<Utc>,
) -> Option<ChannelSample> {
    Some(ChannelSample {
        platform,
        platform_channel_id: channel.id.clone(),
        at: slots::start(now, scope.interval) + TimeDelta::seconds(1),
        source: Source::ExternalCrawler,
        viewer_count: None,
        message_count: 0,
        game_id: None,
        game_name: None,
        weight_secs: 1,
        follower_count: Some(channel.followers?),
    })
}
