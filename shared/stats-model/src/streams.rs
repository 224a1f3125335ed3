//! Streams of channels (reference/public-stats.md#samples).

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use diesel::{
    sql_query,
    sql_types::{BigInt, Jsonb, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use serde::Serialize;
use serde_json::Value;
use shared::{
    Result,
    clock::{serialize_optional_rfc3339, serialize_rfc3339},
    platform::Platform,
};

use crate::{
    Source,
    counts::counted,
    samples::MAX_WEIGHT_SECS,
    text::{storable, storable_id, storable_name},
};

/// Number of streams of one statement.
const BATCH_SIZE: usize = 500;

/// Stream with its figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublicStream {
    /// Platform of the channel.
    pub platform: Platform,
    /// Id on the platform, else an id of ours.
    pub broadcast_id: String,
    /// Id of the channel on its platform.
    pub platform_channel_id: String,
    /// Origin of the figures.
    pub source: Source,
    /// Title.
    pub title: Option<String>,
    /// Id of the last game on the platform.
    pub game_id: Option<String>,
    /// Name of the last game.
    pub category: Option<String>,
    /// Language.
    pub language: Option<String>,
    /// Start.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub started_at: DateTime<Utc>,
    /// End; `None` while it is live.
    #[serde(serialize_with = "serialize_optional_rfc3339")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Peak of the viewers.
    pub peak_viewers: Option<i64>,
    /// Average of the viewers.
    pub avg_viewers: Option<f64>,
    /// Number of chat lines.
    pub total_messages: i64,
    /// Number of emotes in chat lines.
    pub emote_count: i64,
    /// `[{ id, name, provider, url, count }]`, at most 20.
    pub top_emotes: Value,
    /// Number of GIFs in chat lines.
    pub gif_count: i64,
    /// `[{ id, url, provider, alt, count }]`, at most 20.
    pub top_gifs: Value,
    /// `[{ platform, platform_user_id, username, display_name, avatar_url, message_count }]`, at most 20;
    /// `None` where they are unknown, as for the crawler.
    pub top_chatters: Option<Value>,
}

/// Visit of the crawler to a live stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StreamVisit {
    /// Platform of the channel.
    pub platform: Platform,
    /// Id on the platform.
    pub broadcast_id: String,
    /// Id of the channel on its platform.
    pub platform_channel_id: String,
    /// Title.
    pub title: Option<String>,
    /// Id of the game on the platform.
    pub game_id: Option<String>,
    /// Name of the game.
    pub category: Option<String>,
    /// Language.
    pub language: Option<String>,
    /// Start.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub started_at: DateTime<Utc>,
    /// Viewers.
    pub viewers: Option<i64>,
    /// Time for which the visit stands, in seconds.
    pub weight_secs: i32,
    /// Time of the visit.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub seen_at: DateTime<Utc>,
}

impl PublicStream {
    /// Stream with clamped counts and cut texts.
    fn storable(&self) -> Self {
        Self {
            platform: self.platform,
            broadcast_id: storable_id(&self.broadcast_id).into_owned(),
            platform_channel_id: storable_id(&self.platform_channel_id).into_owned(),
            source: self.source,
            title: owned(self.title.as_deref().map(storable)),
            game_id: owned(self.game_id.as_deref().map(storable_id)),
            category: owned(self.category.as_deref().map(storable_name)),
            language: owned(self.language.as_deref().map(storable_name)),
            started_at: self.started_at,
            ended_at: self.ended_at,
            peak_viewers: self.peak_viewers.map(counted),
            avg_viewers: self.avg_viewers,
            total_messages: counted(self.total_messages),
            emote_count: counted(self.emote_count),
            top_emotes: storable_json(&self.top_emotes),
            gif_count: counted(self.gif_count),
            top_gifs: storable_json(&self.top_gifs),
            top_chatters: self.top_chatters.as_ref().map(storable_json),
        }
    }
}

impl StreamVisit {
    /// Visit with clamped counts and cut texts.
    fn storable(&self) -> Self {
        Self {
            platform: self.platform,
            broadcast_id: storable_id(&self.broadcast_id).into_owned(),
            platform_channel_id: storable_id(&self.platform_channel_id).into_owned(),
            title: owned(self.title.as_deref().map(storable)),
            game_id: owned(self.game_id.as_deref().map(storable_id)),
            category: owned(self.category.as_deref().map(storable_name)),
            language: owned(self.language.as_deref().map(storable_name)),
            started_at: self.started_at,
            viewers: self.viewers.map(counted),
            weight_secs: self.weight_secs.clamp(1, MAX_WEIGHT_SECS),
            seen_at: self.seen_at,
        }
    }
}

fn owned(text: Option<Cow<'_, str>>) -> Option<String> {
    text.map(Cow::into_owned)
}

/// JSON whose texts are [`storable`].
fn storable_json(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(storable(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(storable_json).collect()),
        Value::Object(fields) => {
            let cut = |(name, value): (&String, &Value)| (storable(name).into_owned(), storable_json(value));
            Value::Object(fields.iter().map(cut).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Stores streams with their whole figures; a repeated call replaces them. A first-party stream wins over the
/// crawler's of the same broadcast. The duration is that from start to end. Counts are clamped, texts cut.
///
/// # Errors
/// A failure of the database.
pub async fn upsert(connection: &mut AsyncPgConnection, streams: &[PublicStream]) -> Result<()> {
    for batch in streams.chunks(BATCH_SIZE) {
        let rows = serde_json::to_value(column(batch, PublicStream::storable))?;
        sql_query(UPSERT).bind::<Jsonb, _>(rows).prepared().execute(connection).await?;
    }
    Ok(())
}

/// Adds visits of the crawler to their streams. A visit that is not newer than the last one of its stream
/// counts nothing, so a repeated call changes nothing. Streams of accounts, and of hidden channels, are left
/// as they are.
///
/// # Errors
/// A failure of the database.
pub async fn observe(connection: &mut AsyncPgConnection, visits: &[StreamVisit]) -> Result<()> {
    for batch in visits.chunks(BATCH_SIZE) {
        let rows = serde_json::to_value(column(batch, StreamVisit::storable))?;
        sql_query(OBSERVE).bind::<Jsonb, _>(rows).prepared().execute(connection).await?;
    }
    Ok(())
}

/// Ends at most `limit` streams that the crawler has not met for two of its intervals, at their last visit.
/// Returns their number.
///
/// # Errors
/// A failure of the database.
pub async fn end_silent(connection: &mut AsyncPgConnection, now: DateTime<Utc>, limit: i64) -> Result<usize> {
    Ok(sql_query(END_SILENT)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(limit)
        .prepared()
        .execute(connection)
        .await?)
}

const UPSERT: &str = "
    WITH given AS (
        SELECT DISTINCT ON (platform, broadcast_id) given.*
        FROM jsonb_to_recordset($1) AS given (platform text, broadcast_id text, platform_channel_id text, source text,
            title text, game_id text, category text, language text, started_at timestamptz, ended_at timestamptz,
            peak_viewers bigint, avg_viewers double precision, total_messages bigint, emote_count bigint,
            top_emotes jsonb, gif_count bigint, top_gifs jsonb, top_chatters jsonb)
        ORDER BY platform, broadcast_id, source DESC
    )
    INSERT INTO public_streams AS known (platform, broadcast_id, platform_channel_id, source, title, game_id, category,
        language, started_at, ended_at, duration_secs, peak_viewers, avg_viewers, total_messages, emote_count,
        top_emotes, gif_count, top_gifs, top_chatters, last_seen_at)
    SELECT platform, broadcast_id, platform_channel_id, source, title,
        coalesce(game_id, (SELECT max(game.game_id) FROM public_games AS game
            WHERE game.platform = given.platform AND lower(game.name) = lower(given.category))),
        category, language, started_at, ended_at,
        greatest(extract(epoch FROM ended_at - started_at), 0)::bigint, peak_viewers, avg_viewers, total_messages,
        emote_count, top_emotes, gif_count, top_gifs, CASE WHEN jsonb_typeof(top_chatters) = 'array' THEN top_chatters END,
        ended_at
    FROM given
    WHERE source = 'first_party' OR NOT EXISTS (SELECT 1 FROM public_channels AS channel
        WHERE channel.platform = given.platform AND channel.platform_channel_id = given.platform_channel_id
            AND channel.is_hidden)
    ORDER BY platform, broadcast_id
    ON CONFLICT (platform, broadcast_id) DO UPDATE SET
        platform_channel_id = excluded.platform_channel_id, source = excluded.source, title = excluded.title,
        game_id = excluded.game_id, category = excluded.category,
        language = coalesce(excluded.language, known.language), started_at = excluded.started_at,
        ended_at = excluded.ended_at, duration_secs = excluded.duration_secs, peak_viewers = excluded.peak_viewers,
        avg_viewers = excluded.avg_viewers, total_messages = excluded.total_messages,
        emote_count = excluded.emote_count, top_emotes = excluded.top_emotes, gif_count = excluded.gif_count,
        top_gifs = excluded.top_gifs, top_chatters = excluded.top_chatters, last_seen_at = excluded.last_seen_at
    WHERE excluded.source = 'first_party' OR known.source = 'external_crawler'";

const OBSERVE: &str = "
    WITH seen AS (
        SELECT DISTINCT ON (platform, broadcast_id) seen.*
        FROM jsonb_to_recordset($1) AS seen (platform text, broadcast_id text, platform_channel_id text, title text,
            game_id text, category text, language text, started_at timestamptz, viewers bigint, weight_secs bigint,
            seen_at timestamptz)
        ORDER BY platform, broadcast_id, seen_at DESC
    )
    INSERT INTO public_streams AS known (platform, broadcast_id, platform_channel_id, source, title, game_id, category,
        language, started_at, peak_viewers, avg_viewers, viewer_secs, viewed_secs, last_seen_at)
    SELECT platform, broadcast_id, platform_channel_id, 'external_crawler', title, game_id, category, language,
        started_at, viewers, viewers, coalesce(viewers * weight_secs, 0),
        CASE WHEN viewers IS NULL THEN 0 ELSE weight_secs END, seen_at
    FROM seen
    WHERE NOT EXISTS (SELECT 1 FROM public_channels AS channel
        WHERE channel.platform = seen.platform AND channel.platform_channel_id = seen.platform_channel_id
            AND channel.is_hidden)
    ORDER BY platform, broadcast_id
    ON CONFLICT (platform, broadcast_id) DO UPDATE SET
        title = coalesce(excluded.title, known.title),
        game_id = CASE WHEN excluded.category IS NULL THEN known.game_id ELSE excluded.game_id END,
        category = coalesce(excluded.category, known.category),
        language = coalesce(excluded.language, known.language),
        ended_at = NULL, duration_secs = NULL,
        peak_viewers = greatest(known.peak_viewers, excluded.peak_viewers),
        avg_viewers = (known.viewer_secs + excluded.viewer_secs)::double precision
            / nullif(known.viewed_secs + excluded.viewed_secs, 0),
        viewer_secs = known.viewer_secs + excluded.viewer_secs,
        viewed_secs = known.viewed_secs + excluded.viewed_secs,
        last_seen_at = excluded.last_seen_at
    WHERE known.source = 'external_crawler'
        AND (known.last_seen_at IS NULL OR known.last_seen_at < excluded.last_seen_at)";

const END_SILENT: &str = "
    WITH silent AS MATERIALIZED (
        SELECT platform, broadcast_id FROM public_streams
        WHERE ended_at IS NULL AND source = 'external_crawler'
            AND last_seen_at < $1 - 2 * (SELECT interval_secs FROM crawler_scope) * interval '1 second'
        ORDER BY platform, broadcast_id LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    UPDATE public_streams AS stream SET ended_at = stream.last_seen_at,
        duration_secs = greatest(extract(epoch FROM stream.last_seen_at - stream.started_at), 0)::bigint
    FROM silent WHERE stream.platform = silent.platform AND stream.broadcast_id = silent.broadcast_id";
