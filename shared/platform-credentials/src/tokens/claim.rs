//! Claims on the refresh of a connection: one process at a time, by the clock of the database
//! (reference/connections.md#concurrency-of-refreshes).

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Bool, Integer, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use tokio::time::Instant;
use uuid::Uuid;

use shared::{Result, id};

/// Right to refresh a connection alone, for one minute.
pub struct Claim {
    /// The connection.
    pub connection_id: Uuid,
    id: Uuid,
    /// Refreshes that failed in a row.
    pub failures: i32,
    /// Time before the database started to count the minute.
    pub taken_at: Instant,
}

#[derive(QueryableByName)]
struct Failures {
    #[diesel(sql_type = Integer)]
    failures: i32,
}

/// Claims a connection; `None` while another process holds it, or while a failed refresh is not to be
/// repeated.
pub async fn take(
    connection: &mut AsyncPgConnection,
    connection_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Claim>> {
    let (claim, taken_at) = (id::new(), Instant::now());
    let sql = "INSERT INTO token_refreshes AS r (connection_id, claim, claimed_until, updated_at) \
               VALUES ($1, $2, clock_timestamp() + interval '1 minute', $3) \
               ON CONFLICT (connection_id) DO UPDATE SET claim = $2, \
                   claimed_until = clock_timestamp() + interval '1 minute', updated_at = $3 \
               WHERE (r.claimed_until IS NULL OR r.claimed_until < clock_timestamp()) \
                   AND (r.retry_at IS NULL OR r.retry_at <= $3) \
               RETURNING failures";
    let taken: Option<Failures> = sql_query(sql)
        .bind::<SqlUuid, _>(connection_id)
        .bind::<SqlUuid, _>(claim)
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await
        .optional()?;
    Ok(taken.map(|Failures { failures }| Claim { connection_id, id: claim, failures, taken_at }))
}

/// Extends a claim that is still held by another minute; false when it is lost. In a transaction, no other
/// process takes the claim before the end of that transaction.
pub async fn renew(connection: &mut AsyncPgConnection, claim: &Claim) -> Result<bool> {
    let sql = "UPDATE token_refreshes SET claimed_until = clock_timestamp() + interval '1 minute' \
               WHERE connection_id = $1 AND claim = $2";
    let renewed = sql_query(sql)
        .bind::<SqlUuid, _>(claim.connection_id)
        .bind::<SqlUuid, _>(claim.id)
        .execute(connection)
        .await?;
    Ok(renewed > 0)
}

/// True while a process is refreshing the connection.
pub async fn is_held(connection: &mut AsyncPgConnection, connection_id: Uuid) -> Result<bool> {
    #[derive(QueryableByName)]
    struct Held {
        #[diesel(sql_type = Bool)]
        held: bool,
    }
    let sql = "SELECT EXISTS (SELECT FROM token_refreshes \
               WHERE connection_id = $1 AND claimed_until >= clock_timestamp()) AS held";
    let held: Held = sql_query(sql).bind::<SqlUuid, _>(connection_id).get_result(connection).await?;
    Ok(held.held)
}

/// Gives a claim up and resets the count of failures.
pub async fn release(connection: &mut AsyncPgConnection, claim: &Claim) -> Result<()> {
    let sql = "DELETE FROM token_refreshes WHERE connection_id = $1 AND claim = $2";
    sql_query(sql)
        .bind::<SqlUuid, _>(claim.connection_id)
        .bind::<SqlUuid, _>(claim.id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Gives a claim up, and blocks new ones until a time.
pub async fn postpone(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    retry_at: DateTime<Utc>,
) -> Result<()> {
    let sql = "UPDATE token_refreshes SET claim = NULL, claimed_until = NULL, failures = failures + 1, retry_at = $3 \
               WHERE connection_id = $1 AND claim = $2";
    sql_query(sql)
        .bind::<SqlUuid, _>(claim.connection_id)
        .bind::<SqlUuid, _>(claim.id)
        .bind::<Timestamptz, _>(retry_at)
        .execute(connection)
        .await?;
    Ok(())
}
