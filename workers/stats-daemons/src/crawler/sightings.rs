//! Records of live channels: samples, present state, streams and games (reference/public-stats.md#samples).
//! All of them are written under the start of the slot, so that a repetition changes nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Bool, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use platform_daemons::PlatformContext;
use platforms::ListedStream;
use shared::{Result, platform::Platform};
use stats_model::{
    Source,
    channels::{self, Broadcast, LiveState, SeenChannel},
    games::{self, Game},
    samples::{self, ChannelSample},
    streams::{self, StreamVisit},
};

use super::Scope;

/// Facts about a channel that decide what the crawler may do with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// An account has connected the channel and measures it.
    pub is_connected: bool,
    /// An account opted the channel out.
    pub is_hidden: bool,
    /// An entry of the watch list names the channel.
    pub is_watched: bool,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    id: String,
    #[diesel(sql_type = Bool)]
    is_connected: bool,
    #[diesel(sql_type = Bool)]
    is_hidden: bool,
    #[diesel(sql_type = Bool)]
    is_watched: bool,
}

const KNOWN: &str = "
    SELECT given.id,
        EXISTS (SELECT FROM channel_connections AS connection
            WHERE connection.platform = $1 AND connection.platform_channel_id = given.id
                AND connection.connected_at > 'epoch') AS is_connected,
        EXISTS (SELECT FROM public_channels AS channel
            WHERE channel.platform = $1 AND channel.platform_channel_id = given.id AND channel.is_hidden)
        OR EXISTS (SELECT FROM public_channel_settings AS settings
            WHERE settings.platform = $1 AND settings.platform_channel_id = given.id AND NOT settings.is_public)
            AS is_hidden,
        EXISTS (SELECT FROM crawler_channels AS crawled
            WHERE crawled.platform = $1 AND crawled.platform_channel_id = given.id AND crawled.is_watched) AS is_watched
    FROM unnest($2) AS given (id)";

/// Returns the facts about channels.
pub(super) async fn known(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channels: &[&str],
) -> Result<HashMap<String, Known>> {
    let rows: Vec<Row> = sql_query(KNOWN)
        .bind::<Text, _>(platform.slug())
        .bind::<Array<Text>, _>(channels)
        .prepared()
        .load(connection)
        .await?;
    let known = |row: Row| {
        let Row { id, is_connected, is_hidden, is_watched } = row;
        (id, Known { is_connected, is_hidden, is_watched })
    };
    Ok(rows.into_iter().map(known).collect())
}

/// Records live channels of a slot: `live` has one entry for each channel, `broadcasts` one for each stream.
pub(super) async fn record(
    context: &PlatformContext,
    platform: Platform,
    scope: &Scope,
    slot: DateTime<Utc>,
    live: &[ListedStream],
    broadcasts: &[ListedStream],
) -> Result<()> {
    if live.is_empty() {
        return Ok(());
    }
    let samples: Vec<ChannelSample> =
        live.iter().map(|stream| sample(platform, scope, slot, stream)).collect();
    samples::write(&mut *context.databases.timescaledb.get().await?, &samples).await?;
    let now = context.clock.now();
    let seen: Vec<SeenChannel> = live.iter().map(|stream| seen(platform, now, stream)).collect();
    let visits: Vec<StreamVisit> =
        broadcasts.iter().filter_map(|stream| visit(platform, scope, slot, stream)).collect();
    let games: Vec<Game> = broadcasts.iter().filter_map(|stream| game(platform, stream)).collect();
    let mut postgres = context.databases.postgres.get().await?;
    // The transaction locks the channels, so that an opt-out deletes what is written here, or comes first.
    postgres
        .transaction(async |connection| {
            channels::seen(connection, &seen).await?;
            streams::observe(connection, &visits).await
        })
        .await?;
    games::catalogue(&mut postgres, &games, now).await?;
    let ids: Vec<(Platform, String)> =
        live.iter().map(|stream| (platform, stream.channel_id.clone())).collect();
    let hidden = channels::hidden(&mut postgres, &ids).await?;
    drop(postgres);
    delete_hidden(context, &hidden).await
}

/// Deletes samples of channels that were opted out while they were written.
async fn delete_hidden(context: &PlatformContext, hidden: &[(Platform, String)]) -> Result<()> {
    for (platform, channel) in hidden {
        let mut timeseries = context.databases.timescaledb.get().await?;
        samples::delete_channel(&mut timeseries, *platform, channel, Source::ExternalCrawler).await?;
    }
    Ok(())
}

fn sample(platform: Platform, scope: &Scope, slot: DateTime<Utc>, stream: &ListedStream) -> ChannelSample {
    ChannelSample {
        platform,
        platform_channel_id: stream.channel_id.clone(),
        at: slot,
        source: Source::ExternalCrawler,
        viewer_count: stream.viewer_count,
        message_count: 0,
        game_id: stream.game_id.clone(),
        game_name: stream.game_name.clone(),
        weight_secs: scope.weight_secs(),
        follower_count: stream.followers,
    }
}

fn seen(platform: Platform, now: DateTime<Utc>, stream: &ListedStream) -> SeenChannel {
    SeenChannel {
        platform,
        platform_channel_id: stream.channel_id.clone(),
        source: Source::ExternalCrawler,
        login: stream.login.clone(),
        display_name: stream.display_name.clone(),
        avatar_url: stream.avatar_url.clone(),
        broadcaster_type: None,
        language: stream.language.clone(),
        followers: stream.followers,
        state: LiveState::Live(Broadcast {
            broadcast_id: broadcast_id(stream),
            viewers: stream.viewer_count,
            game_id: stream.game_id.clone(),
            game: stream.game_name.clone(),
            title: stream.title.clone(),
            started_at: stream.started_at,
        }),
        seen_at: now,
    }
}

fn visit(
    platform: Platform,
    scope: &Scope,
    slot: DateTime<Utc>,
    stream: &ListedStream,
) -> Option<StreamVisit> {
    Some(StreamVisit {
        platform,
        broadcast_id: broadcast_id(stream)?,
        platform_channel_id: stream.channel_id.clone(),
        title: stream.title.clone(),
        game_id: stream.game_id.clone(),
        category: stream.game_name.clone(),
        language: stream.language.clone(),
        started_at: stream.started_at.unwrap_or(slot),
        viewers: stream.viewer_count,
        weight_secs: scope.weight_secs(),
        seen_at: slot,
    })
}

fn game(platform: Platform, stream: &ListedStream) -> Option<Game> {
    Some(Game {
        platform,
        game_id: stream.game_id.clone()?,
        name: stream.game_name.clone()?,
        box_art_url: None,
    })
}

/// Id of a broadcast. Trovo has none: there it is the channel and the start.
fn broadcast_id(stream: &ListedStream) -> Option<String> {
    stream.broadcast_id.clone().or_else(|| {
        let started_at = stream.started_at?.timestamp();
        Some(format!("{}-{started_at}", stream.channel_id))
    })
}
