//! Journal of status changes, from which sessions are made (reference/history.md#sessions).
//!
//! It is written in the statement that stores a status (`connection_model::status`). The rows of one broadcast are in
//! the order of their ids; those of several platforms may have been committed in another order than that of
//! their times.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

/// Transitions of an account that one transaction applies. More follow in the next one.
pub const BATCH_SIZE: i64 = 1000;

/// Changed status of a broadcast.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct Transition {
    /// Number.
    #[diesel(sql_type = BigInt)]
    pub id: i64,
    /// Platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Channel on the platform.
    #[diesel(sql_type = Text)]
    pub platform_channel_id: String,
    /// Broadcast on the platform; `None` where a channel has one.
    #[diesel(sql_type = Nullable<Text>)]
    pub broadcast_id: Option<String>,
    /// True while on air.
    #[diesel(sql_type = Bool)]
    pub is_online: bool,
    /// Title.
    #[diesel(sql_type = Nullable<Text>)]
    pub title: Option<String>,
    /// Category.
    #[diesel(sql_type = Nullable<Text>)]
    pub category: Option<String>,
    /// Start by the platform's statement.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub started_at: Option<DateTime<Utc>>,
    /// Time of the observation.
    #[diesel(sql_type = Timestamptz)]
    pub at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Account {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

#[derive(QueryableByName)]
struct Oldest {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    at: Option<DateTime<Utc>>,
}

const WAITING: &str = "
    SELECT account_id FROM stream_transitions GROUP BY account_id ORDER BY min(id) LIMIT $1";

const LOAD: &str = "
    SELECT id, platform, platform_channel_id, broadcast_id, is_online, title, category, started_at, at
    FROM stream_transitions WHERE account_id = $1 ORDER BY id LIMIT $2";

/// Broadcasts of sessions and statuses that disagree although no transition waits. Statuses are deleted with
/// their connection, and exist from before the journal; two observations at the same moment may also miss the
/// change between them.
const RECONCILE: &str = "
    WITH missing AS (
        SELECT status.account_id, status.platform, connection.platform_channel_id, status.broadcast_id,
            true AS is_online, status.stream_title, status.category, status.started_at, status.updated_at AS at
        FROM channel_statuses status
        JOIN channel_connections connection
            ON connection.account_id = status.account_id AND connection.platform = status.platform
        WHERE status.is_online AND NOT EXISTS (
            SELECT 1 FROM stream_broadcasts broadcast
            WHERE broadcast.account_id = status.account_id AND broadcast.ended_at IS NULL
                AND broadcast.platform = status.platform
                AND broadcast.platform_channel_id = connection.platform_channel_id
                AND broadcast.broadcast_id = coalesce(status.broadcast_id, broadcast.id::text))
    ), leftover AS (
        SELECT broadcast.account_id, broadcast.platform, broadcast.platform_channel_id,
            CASE WHEN broadcast.broadcast_id <> broadcast.id::text THEN broadcast.broadcast_id END AS broadcast_id,
            false AS is_online, NULL::text AS stream_title, NULL::text AS category, NULL::timestamptz AS started_at,
            coalesce((
                SELECT max(status.updated_at) FROM channel_statuses status
                WHERE status.account_id = broadcast.account_id AND status.platform = broadcast.platform
                    AND NOT status.is_online AND coalesce(status.broadcast_id, broadcast.id::text) = broadcast.broadcast_id
            ), $1) AS at
        FROM stream_broadcasts broadcast
        WHERE broadcast.ended_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM channel_statuses status
            JOIN channel_connections connection
                ON connection.account_id = status.account_id AND connection.platform = status.platform
            WHERE status.account_id = broadcast.account_id AND status.platform = broadcast.platform AND status.is_online
                AND connection.platform_channel_id = broadcast.platform_channel_id
                AND coalesce(status.broadcast_id, broadcast.id::text) = broadcast.broadcast_id)
    )
    INSERT INTO stream_transitions (account_id, platform, platform_channel_id, broadcast_id, is_online, title, category,
        started_at, at)
    SELECT found.* FROM (SELECT * FROM leftover UNION ALL SELECT * FROM missing) found
    WHERE NOT EXISTS (SELECT 1 FROM stream_transitions waiting WHERE waiting.account_id = found.account_id)
    LIMIT $2";

/// Time of the oldest transition that is not applied yet.
///
/// # Errors
/// A failure of the database.
pub async fn oldest(postgres: &mut AsyncPgConnection) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT min(at) AS at FROM stream_transitions";
    let row: Oldest = sql_query(sql).prepared().get_result(postgres).await?;
    Ok(row.at)
}

/// Accounts with transitions that are not applied yet, the one that waits for most time first.
///
/// # Errors
/// A failure of the database.
pub async fn waiting_accounts(postgres: &mut AsyncPgConnection, limit: i64) -> Result<Vec<Uuid>> {
    let rows: Vec<Account> = sql_query(WAITING).bind::<BigInt, _>(limit).prepared().load(postgres).await?;
    Ok(rows.into_iter().map(|row| row.account_id).collect())
}

/// Oldest transitions of an account, at most [`BATCH_SIZE`].
///
/// # Errors
/// A failure of the database.
pub async fn load(postgres: &mut AsyncPgConnection, account: Uuid) -> Result<Vec<Transition>> {
    Ok(sql_query(LOAD)
        .bind::<SqlUuid, _>(account)
        .bind::<BigInt, _>(BATCH_SIZE)
        .prepared()
        .load(postgres)
        .await?)
}

/// Deletes transitions that were applied, in the transaction that applied them.
///
/// # Errors
/// A failure of the database.
pub async fn delete(postgres: &mut AsyncPgConnection, transitions: &[Transition]) -> Result<()> {
    if transitions.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = transitions.iter().map(|transition| transition.id).collect();
    sql_query("DELETE FROM stream_transitions WHERE id = ANY ($1)")
        .bind::<Array<BigInt>, _>(ids)
        .prepared()
        .execute(postgres)
        .await?;
    Ok(())
}

/// Writes the transitions that lead from the broadcasts of sessions to the present statuses, where these differ
/// and nothing waits; at most `limit`. Returns their number.
///
/// # Errors
/// A failure of the database.
pub async fn reconcile(postgres: &mut AsyncPgConnection, now: DateTime<Utc>, limit: i64) -> Result<usize> {
    Ok(sql_query(RECONCILE)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(limit)
        .prepared()
        .execute(postgres)
        .await?)
}
