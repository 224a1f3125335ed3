//! Statements over stored requests.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Binary, Bool, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use uuid::Uuid;

use super::{
    answer::NewAnswer,
    entry::{Entry, Row},
};
use crate::Result;

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    is_locked: bool,
}

/// Locks a request until the transaction ends; false when another transaction has it.
pub(super) async fn try_lock(connection: &mut AsyncPgConnection, request: Uuid) -> Result<bool> {
    let [a, b, c, d, e, f, g, h, ..] = request.into_bytes();
    let locked: Locked = sql_query("SELECT pg_try_advisory_xact_lock($1) AS is_locked")
        .bind::<BigInt, _>(i64::from_be_bytes([a, b, c, d, e, f, g, h]))
        .prepared()
        .get_result(connection)
        .await?;
    Ok(locked.is_locked)
}

/// Reads a request that began after a time. The id of the request is a hash of its caller.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    request: Uuid,
    since: DateTime<Utc>,
) -> Result<Option<Row>> {
    Ok(sql_query(
        "SELECT id, fingerprint, status, headers, answer::text AS answer, sealed_answer, started_at, created_at
         FROM idempotent_requests WHERE request = $1 AND created_at > $2",
    )
    .bind::<SqlUuid, _>(request)
    .bind::<Timestamptz, _>(since)
    .prepared()
    .get_result(connection)
    .await
    .optional()?)
}

/// Writes a request, with its answer or as a claim. It replaces a row that has expired and is not deleted yet; false
/// when another one exists.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    entry: &Entry,
    answer: Option<&NewAnswer>,
    expired: DateTime<Utc>,
) -> Result<bool> {
    let written = sql_query(
        "INSERT INTO idempotent_requests AS stored (id, request, account_id, user_id, operation, fingerprint,
             status, headers, answer, sealed_answer, started_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, $10, $11, $11)
         ON CONFLICT (request) DO UPDATE SET id = excluded.id, account_id = excluded.account_id,
             user_id = excluded.user_id, operation = excluded.operation, fingerprint = excluded.fingerprint,
             status = excluded.status, headers = excluded.headers, answer = excluded.answer,
             sealed_answer = excluded.sealed_answer, started_at = excluded.started_at,
             created_at = excluded.created_at
         WHERE stored.created_at <= $12",
    )
    .bind::<SqlUuid, _>(entry.id)
    .bind::<SqlUuid, _>(entry.request)
    .bind::<Nullable<SqlUuid>, _>(entry.account)
    .bind::<Nullable<SqlUuid>, _>(entry.user)
    .bind::<Text, _>(entry.rule.name)
    .bind::<Binary, _>(entry.fingerprint.as_slice())
    .bind::<Nullable<SmallInt>, _>(answer.map(|answer| answer.status))
    .bind::<Nullable<Jsonb>, _>(answer.map(|answer| &answer.headers))
    .bind::<Nullable<Text>, _>(answer.and_then(|answer| answer.text.as_deref()))
    .bind::<Nullable<Binary>, _>(answer.and_then(|answer| answer.sealed.as_deref()))
    .bind::<Timestamptz, _>(entry.started_at)
    .bind::<Timestamptz, _>(expired)
    .prepared()
    .execute(connection)
    .await?;
    Ok(written == 1)
}

/// Takes over a claim that was lost; false when another request did.
pub(super) async fn take_over(
    connection: &mut AsyncPgConnection,
    request: Uuid,
    lost: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let taken = sql_query(
        "UPDATE idempotent_requests SET started_at = $3 WHERE request = $1 AND started_at = $2 AND status IS NULL",
    )
    .bind::<SqlUuid, _>(request)
    .bind::<Timestamptz, _>(lost)
    .bind::<Timestamptz, _>(now)
    .prepared()
    .execute(connection)
    .await?;
    Ok(taken == 1)
}

/// Stores the answer of a claim.
pub(super) async fn finish(
    connection: &mut AsyncPgConnection,
    entry: &Entry,
    answer: &NewAnswer,
) -> Result<()> {
    sql_query(
        "UPDATE idempotent_requests SET status = $3, headers = $4, answer = $5::json, sealed_answer = $6
         WHERE request = $1 AND started_at = $2 AND status IS NULL",
    )
    .bind::<SqlUuid, _>(entry.request)
    .bind::<Timestamptz, _>(entry.started_at)
    .bind::<SmallInt, _>(answer.status)
    .bind::<Jsonb, _>(&answer.headers)
    .bind::<Nullable<Text>, _>(answer.text.as_deref())
    .bind::<Nullable<Binary>, _>(answer.sealed.as_deref())
    .prepared()
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes a claim that had no effect.
pub(super) async fn release(connection: &mut AsyncPgConnection, entry: &Entry) -> Result<()> {
    sql_query("DELETE FROM idempotent_requests WHERE request = $1 AND started_at = $2 AND status IS NULL")
        .bind::<SqlUuid, _>(entry.request)
        .bind::<Timestamptz, _>(entry.started_at)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Lets the next request take over a claim that its operation can complete.
pub(super) async fn reopen(connection: &mut AsyncPgConnection, entry: &Entry) -> Result<()> {
    sql_query(
        "UPDATE idempotent_requests SET started_at = to_timestamp(0)
         WHERE request = $1 AND started_at = $2 AND status IS NULL",
    )
    .bind::<SqlUuid, _>(entry.request)
    .bind::<Timestamptz, _>(entry.started_at)
    .prepared()
    .execute(connection)
    .await?;
    Ok(())
}
