//! Sessions that have grown towards the past: their minutes are marked again, because marks of minutes without a
//! session are dropped.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use crate::minutes;

/// Session whose minutes are to be counted again.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct Recount {
    /// Session.
    #[diesel(sql_type = SqlUuid)]
    pub session_id: Uuid,
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// First minute.
    #[diesel(sql_type = Timestamptz)]
    pub recount_from: DateTime<Utc>,
    /// End of the last minute; `None` while open.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub minutes_to: Option<DateTime<Utc>>,
}

/// Sessions whose minutes are to be counted again, at most `limit`.
///
/// # Errors
/// A failure of the database.
pub async fn recounts(postgres: &mut AsyncPgConnection, limit: i64) -> Result<Vec<Recount>> {
    let sql = "SELECT id AS session_id, account_id, recount_from, minutes_to FROM stream_sessions
        WHERE recount_from IS NOT NULL ORDER BY id LIMIT $1";
    Ok(sql_query(sql).bind::<BigInt, _>(limit).prepared().load(postgres).await?)
}

/// Marks the minutes of a session, and then forgets that this was to be done, unless the session has grown since.
/// A process that dies in between marks them twice, which is counted once.
///
/// # Errors
/// A failure of one of the databases.
pub async fn mark_minutes(
    postgres: &mut AsyncPgConnection,
    timeseries: &mut AsyncPgConnection,
    recount: &Recount,
) -> Result<()> {
    minutes::mark_again(timeseries, recount.account_id, recount.recount_from, recount.minutes_to).await?;
    let sql = "UPDATE stream_sessions SET recount_from = NULL WHERE id = $1 AND recount_from = $2";
    sql_query(sql)
        .bind::<SqlUuid, _>(recount.session_id)
        .bind::<Timestamptz, _>(recount.recount_from)
        .prepared()
        .execute(postgres)
        .await?;
    Ok(())
}
