//! Public figures of the broadcasts of a report (reference/public-stats.md). Channels whose owners opted out get
//! none.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Jsonb, Nullable, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use history_model::report::{Chatter, EmoteDay, Made, Stream, StreamFigures};
use serde_json::Value;
use shared::{Result, platform::Platform};
use stats_model::{
    Source,
    emotes::{self, Emote, EmoteUse, MAX_EMOTES_OF_A_DAY},
    streams::{self, PublicStream},
};

use super::db::keeps_people;

#[derive(QueryableByName)]
struct Channel {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
}

#[derive(QueryableByName)]
struct Known {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    broadcast_id: String,
    #[diesel(sql_type = Nullable<Jsonb>)]
    top_chatters: Option<Value>,
}

/// Writes the public figures of a report, and returns the people who are kept from former ones. Each write may be
/// repeated and replaces the former one.
pub(super) async fn publish(
    postgres: &mut AsyncPgConnection,
    made: &Made,
    now: DateTime<Utc>,
) -> Result<Vec<Chatter>> {
    let hidden = hidden(postgres, made).await?;
    let is_public = |platform: &str, channel: &str| {
        !hidden.iter().any(|hidden| hidden.0 == platform && hidden.1 == channel)
    };
    let former = if keeps_people(made) { former_people(postgres, made).await? } else { BTreeMap::new() };
    let public = made
        .report
        .streams
        .iter()
        .zip(&made.streams)
        .filter(|(stream, figures)| is_public(&stream.platform, &figures.platform_channel_id))
        .filter_map(|(stream, figures)| public_stream(stream, figures, made, &former).transpose())
        .collect::<Result<Vec<PublicStream>>>()?;
    streams::upsert(postgres, &public).await?;
    for day in made.emote_days.iter().filter(|day| is_public(&day.platform, &day.platform_channel_id)) {
        publish_emotes(postgres, day, now).await?;
    }
    let people = former.into_values().map(serde_json::from_value::<Vec<Chatter>>);
    Ok(people.collect::<std::result::Result<Vec<_>, _>>()?.concat())
}

/// Channels of a report that an account has hidden.
async fn hidden(postgres: &mut AsyncPgConnection, made: &Made) -> Result<BTreeSet<(String, String)>> {
    const HIDDEN: &str = "
        SELECT DISTINCT channel.platform, channel.platform_channel_id
        FROM unnest($1, $2) AS channel (platform, platform_channel_id)
        WHERE EXISTS (
            SELECT FROM public_channels AS known WHERE known.platform = channel.platform
                AND known.platform_channel_id = channel.platform_channel_id AND known.is_hidden)
        OR EXISTS (
            SELECT FROM public_channel_settings AS settings WHERE settings.platform = channel.platform
                AND settings.platform_channel_id = channel.platform_channel_id AND NOT settings.is_public)";
    let hidden: Vec<Channel> = sql_query(HIDDEN)
        .bind::<Array<Text>, _>(column(&made.report.streams, |stream| stream.platform.as_str()))
        .bind::<Array<Text>, _>(column(&made.streams, |stream| stream.platform_channel_id.as_str()))
        .prepared()
        .load(postgres)
        .await?;
    Ok(hidden.into_iter().map(|channel| (channel.platform, channel.platform_channel_id)).collect())
}

/// People of the stored streams by platform and broadcast.
async fn former_people(
    postgres: &mut AsyncPgConnection,
    made: &Made,
) -> Result<BTreeMap<(String, String), Value>> {
    const FORMER: &str = "
        SELECT stream.platform, stream.broadcast_id, stream.top_chatters
        FROM unnest($1, $2) AS own (platform, broadcast_id)
        JOIN public_streams AS stream
            ON stream.platform = own.platform AND stream.broadcast_id = own.broadcast_id";
    let known: Vec<Known> = sql_query(FORMER)
        .bind::<Array<Text>, _>(column(&made.report.streams, |stream| stream.platform.as_str()))
        .bind::<Array<Text>, _>(column(&made.report.streams, |stream| stream.broadcast_id.as_str()))
        .prepared()
        .load(postgres)
        .await?;
    let by_broadcast = |known: Known| Some(((known.platform, known.broadcast_id), known.top_chatters?));
    Ok(known.into_iter().filter_map(by_broadcast).collect())
}

/// `None` for a platform without public figures.
fn public_stream(
    stream: &Stream,
    figures: &StreamFigures,
    made: &Made,
    former: &BTreeMap<(String, String), Value>,
) -> Result<Option<PublicStream>> {
    let Ok(platform) = stream.platform.parse::<Platform>() else { return Ok(None) };
    let key = (stream.platform.clone(), stream.broadcast_id.clone());
    let people = match former.get(&key) {
        Some(people) => people.clone(),
        None => serde_json::to_value(&figures.top_chatters)?,
    };
    Ok(Some(PublicStream {
        platform,
        broadcast_id: stream.broadcast_id.clone(),
        platform_channel_id: figures.platform_channel_id.clone(),
        source: Source::FirstParty,
        title: stream.title.clone(),
        game_id: None,
        category: stream.category.clone(),
        language: None,
        started_at: stream.started_at,
        ended_at: stream.ended_at,
        peak_viewers: stream.peak_viewers,
        avg_viewers: stream.avg_viewers,
        total_messages: figures.total_messages,
        emote_count: figures.emote_count,
        top_emotes: serde_json::to_value(&figures.top_emotes)?,
        gif_count: figures.gif_count,
        top_gifs: serde_json::to_value(&figures.top_gifs)?,
        top_chatters: made.lists_people.then_some(people),
    }))
}

async fn publish_emotes(postgres: &mut AsyncPgConnection, day: &EmoteDay, now: DateTime<Utc>) -> Result<()> {
    let Ok(platform) = day.platform.parse::<Platform>() else { return Ok(()) };
    let used = || day.emotes.iter().take(MAX_EMOTES_OF_A_DAY);
    let catalogued: Vec<Emote> = used()
        .map(|emote| Emote {
            provider: emote.provider.clone(),
            emote_id: emote.id.clone(),
            name: emote.name.clone(),
            url: emote.url.clone(),
            animated: None,
        })
        .collect();
    let uses = used()
        .map(|emote| EmoteUse {
            provider: emote.provider.clone(),
            emote_id: emote.id.clone(),
            usage_count: emote.count,
        })
        .collect();
    let counts = emotes::EmoteDay {
        platform,
        platform_channel_id: day.platform_channel_id.clone(),
        day: day.day,
        uses,
    };
    emotes::catalogue(postgres, &catalogued, now).await?;
    emotes::use_counts(postgres, &counts).await
}
