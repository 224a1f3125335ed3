//! Queries over `watchlist_entries`. Each carries the person.

use api_core::{Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{
    id::{self, UserId},
    platform::Platform,
};
use uuid::Uuid;

use super::{MAX_ENTRIES, WatchlistEntry};

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    display_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
    #[diesel(sql_type = Bool)]
    is_live: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    current_viewers: Option<i64>,
    #[diesel(sql_type = Timestamptz)]
    added_at: Timestamp,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    found: bool,
}

const LIST: &str = "
    SELECT entries.id, entries.platform, entries.platform_channel_id, channels.display_name, channels.avatar_url,
        coalesce(channels.is_live, false) AS is_live, channels.current_viewers, entries.added_at
    FROM watchlist_entries AS entries
    LEFT JOIN public_channels AS channels ON channels.platform = entries.platform
        AND channels.platform_channel_id = entries.platform_channel_id
    WHERE entries.user_id = $1 AND channels.is_hidden IS NOT TRUE
    ORDER BY entries.added_at DESC, entries.id DESC LIMIT $2";

/// Entries of hidden channels are not shown, so they do not count.
const COUNT: &str = "
    SELECT count(*) AS count FROM watchlist_entries AS entries
    LEFT JOIN public_channels AS channels ON channels.platform = entries.platform
        AND channels.platform_channel_id = entries.platform_channel_id
    WHERE entries.user_id = $1 AND channels.is_hidden IS NOT TRUE";

const HAS: &str = "
    SELECT EXISTS (SELECT FROM watchlist_entries
        WHERE user_id = $1 AND platform = $2 AND platform_channel_id = $3) AS found";

const IS_KNOWN: &str = "
    SELECT EXISTS (SELECT FROM public_channels WHERE platform = $1 AND platform_channel_id = $2) AS found";

const INSERT: &str = "
    WITH added AS (
        INSERT INTO watchlist_entries (id, user_id, platform, platform_channel_id, added_at)
        VALUES ($1, $2, $3, $4, $5) RETURNING id, platform, platform_channel_id, added_at)
    SELECT added.id, added.platform, added.platform_channel_id, channels.display_name, channels.avatar_url,
        coalesce(channels.is_live, false) AS is_live, channels.current_viewers, added.added_at
    FROM added LEFT JOIN public_channels AS channels ON channels.platform = added.platform
        AND channels.platform_channel_id = added.platform_channel_id";

impl From<Row> for WatchlistEntry {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            platform: row.platform,
            platform_channel_id: row.platform_channel_id,
            channel_display_name: row.display_name,
            avatar_url: row.avatar_url,
            is_live: row.is_live,
            current_viewers: row.current_viewers.filter(|_| row.is_live).map(Int64),
            added_at: row.added_at,
        }
    }
}

pub(super) async fn list(connection: &mut AsyncPgConnection, user: UserId) -> Result<Vec<WatchlistEntry>> {
    let rows: Vec<Row> = sql_query(LIST)
        .bind::<SqlUuid, _>(user.0)
        .bind::<BigInt, _>(MAX_ENTRIES)
        .prepared()
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(WatchlistEntry::from).collect())
}

/// Keeps other changes of the person's list away until the transaction ends.
pub(super) async fn lock(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("watchlist:{}", user.0))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn count(connection: &mut AsyncPgConnection, user: UserId) -> Result<i64> {
    let counted: Count =
        sql_query(COUNT).bind::<SqlUuid, _>(user.0).prepared().get_result(connection).await?;
    Ok(counted.count)
}

/// True when the list has the channel.
pub(super) async fn has(
    connection: &mut AsyncPgConnection,
    user: UserId,
    platform: Platform,
    channel: &str,
) -> Result<bool> {
    let has: Found = sql_query(HAS)
        .bind::<SqlUuid, _>(user.0)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(channel)
        .prepared()
        .get_result(connection)
        .await?;
    Ok(has.found)
}

/// True when the public statistics have the channel, hidden or not.
pub(super) async fn is_known(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channel: &str,
) -> Result<bool> {
    let known: Found = sql_query(IS_KNOWN)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(channel)
        .prepared()
        .get_result(connection)
        .await?;
    Ok(known.found)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    user: UserId,
    platform: Platform,
    channel: &str,
    now: DateTime<Utc>,
) -> Result<WatchlistEntry> {
    let row: Row = sql_query(INSERT)
        .bind::<SqlUuid, _>(id::new())
        .bind::<SqlUuid, _>(user.0)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(channel)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .get_result(connection)
        .await?;
    Ok(row.into())
}

/// Removes an entry. False when the person has no such entry.
pub(super) async fn delete(connection: &mut AsyncPgConnection, user: UserId, id: Uuid) -> Result<bool> {
    let deleted = sql_query("DELETE FROM watchlist_entries WHERE user_id = $1 AND id = $2")
        .bind::<SqlUuid, _>(user.0)
        .bind::<SqlUuid, _>(id)
        .prepared()
        .execute(connection)
        .await?;
    Ok(deleted > 0)
}
