//! Channels and their live state (reference/public-stats.md#samples).

mod removal;
mod silence;
mod unconnected;

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use diesel::{
    sql_query,
    sql_types::{Array, Jsonb, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use serde::Serialize;
use shared::{Result, clock::serialize_optional_rfc3339, platform::Platform};

pub(crate) use removal::hidden_keys;
pub use removal::{delete_crawled, delete_rows, hidden, hide, show};
pub use silence::{MAX_FIRST_PARTY_SILENCE, end_silent};
pub use unconnected::delete_unconnected;

use crate::{
    Source,
    counts::counted,
    text::{storable, storable_id, storable_name},
};

/// Number of channels of one statement.
const BATCH_SIZE: usize = 1_000;

/// Observation of a channel. Fields that were not reported are `None`; stored values are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenChannel {
    /// Platform of the channel.
    pub platform: Platform,
    /// Id of the channel on its platform.
    pub platform_channel_id: String,
    /// Origin of the observation.
    pub source: Source,
    /// Name in addresses of the platform.
    pub login: Option<String>,
    /// Name for readers.
    pub display_name: Option<String>,
    /// Picture.
    pub avatar_url: Option<String>,
    /// Kind of broadcaster in the words of the platform, such as `partner`.
    pub broadcaster_type: Option<String>,
    /// Language of the broadcast, an ISO 639-1 code where the platform states one.
    pub language: Option<String>,
    /// Number of followers.
    pub followers: Option<i64>,
    /// Live state.
    pub state: LiveState,
    /// Time of the observation. An older state than the stored one is dropped.
    pub seen_at: DateTime<Utc>,
}

/// Live state of an observed channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveState {
    /// The observation is of the profile alone.
    Unknown,
    /// Not live.
    Offline,
    /// Live.
    Live(Broadcast),
}

/// Broadcast of a live channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Broadcast {
    /// Id on the platform.
    pub broadcast_id: Option<String>,
    /// Viewers.
    pub viewers: Option<i64>,
    /// Id of the game on the platform. Without it the game is found by its name.
    pub game_id: Option<String>,
    /// Name of the game.
    pub game: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Start.
    pub started_at: Option<DateTime<Utc>>,
}

/// Stores observations in one statement for each thousand. A first-party observation wins over the crawler's:
/// of a channel that an account has observed within five minutes the crawler fills only what is unknown.
/// Hidden channels are left as they are. Of several observations of a channel the newest counts. Counts are
/// clamped, texts cut.
///
/// # Errors
/// A failure of the database.
pub async fn seen(connection: &mut AsyncPgConnection, channels: &[SeenChannel]) -> Result<()> {
    for batch in channels.chunks(BATCH_SIZE) {
        let rows: Vec<Row<'_>> = batch.iter().map(Row::of).collect();
        sql_query(SEEN).bind::<Jsonb, _>(serde_json::to_value(rows)?).prepared().execute(connection).await?;
    }
    Ok(())
}

/// Ends the live state of channels of a platform that `source` has found offline. Unknown channels, and
/// channels with a newer state, are left as they are.
///
/// # Errors
/// A failure of the database.
pub async fn offline(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_ids: &[String],
    source: Source,
    seen_at: DateTime<Utc>,
) -> Result<usize> {
    let mut ended = 0;
    for batch in platform_channel_ids.chunks(BATCH_SIZE) {
        ended += sql_query(OFFLINE)
            .bind::<Text, _>(platform.slug())
            .bind::<Array<Text>, _>(column(batch, |id| storable_id(id)))
            .bind::<Text, _>(source.as_str())
            .bind::<Timestamptz, _>(seen_at)
            .prepared()
            .execute(connection)
            .await?;
    }
    Ok(ended)
}

/// Row of the JSON that [`SEEN`] reads.
#[derive(Serialize)]
struct Row<'a> {
    platform: Platform,
    platform_channel_id: Cow<'a, str>,
    source: Source,
    login: Option<Cow<'a, str>>,
    display_name: Option<Cow<'a, str>>,
    avatar_url: Option<Cow<'a, str>>,
    broadcaster_type: Option<Cow<'a, str>>,
    language: Option<Cow<'a, str>>,
    followers: Option<i64>,
    is_live: bool,
    viewers: Option<i64>,
    game_id: Option<Cow<'a, str>>,
    game: Option<Cow<'a, str>>,
    title: Option<Cow<'a, str>>,
    broadcast_id: Option<Cow<'a, str>>,
    #[serde(serialize_with = "serialize_optional_rfc3339")]
    live_since: Option<DateTime<Utc>>,
    /// Null where the state is unknown.
    #[serde(serialize_with = "serialize_optional_rfc3339")]
    live_seen_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "shared::clock::serialize_rfc3339")]
    seen_at: DateTime<Utc>,
}

impl<'a> Row<'a> {
    fn of(seen: &'a SeenChannel) -> Self {
        let broadcast = match &seen.state {
            LiveState::Live(broadcast) => Some(broadcast),
            LiveState::Offline | LiveState::Unknown => None,
        };
        let text = |field: fn(&'a Broadcast) -> Option<&'a String>| Some(broadcast.and_then(field)?.as_str());
        Self {
            platform: seen.platform,
            platform_channel_id: storable_id(&seen.platform_channel_id),
            source: seen.source,
            login: seen.login.as_deref().map(storable_name),
            display_name: seen.display_name.as_deref().map(storable_name),
            avatar_url: seen.avatar_url.as_deref().map(storable),
            broadcaster_type: seen.broadcaster_type.as_deref().map(storable_name),
            language: seen.language.as_deref().map(storable_name),
            followers: seen.followers.map(counted),
            is_live: broadcast.is_some(),
            viewers: broadcast.and_then(|broadcast| broadcast.viewers).map(counted),
            game_id: text(|broadcast| broadcast.game_id.as_ref()).map(storable_id),
            game: text(|broadcast| broadcast.game.as_ref()).map(storable_name),
            title: text(|broadcast| broadcast.title.as_ref()).map(storable),
            broadcast_id: text(|broadcast| broadcast.broadcast_id.as_ref()).map(storable_id),
            live_since: broadcast.and_then(|broadcast| broadcast.started_at),
            live_seen_at: (seen.state != LiveState::Unknown).then_some(seen.seen_at),
            seen_at: seen.seen_at,
        }
    }
}

/// Condition for an observation to overwrite what is stored.
macro_rules! wins {
    () => {
        "(excluded.source = 'first_party' OR known.first_party_at IS NULL
            OR known.first_party_at < excluded.first_seen_at - interval '5 minutes')"
    };
}

/// Condition for the live state of an observation to replace the stored one.
macro_rules! is_newer {
    () => {
        concat!(
            "(excluded.live_seen_at IS NOT NULL AND ",
            wins!(),
            " AND (known.live_seen_at IS NULL OR known.live_seen_at <= excluded.live_seen_at))"
        )
    };
}

/// Assignment of a field of the profile.
macro_rules! profile {
    ($field:literal) => {
        concat!(
            $field,
            " = CASE WHEN ",
            wins!(),
            " THEN coalesce(excluded.",
            $field,
            ", known.",
            $field,
            ") ELSE coalesce(known.",
            $field,
            ", excluded.",
            $field,
            ") END,\n"
        )
    };
}

/// Assignment of a field of the live state.
macro_rules! live {
    ($field:literal) => {
        concat!(
            $field,
            " = CASE WHEN ",
            is_newer!(),
            " THEN excluded.",
            $field,
            " ELSE known.",
            $field,
            " END,\n"
        )
    };
}

/// Assignment of a field of the game, which outlives the broadcast.
macro_rules! game {
    ($field:literal) => {
        concat!(
            $field,
            " = CASE WHEN ",
            is_newer!(),
            " AND coalesce(excluded.current_game_id, excluded.current_game) IS NOT NULL THEN excluded.",
            $field,
            " ELSE known.",
            $field,
            " END,\n"
        )
    };
}

/// `excluded.first_seen_at` is the time of the observation.
const SEEN: &str = concat!(
    "WITH seen AS (
        SELECT DISTINCT ON (platform, platform_channel_id) seen.*
        FROM jsonb_to_recordset($1) AS seen (platform text, platform_channel_id text, source text, login text,
            display_name text, avatar_url text, broadcaster_type text, language text, followers bigint, is_live boolean,
            viewers bigint, game_id text, game text, title text, broadcast_id text, live_since timestamptz,
            live_seen_at timestamptz, seen_at timestamptz)
        ORDER BY platform, platform_channel_id, seen_at DESC
    )
    INSERT INTO public_channels AS known (platform, platform_channel_id, source, login, display_name, avatar_url,
        broadcaster_type, language, followers, followers_at, is_live, current_viewers, current_game_id, current_game,
        current_title, current_broadcast_id, live_since, live_seen_at, last_streamed_at, first_seen_at, profile_at,
        first_party_at)
    SELECT platform, platform_channel_id, source, login, display_name, avatar_url, broadcaster_type, language, followers,
        CASE WHEN followers IS NOT NULL THEN seen_at END, is_live, viewers,
        coalesce(game_id, (SELECT max(known_game.game_id) FROM public_games AS known_game
            WHERE known_game.platform = seen.platform AND lower(known_game.name) = lower(seen.game))),
        game, title, broadcast_id, live_since, live_seen_at, CASE WHEN is_live THEN live_seen_at END, seen_at,
        CASE WHEN coalesce(avatar_url, broadcaster_type) IS NOT NULL THEN seen_at END,
        CASE WHEN source = 'first_party' THEN seen_at END
    FROM seen ORDER BY platform, platform_channel_id
    ON CONFLICT (platform, platform_channel_id) DO UPDATE SET
        source = CASE WHEN excluded.source = 'first_party' THEN excluded.source
            WHEN known.source = 'first_party' AND (known.first_party_at >= excluded.first_seen_at - interval '30 days'
                OR EXISTS (SELECT 1 FROM channel_connections AS connection
                    WHERE connection.platform = known.platform
                        AND connection.platform_channel_id = known.platform_channel_id
                        AND connection.connected_at > 'epoch')) THEN known.source
            ELSE excluded.source END,
        ",
    profile!("login"),
    profile!("display_name"),
    profile!("avatar_url"),
    profile!("broadcaster_type"),
    profile!("language"),
    live!("is_live"),
    live!("current_viewers"),
    live!("current_title"),
    live!("current_broadcast_id"),
    live!("live_since"),
    live!("live_seen_at"),
    game!("current_game_id"),
    game!("current_game"),
    "last_streamed_at = CASE WHEN NOT ",
    is_newer!(),
    " THEN known.last_streamed_at
            WHEN NOT excluded.is_live THEN CASE WHEN known.is_live
                THEN greatest(known.last_streamed_at, known.live_seen_at) ELSE known.last_streamed_at END
            WHEN known.is_live AND known.last_streamed_at > excluded.live_seen_at - interval '10 minutes'
                THEN known.last_streamed_at
            ELSE excluded.live_seen_at END,
        followers = CASE WHEN excluded.followers_at >= coalesce(known.followers_at, '-infinity')
            THEN excluded.followers ELSE known.followers END,
        followers_at = greatest(known.followers_at, excluded.followers_at),
        profile_at = greatest(known.profile_at, excluded.profile_at),
        first_party_at = greatest(known.first_party_at, excluded.first_party_at)
    WHERE NOT known.is_hidden"
);

const OFFLINE: &str = "
    WITH ended AS MATERIALIZED (
        SELECT platform, platform_channel_id FROM public_channels
        WHERE platform = $1 AND platform_channel_id = ANY ($2) AND is_live AND live_seen_at <= $4
            AND ($3 = 'first_party' OR first_party_at IS NULL OR first_party_at < $4 - interval '5 minutes')
        ORDER BY platform, platform_channel_id FOR UPDATE
    )
    UPDATE public_channels AS channel SET is_live = false, current_viewers = NULL, current_title = NULL,
        current_broadcast_id = NULL, live_since = NULL,
        last_streamed_at = greatest(channel.last_streamed_at, channel.live_seen_at), live_seen_at = $4
    FROM ended
    WHERE channel.platform = ended.platform AND channel.platform_channel_id = ended.platform_channel_id";
