//! Queries of the directory.

use api_core::{Result, Timestamp, graphql::Int64};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Double, Nullable, SmallInt, Text, Timestamptz},
};
use foundation::db::{Prepare, Reader};
use shared::platform::Platform;

use super::{BrowseQuery, PublicChannel, statement::Shape};
use crate::lists::{Rows, hours, rounded};

#[derive(QueryableByName)]
struct ListRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    channel: Option<ChannelRow>,
}

#[derive(QueryableByName)]
struct ChannelRow {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    login: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    display_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
    #[diesel(sql_type = Bool)]
    is_live: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    current_viewers: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    current_game: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    language: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    followers: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_streamed_at: Option<Timestamp>,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Double)]
    avg_viewers: f64,
    #[diesel(sql_type = BigInt)]
    peak_viewers: i64,
    #[diesel(sql_type = BigInt)]
    live_secs: i64,
}

impl From<ChannelRow> for PublicChannel {
    fn from(row: ChannelRow) -> Self {
        Self {
            platform: row.platform,
            platform_channel_id: row.platform_channel_id,
            channel_login: row.login,
            channel_display_name: row.display_name,
            avatar_url: row.avatar_url,
            is_live: row.is_live,
            current_viewers: row.current_viewers.filter(|_| row.is_live).map(Int64),
            // The last game is stored beyond the end of a stream.
            current_game: row.current_game.filter(|_| row.is_live),
            language: row.language,
            avg_viewers: rounded(row.avg_viewers),
            peak_viewers: Int64(row.peak_viewers),
            followers: row.followers.map(Int64),
            hours_streamed: hours(row.live_secs),
            last_streamed_at: row.last_streamed_at,
            source: row.source,
        }
    }
}

/// Returns one page of the directory and the number of its channels, in one statement.
pub(super) async fn list(reader: &mut Reader<'_>, query: &BrowseQuery) -> Result<Rows<PublicChannel>> {
    let shape = Shape::of(query);
    let statement = sql_query(shape.sql())
        .bind::<SmallInt, _>(query.range.days())
        .bind::<Nullable<Text>, _>(query.platform.map(Platform::slug))
        .bind::<Nullable<Double>, _>(query.min_viewers.map(f64::from))
        .bind::<Nullable<Double>, _>(query.max_viewers.map(f64::from))
        .bind::<Nullable<Text>, _>(query.language.as_deref())
        .bind::<Nullable<Text>, _>(query.broadcaster_type.as_deref())
        .bind::<Nullable<Bool>, _>(query.is_live)
        .bind::<Nullable<Text>, _>(query.search.as_deref())
        .bind::<Nullable<Text>, _>(query.game.as_deref())
        .bind::<BigInt, _>(query.window.limit)
        .bind::<BigInt, _>(query.window.offset());
    // Combinations of filters are many: a connection would keep each.
    let rows: Vec<ListRow> = if shape.is_common() {
        reader.rows(statement.prepared()).await?
    } else {
        reader.rows(statement).await?
    };
    let total = rows.iter().map(|row| row.total).next().unwrap_or_default();
    let items = rows.into_iter().filter_map(|row| row.channel).map(PublicChannel::from).collect();
    Ok(Rows { items, total })
}
