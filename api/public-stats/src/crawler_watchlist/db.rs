//! Queries over `crawler_watchlist`.

use api_core::{Result, Timestamp, page::Window};
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::id::{self, UserId};
use uuid::Uuid;

use super::{CrawlerWatchlistEntry, NewEntry};

#[derive(QueryableByName)]
struct ListRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    entry: Option<Row>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    channel: String,
    #[diesel(sql_type = Nullable<Text>)]
    note: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    created_by: Option<Uuid>,
    #[diesel(sql_type = Timestamptz)]
    created_at: Timestamp,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// The list has a bound, so its rows can be counted.
const PAGE: &str = "
    SELECT totals.total, page.* FROM (SELECT count(*) AS total FROM crawler_watchlist) AS totals
    LEFT JOIN (SELECT id, platform, channel, note, created_by, created_at FROM crawler_watchlist
               ORDER BY created_at DESC, id DESC LIMIT $1 OFFSET $2) AS page ON true
    ORDER BY page.created_at DESC, page.id DESC";

const INSERT: &str = "
    INSERT INTO crawler_watchlist (id, platform, channel, note, created_by, created_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
    RETURNING id, platform, channel, note, created_by, created_at";

const DELETE: &str = "
    DELETE FROM crawler_watchlist WHERE id = $1 RETURNING id, platform, channel, note, created_by, created_at";

impl From<Row> for CrawlerWatchlistEntry {
    fn from(row: Row) -> Self {
        let Row { id, platform, channel, note, created_by, created_at } = row;
        Self { id, platform, channel, note, created_by, created_at }
    }
}

/// Returns one page, newest first, and the number of all entries, in one statement.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    window: Window,
) -> Result<(Vec<CrawlerWatchlistEntry>, i64)> {
    let rows: Vec<ListRow> = sql_query(PAGE)
        .bind::<BigInt, _>(window.limit)
        .bind::<BigInt, _>(window.offset())
        .prepared()
        .load(connection)
        .await?;
    let total = rows.iter().map(|row| row.total).next().unwrap_or_default();
    Ok((rows.into_iter().filter_map(|row| row.entry).map(CrawlerWatchlistEntry::from).collect(), total))
}

/// Returns the number of entries. Other additions wait until the transaction ends, so that the count is valid
/// at the insert.
pub(super) async fn lock_and_count(connection: &mut AsyncPgConnection) -> Result<i64> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended('crawler_watchlist', 0))")
        .prepared()
        .execute(connection)
        .await?;
    let counted: Count = sql_query("SELECT count(*) AS count FROM crawler_watchlist")
        .prepared()
        .get_result(connection)
        .await?;
    Ok(counted.count)
}

/// Adds a channel. `None` when the list has it.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    new: &NewEntry,
    (user, now): (UserId, DateTime<Utc>),
) -> Result<Option<CrawlerWatchlistEntry>> {
    let row: Option<Row> = sql_query(INSERT)
        .bind::<SqlUuid, _>(id::new())
        .bind::<Text, _>(new.platform.slug())
        .bind::<Text, _>(&new.channel)
        .bind::<Nullable<Text>, _>(new.note.as_deref())
        .bind::<SqlUuid, _>(user.0)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .get_result(connection)
        .await
        .optional()?;
    Ok(row.map(CrawlerWatchlistEntry::from))
}

/// Removes an entry and returns it; `None` when there is no such entry.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    id: Uuid,
) -> Result<Option<CrawlerWatchlistEntry>> {
    let row: Option<Row> =
        sql_query(DELETE).bind::<SqlUuid, _>(id).prepared().get_result(connection).await.optional()?;
    Ok(row.map(CrawlerWatchlistEntry::from))
}
