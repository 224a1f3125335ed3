//! Samples and live states for the public statistics (reference/public-stats.md#samples). Channels whose owners
//! opted out have none.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use history_model::{
    minutes::Counted,
    samples::{self, OnAir},
};
use shared::{Result, platform::Platform};
use stats_model::{
    Source,
    channels::{self, Broadcast, LiveState, SeenChannel},
    samples::ChannelSample,
};
use worker_core::Context;

/// Seconds for which a sample stands.
const WEIGHT_SECS: i32 = 60;

/// Channel on a platform.
type Channel = (Platform, String);

/// Writes samples that have viewers. May wait for a roll-up.
pub(super) async fn write_samples(context: &Context, counted: &[Counted]) -> Result<()> {
    let with_viewers: Vec<Counted> =
        counted.iter().filter(|sample| sample.viewer_count.is_some()).cloned().collect();
    if with_viewers.is_empty() {
        return Ok(());
    }
    let mut postgres = context.databases.postgres.get().await?;
    let of_channels = samples::channels(&mut postgres, &with_viewers).await?;
    let known: HashMap<_, _> = with_viewers
        .iter()
        .map(|sample| ((sample.account_id, sample.platform.as_str(), sample.at), sample))
        .collect();
    let samples = of_channels.into_iter().filter_map(|of| {
        let counted = known.get(&(of.account_id, of.platform.as_str(), of.at))?;
        Some(ChannelSample {
            platform: of.platform.parse().ok()?,
            platform_channel_id: of.platform_channel_id,
            at: of.at,
            source: Source::FirstParty,
            viewer_count: counted.viewer_count,
            message_count: counted.message_count,
            game_id: of.game_id,
            game_name: of.category,
            weight_secs: WEIGHT_SECS,
            follower_count: None,
        })
    });
    let samples: Vec<ChannelSample> = samples.collect();
    let all = samples.iter().map(|sample| (sample.platform, sample.platform_channel_id.clone()));
    let hidden = hidden(&mut postgres, all.collect()).await?;
    drop(postgres);
    let is_shown =
        |sample: &ChannelSample| !hidden.contains(&(sample.platform, sample.platform_channel_id.clone()));
    let shown: Vec<ChannelSample> = samples.into_iter().filter(is_shown).collect();
    stats_model::samples::write(&mut *context.databases.timescaledb.get().await?, &shown).await
}

/// Shows channels as live.
pub(super) async fn see_channels(context: &Context, on_air: &[OnAir], now: DateTime<Utc>) -> Result<()> {
    let seen = live(on_air, now);
    if seen.is_empty() {
        return Ok(());
    }
    let mut postgres = context.databases.postgres.get().await?;
    let hidden = hidden(&mut postgres, seen.keys().cloned().collect()).await?;
    let shown: Vec<SeenChannel> =
        seen.into_iter().filter(|(channel, _)| !hidden.contains(channel)).map(|(_, seen)| seen).collect();
    channels::seen(&mut postgres, &shown).await
}

async fn hidden(postgres: &mut AsyncPgConnection, channels: HashSet<Channel>) -> Result<HashSet<Channel>> {
    let channels: Vec<Channel> = channels.into_iter().collect();
    Ok(channels::hidden(postgres, &channels).await?.into_iter().collect())
}

/// Live state of each channel: that of the broadcast with the most viewers, and the viewers of all. Several
/// accounts may have connected a channel.
fn live(on_air: &[OnAir], now: DateTime<Utc>) -> BTreeMap<Channel, SeenChannel> {
    let mut by_channel: BTreeMap<Channel, BTreeMap<&str, &OnAir>> = BTreeMap::new();
    for one in on_air {
        let Ok(platform) = one.platform.parse() else { continue };
        let broadcasts = by_channel.entry((platform, one.platform_channel_id.clone())).or_default();
        // Broadcasts without an id of the platform are those of different accounts: one and the same.
        let is_own = one.broadcast_id == one.id.to_string();
        broadcasts.insert(if is_own { "" } else { one.broadcast_id.as_str() }, one);
    }
    let seen = by_channel.into_iter().filter_map(|(channel, broadcasts)| {
        let first = broadcasts.values().max_by_key(|one| (one.viewers, one.started_at)).copied()?;
        let viewers = broadcasts.values().filter_map(|one| one.viewers);
        let viewers =
            viewers.fold(None, |sum: Option<i64>, one| Some(sum.unwrap_or_default().saturating_add(one)));
        Some((channel.clone(), seen(channel, first, viewers, now)))
    });
    seen.collect()
}

fn seen(channel: Channel, broadcast: &OnAir, viewers: Option<i64>, now: DateTime<Utc>) -> SeenChannel {
    let (platform, platform_channel_id) = channel;
    SeenChannel {
        platform,
        platform_channel_id,
        source: Source::FirstParty,
        login: Some(broadcast.channel_name.clone()),
        display_name: Some(broadcast.display_name.clone()),
        avatar_url: broadcast.avatar_url.clone(),
        broadcaster_type: None,
        language: None,
        followers: None,
        state: LiveState::Live(Broadcast {
            broadcast_id: Some(broadcast.broadcast_id.clone()),
            viewers,
            game_id: None,
            game: broadcast.category.clone(),
            title: broadcast.title.clone(),
            started_at: Some(broadcast.started_at),
        }),
        seen_at: now,
    }
}
