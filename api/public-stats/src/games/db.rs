//! Queries over games.

use api_core::{Result, graphql::Int64};
use chrono::NaiveDate;
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Date, Double, Nullable, SmallInt, Text},
};
use foundation::db::{Prepare, Reader};
use shared::platform::Platform;

use super::{
    GamesQuery, PublicGame,
    objects::{PublicGameChannel, PublicGameDay},
    statement::Shape,
};
use crate::lists::{Rows, rounded};

/// Number of channels in the answer of a game.
const MAX_TOP_CHANNELS: i64 = 25;

#[derive(QueryableByName)]
struct ListRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    game: Option<GameRow>,
}

#[derive(QueryableByName)]
struct GameRow {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    game_id: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Text>)]
    box_art_url: Option<String>,
    #[diesel(sql_type = BigInt)]
    live_viewers: i64,
    #[diesel(sql_type = BigInt)]
    live_channels: i64,
    #[diesel(sql_type = Double)]
    avg_viewers: f64,
    #[diesel(sql_type = BigInt)]
    peak_viewers: i64,
    #[diesel(sql_type = Double)]
    hours_watched: f64,
}

#[derive(QueryableByName)]
struct ChannelRow {
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    login: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    display_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    current_viewers: Option<i64>,
    #[diesel(sql_type = Double)]
    avg_viewers: f64,
    #[diesel(sql_type = BigInt)]
    peak_viewers: i64,
}

#[derive(QueryableByName)]
struct DayRow {
    #[diesel(sql_type = Date)]
    day: NaiveDate,
    #[diesel(sql_type = Double)]
    avg_viewers: f64,
}

const FIND: &str = "
    SELECT games.platform, games.game_id, games.name, games.box_art_url, games.live_viewers, games.live_channels,
        coalesce(ranges.avg_viewers, 0) AS avg_viewers, coalesce(ranges.peak_viewers, 0) AS peak_viewers,
        coalesce(ranges.hours_watched, 0) AS hours_watched
    FROM public_games AS games
    LEFT JOIN public_game_ranges AS ranges ON ranges.range_days = $3 AND ranges.platform = games.platform
        AND ranges.game_id = games.game_id
    WHERE games.platform = $1 AND games.game_id = $2";

const TOP_CHANNELS: &str = "
    SELECT live.*, coalesce(range.avg_viewers, 0) AS avg_viewers, coalesce(range.peak_viewers, 0) AS peak_viewers
    FROM (SELECT platform_channel_id, login, display_name, avatar_url, current_viewers FROM public_channels
          WHERE is_live AND platform = $1 AND current_game_id = $2 AND NOT is_hidden
          ORDER BY current_viewers DESC NULLS LAST, platform_channel_id LIMIT $4) AS live
    LEFT JOIN LATERAL (SELECT * FROM public_channel_ranges AS ranges
          WHERE ranges.range_days = $3 AND ranges.platform = $1
              AND ranges.platform_channel_id = live.platform_channel_id OFFSET 0) AS range ON true
    ORDER BY live.current_viewers DESC NULLS LAST, live.platform_channel_id";

/// A slot has five minutes.
const DAYS: &str = "
    SELECT day, viewer_secs::double precision / (slot_count * 300) AS avg_viewers
    FROM public_game_days
    WHERE platform = $1 AND game_id = $2 AND day > $3 AND day <= $4 AND slot_count > 0 ORDER BY day";

impl From<GameRow> for PublicGame {
    fn from(row: GameRow) -> Self {
        Self {
            game_id: row.game_id,
            name: row.name,
            box_art_url: row.box_art_url,
            platform: row.platform,
            live_viewers: Int64(row.live_viewers),
            live_channels: Int64(row.live_channels),
            avg_viewers: rounded(row.avg_viewers),
            peak_viewers: Int64(row.peak_viewers),
            hours_watched: rounded(row.hours_watched),
        }
    }
}

impl From<ChannelRow> for PublicGameChannel {
    fn from(row: ChannelRow) -> Self {
        Self {
            platform_channel_id: row.platform_channel_id,
            channel_login: row.login,
            channel_display_name: row.display_name,
            avatar_url: row.avatar_url,
            current_viewers: row.current_viewers.map(Int64),
            avg_viewers: rounded(row.avg_viewers),
            peak_viewers: Int64(row.peak_viewers),
        }
    }
}

impl From<DayRow> for PublicGameDay {
    fn from(row: DayRow) -> Self {
        Self { date: row.day.to_string(), avg_viewers: rounded(row.avg_viewers) }
    }
}

/// Returns one page of the directory and the number of its games, in one statement.
pub(super) async fn list(reader: &mut Reader<'_>, query: &GamesQuery) -> Result<Rows<PublicGame>> {
    let query = sql_query(Shape::of(query).sql())
        .bind::<SmallInt, _>(query.range.days())
        .bind::<Nullable<Text>, _>(query.platform.map(Platform::slug))
        .bind::<Nullable<Text>, _>(query.search.as_deref())
        .bind::<BigInt, _>(query.window.limit)
        .bind::<BigInt, _>(query.window.offset())
        .prepared();
    let rows: Vec<ListRow> = reader.rows(query).await?;
    let total = rows.iter().map(|row| row.total).next().unwrap_or_default();
    let items = rows.into_iter().filter_map(|row| row.game).map(PublicGame::from).collect();
    Ok(Rows { items, total })
}

pub(super) async fn find(
    reader: &mut Reader<'_>,
    (platform, id): (Platform, &str),
    days: i16,
) -> Result<Option<PublicGame>> {
    let query = sql_query(FIND)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .bind::<SmallInt, _>(days)
        .prepared();
    let row: Option<GameRow> = reader.row(query).await.optional()?;
    Ok(row.map(PublicGame::from))
}

/// Lists the channels that are on air in a game, most viewers first.
pub(super) async fn top_channels(
    reader: &mut Reader<'_>,
    (platform, id): (Platform, &str),
    days: i16,
) -> Result<Vec<PublicGameChannel>> {
    let query = sql_query(TOP_CHANNELS)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .bind::<SmallInt, _>(days)
        .bind::<BigInt, _>(MAX_TOP_CHANNELS)
        .prepared();
    let rows: Vec<ChannelRow> = reader.rows(query).await?;
    Ok(rows.into_iter().map(PublicGameChannel::from).collect())
}

/// Lists the days of a game after the first and up to the last of `window`, oldest first.
pub(super) async fn days(
    reader: &mut Reader<'_>,
    (platform, id): (Platform, &str),
    (after, until): (NaiveDate, NaiveDate),
) -> Result<Vec<PublicGameDay>> {
    let query = sql_query(DAYS)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(id)
        .bind::<Date, _>(after)
        .bind::<Date, _>(until)
        .prepared();
    let rows: Vec<DayRow> = reader.rows(query).await?;
    Ok(rows.into_iter().map(PublicGameDay::from).collect())
}
