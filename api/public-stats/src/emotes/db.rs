//! Queries over emotes.

use api_core::{Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Date, Nullable, SmallInt, Text, Timestamptz},
};
use foundation::db::{Prepare, Reader, column};
use shared::platform::Platform;

use super::{EmotesQuery, PublicEmote, PublicEmoteProvider, statement::Shape};
use crate::lists::{Rows, day_before};

#[derive(QueryableByName)]
struct ListRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    emote: Option<EmoteRow>,
}

#[derive(QueryableByName)]
struct EmoteRow {
    #[diesel(sql_type = Text)]
    provider: String,
    #[diesel(sql_type = Text)]
    emote_id: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Text>)]
    url: Option<String>,
    #[diesel(sql_type = Bool)]
    animated: bool,
    #[diesel(sql_type = Timestamptz)]
    first_seen_at: Timestamp,
    #[diesel(sql_type = BigInt)]
    usage_count: i64,
    #[diesel(sql_type = BigInt)]
    channel_count: i64,
}

impl From<EmoteRow> for PublicEmote {
    fn from(row: EmoteRow) -> Self {
        Self {
            emote_id: row.emote_id,
            name: row.name,
            provider: row.provider,
            url: row.url,
            animated: row.animated,
            usage_count: Int64(row.usage_count),
            channel_count: Int64(row.channel_count),
            first_seen_at: row.first_seen_at,
        }
    }
}

/// Returns one page of the catalogue and the number of its emotes, in one statement. `channels` are those of
/// the query's name, with their platforms.
pub(super) async fn list(
    reader: &mut Reader<'_>,
    query: &EmotesQuery,
    channels: &[(String, String)],
    now: DateTime<Utc>,
) -> Result<Rows<PublicEmote>> {
    let days = query.range.days();
    let query = sql_query(Shape::of(query).sql())
        .bind::<SmallInt, _>(days)
        .bind::<Nullable<Text>, _>(query.platform.map(Platform::slug))
        .bind::<Nullable<Text>, _>(query.provider.map(PublicEmoteProvider::as_str))
        .bind::<Nullable<Text>, _>(query.search.as_deref())
        .bind::<Array<Text>, _>(column(channels, |(_, id)| id.as_str()))
        .bind::<Date, _>(day_before(now, days))
        .bind::<BigInt, _>(query.window.limit)
        .bind::<BigInt, _>(query.window.offset())
        .bind::<Array<Text>, _>(column(channels, |(platform, _)| platform.as_str()))
        .prepared();
    let rows: Vec<ListRow> = reader.rows(query).await?;
    let total = rows.iter().map(|row| row.total).next().unwrap_or_default();
    let items = rows.into_iter().filter_map(|row| row.emote).map(PublicEmote::from).collect();
    Ok(Rows { items, total })
}
