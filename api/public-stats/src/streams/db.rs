//! Queries over `public_streams`.

use api_core::{Result, Timestamp, graphql::Int64};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Double, Jsonb, Nullable, Text, Timestamptz},
};
use foundation::db::{Prepare, Reader};
use serde::de::DeserializeOwned;
use serde_json::Value;
use shared::platform::Platform;

use super::PublicStreamStats;
use crate::lists::rounded;

/// Number of entries of each top list.
const MAX_TOP: usize = 20;

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    broadcast_id: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    display_name: Option<String>,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Nullable<Text>)]
    title: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    category: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    language: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    started_at: Timestamp,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    ended_at: Option<Timestamp>,
    #[diesel(sql_type = Nullable<BigInt>)]
    duration_secs: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    peak_viewers: Option<i64>,
    #[diesel(sql_type = Nullable<Double>)]
    avg_viewers: Option<f64>,
    #[diesel(sql_type = BigInt)]
    total_messages: i64,
    #[diesel(sql_type = BigInt)]
    emote_count: i64,
    #[diesel(sql_type = Jsonb)]
    top_emotes: Value,
    #[diesel(sql_type = BigInt)]
    gif_count: i64,
    #[diesel(sql_type = Jsonb)]
    top_gifs: Value,
    #[diesel(sql_type = Nullable<Jsonb>)]
    top_chatters: Option<Value>,
}

/// Chatters are read only where every account that has connected the channel allows it, and one has. Settings of
/// accounts that have not, count nothing.
const FIND: &str = "
    SELECT streams.platform, streams.broadcast_id, streams.platform_channel_id, channels.display_name, streams.source,
        streams.title, streams.category, streams.language, streams.started_at, streams.ended_at,
        streams.duration_secs, streams.peak_viewers, streams.avg_viewers, streams.total_messages,
        streams.emote_count, streams.top_emotes, streams.gif_count, streams.top_gifs,
        CASE WHEN (SELECT bool_and(coalesce(settings.show_top_chatters, false))
                   FROM channel_connections AS connections
                   LEFT JOIN public_channel_settings AS settings ON settings.account_id = connections.account_id
                       AND settings.platform = connections.platform
                       AND settings.platform_channel_id = connections.platform_channel_id
                   WHERE connections.platform = streams.platform
                       AND connections.platform_channel_id = streams.platform_channel_id
                       AND connections.connected_at > 'epoch')
            THEN coalesce(streams.top_chatters, '[]') END AS top_chatters
    FROM public_streams AS streams
    JOIN public_channels AS channels ON channels.platform = streams.platform
        AND channels.platform_channel_id = streams.platform_channel_id AND NOT channels.is_hidden
    WHERE streams.platform = $1 AND streams.broadcast_id = $2";

impl From<Row> for PublicStreamStats {
    fn from(row: Row) -> Self {
        Self {
            platform: row.platform,
            broadcast_id: row.broadcast_id,
            platform_channel_id: row.platform_channel_id,
            channel_display_name: row.display_name,
            source: row.source,
            title: row.title,
            category: row.category,
            language: row.language,
            started_at: row.started_at,
            ended_at: row.ended_at,
            duration_secs: row.duration_secs.map(Int64),
            peak_viewers: row.peak_viewers.map(Int64),
            avg_viewers: row.avg_viewers.map(rounded),
            total_messages: Int64(row.total_messages),
            emote_count: Int64(row.emote_count),
            top_emotes: top(row.top_emotes),
            gif_count: Int64(row.gif_count),
            top_gifs: top(row.top_gifs),
            top_chatters: row.top_chatters.map(top),
        }
    }
}

/// Entries of a stored list; those of another shape are left out.
fn top<T: DeserializeOwned>(stored: Value) -> Vec<T> {
    let Value::Array(entries) = stored else { return Vec::new() };
    entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).take(MAX_TOP).collect()
}

/// Finds a stream whose channel is shown.
pub(super) async fn find(
    reader: &mut Reader<'_>,
    platform: Platform,
    broadcast_id: &str,
) -> Result<Option<PublicStreamStats>> {
    let query = sql_query(FIND).bind::<Text, _>(platform.slug()).bind::<Text, _>(broadcast_id).prepared();
    let row: Option<Row> = reader.row(query).await.optional()?;
    Ok(row.map(PublicStreamStats::from))
}

#[cfg(test)]
mod tests {
    use super::{super::PublicStreamChatter, *};

    #[test]
    fn top_leaves_out_ids_and_malformed_entries() {
        let stored = serde_json::json!([
            { "platform": "twitch", "platform_user_id": "7", "display_name": "Ann", "message_count": 3 },
            { "display_name": "Bob" }, 4,
        ]);
        let listed: Vec<PublicStreamChatter> = top(stored);
        let shown = serde_json::to_value(&listed).unwrap();
        assert_eq!(shown, serde_json::json!([{ "display_name": "Ann", "message_count": 3 }]));
        assert_eq!(top::<PublicStreamChatter>(Value::Null), Vec::new());
    }
}
