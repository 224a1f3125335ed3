//! Queries over the due endpoints of all accounts, and the deliveries of a claimed one.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Bytea, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::Result;
use uuid::Uuid;
use webhook_model::event_types::TEST;

/// Due endpoints that one statement reads for each that it claims: those of accounts that have their share already are
/// passed over.
const CANDIDATES: i64 = 4;
/// Lifetime of the lease of an endpoint, by the clock of the database; it is renewed before each attempt. It is longer than
/// the attempt with the reads around it (reference/webhooks.md#delivery).
const LEASE_TTL: TimeDelta = TimeDelta::seconds(60);

/// Endpoint that this copy sends to under a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, QueryableByName)]
pub(crate) struct Claim {
    /// Endpoint.
    #[diesel(sql_type = SqlUuid)]
    pub endpoint_id: Uuid,
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Owner of the lease: the claim, not the copy, so that a claim whose lease has ended notices it although the same
    /// copy has claimed the endpoint anew.
    #[diesel(sql_type = SqlUuid)]
    pub owner: Uuid,
}

/// First waiting delivery of an endpoint, with what its attempt needs.
#[derive(Debug, Clone, QueryableByName)]
pub(crate) struct Head {
    /// Delivery.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Event or chat message.
    #[diesel(sql_type = SqlUuid)]
    pub event_id: Uuid,
    /// Type.
    #[diesel(sql_type = Text)]
    pub event_type: String,
    /// Time of the event.
    #[diesel(sql_type = Timestamptz)]
    pub occurred_at: DateTime<Utc>,
    /// True for a test or replay.
    #[diesel(sql_type = Bool)]
    pub is_immediate: bool,
    /// End of the time for attempts.
    #[diesel(sql_type = Timestamptz)]
    pub expires_at: DateTime<Utc>,
    /// Address.
    #[diesel(sql_type = Text)]
    pub url: String,
    /// Types that the endpoint receives.
    #[diesel(sql_type = Array<Text>)]
    pub event_types: Vec<String>,
    /// Sealed secret.
    #[diesel(sql_type = Bytea)]
    pub secret: Vec<u8>,
    /// Sealed secret before a rotation, while it signs too.
    #[diesel(sql_type = Nullable<Bytea>)]
    pub previous_secret: Option<Vec<u8>>,
    /// Place in the trace of the request that caused it.
    #[diesel(sql_type = Nullable<Text>)]
    pub traceparent: Option<String>,
    /// Value of `tracestate` that belongs to it.
    #[diesel(sql_type = Nullable<Text>)]
    pub tracestate: Option<String>,
}

/// Address and failures of a locked endpoint.
#[derive(Debug, Clone, QueryableByName)]
pub(crate) struct State {
    /// Address.
    #[diesel(sql_type = Text)]
    pub url: String,
    /// False when it was disabled meanwhile.
    #[diesel(sql_type = Bool)]
    pub is_enabled: bool,
    /// Number of failures since the last success.
    #[diesel(sql_type = Integer)]
    pub failure_count: i32,
    /// Time of the first one.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub failing_since: Option<DateTime<Utc>>,
    /// Time of the last attempt.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub last_attempt_at: Option<DateTime<Utc>>,
}

/// Outcome of an attempt in the columns of its delivery.
#[derive(Debug, Clone)]
pub(crate) struct Record<'a> {
    /// `pending`, `delivered` or `failed`.
    pub status: &'a str,
    /// HTTP status, if there was an answer.
    pub status_code: Option<i32>,
    /// Reason of a failure.
    pub error: Option<&'a str>,
    /// Begin of the answer.
    pub excerpt: Option<&'a str>,
    /// Duration, if a request was sent.
    pub duration_ms: Option<i32>,
    /// Time of the next attempt.
    pub next_attempt_at: Option<DateTime<Utc>>,
}

/// Claims the endpoints that are due for the longest time: at most `limit`, and of each account only what is left of its
/// share. `busy` are the numbers of endpoints of accounts that this copy sends to now.
pub(crate) async fn claim(
    connection: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    busy: &[(Uuid, i64)],
    (limit, share): (i64, i64),
) -> Result<Vec<Claim>> {
    const CLAIM: &str = "
        WITH oldest AS (
            SELECT endpoint.id, endpoint.account_id, endpoint.due_at FROM webhook_endpoints AS endpoint
            WHERE endpoint.due_at <= $1 AND (endpoint.lease_until IS NULL OR endpoint.lease_until <= now())
                AND endpoint.account_id <> ALL ($6)
            ORDER BY endpoint.due_at, endpoint.id LIMIT $7
        ), placed AS (
            SELECT oldest.id, oldest.due_at, coalesce(busy.endpoints, 0)
                + row_number() OVER (PARTITION BY oldest.account_id ORDER BY oldest.due_at, oldest.id) AS place
            FROM oldest LEFT JOIN unnest($4, $5) AS busy (account_id, endpoints) USING (account_id)
        ), picked AS (
            SELECT endpoint.id FROM placed JOIN webhook_endpoints AS endpoint ON endpoint.id = placed.id
            WHERE placed.place <= $9
                AND endpoint.due_at <= $1 AND (endpoint.lease_until IS NULL OR endpoint.lease_until <= now())
            ORDER BY placed.place, placed.due_at, endpoint.id LIMIT $8
            FOR NO KEY UPDATE OF endpoint SKIP LOCKED
        )
        UPDATE webhook_endpoints AS endpoint SET lease_owner = $2, lease_until = now() + $3 * interval '1 second'
        FROM picked WHERE endpoint.id = picked.id
        RETURNING endpoint.id AS endpoint_id, endpoint.account_id, endpoint.lease_owner AS owner";
    let full: Vec<Uuid> =
        busy.iter().filter(|(_, endpoints)| *endpoints >= share).map(|(account, _)| *account).collect();
    Ok(sql_query(CLAIM)
        .bind::<Timestamptz, _>(now)
        .bind::<SqlUuid, _>(shared::id::new())
        .bind::<BigInt, _>(LEASE_TTL.num_seconds())
        .bind::<Array<SqlUuid>, _>(column(busy, |(account, _)| *account))
        .bind::<Array<BigInt>, _>(column(busy, |(_, endpoints)| *endpoints))
        .bind::<Array<SqlUuid>, _>(full)
        .bind::<BigInt, _>(limit.saturating_mul(CANDIDATES))
        .bind::<BigInt, _>(limit)
        .bind::<BigInt, _>(share)
        .prepared()
        .load(connection)
        .await?)
}

/// Renews the lease and returns the delivery to send next; `None` when nothing can be sent now, or the lease is lost. A
/// disabled endpoint gets tests only.
pub(crate) async fn next(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    now: DateTime<Utc>,
) -> Result<Option<Head>> {
    const NEXT: &str = "
        WITH head AS (
            SELECT endpoint.id AS endpoint_id, delivery.* FROM webhook_endpoints AS endpoint
            CROSS JOIN LATERAL (
                SELECT id, event_id, event_type, occurred_at, is_immediate, expires_at, traceparent, tracestate
                FROM webhook_deliveries
                WHERE endpoint_id = endpoint.id AND status = 'pending' AND expires_at > $4 AND (
                    event_type = $6
                    OR endpoint.is_enabled
                        AND (is_immediate OR endpoint.retry_at IS NULL OR endpoint.retry_at <= $4))
                ORDER BY is_immediate DESC, occurred_at, event_id LIMIT 1
            ) AS delivery
            WHERE endpoint.account_id = $1 AND endpoint.id = $2
        )
        UPDATE webhook_endpoints AS endpoint SET lease_until = now() + $5 * interval '1 second'
        FROM head WHERE endpoint.account_id = $1 AND endpoint.id = head.endpoint_id AND endpoint.lease_owner = $3
        RETURNING head.id, head.event_id, head.event_type, head.occurred_at, head.is_immediate, head.expires_at,
            head.traceparent, head.tracestate, endpoint.url, endpoint.event_types, endpoint.secret,
            CASE WHEN endpoint.previous_secret_until > $4 THEN endpoint.previous_secret END AS previous_secret";
    Ok(sql_query(NEXT)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.endpoint_id)
        .bind::<SqlUuid, _>(claim.owner)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(LEASE_TTL.num_seconds())
        .bind::<Text, _>(TEST)
        .prepared()
        .get_result(connection)
        .await
        .optional()?)
}

/// Locks a claimed endpoint until the transaction ends; `None` when it is deleted, or another claim has the lease.
pub(crate) async fn lock(connection: &mut AsyncPgConnection, claim: &Claim) -> Result<Option<State>> {
    const LOCK: &str = "
        SELECT url, is_enabled, failure_count, failing_since, last_attempt_at FROM webhook_endpoints
        WHERE account_id = $1 AND id = $2 AND lease_owner = $3 FOR NO KEY UPDATE";
    Ok(sql_query(LOCK)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.endpoint_id)
        .bind::<SqlUuid, _>(claim.owner)
        .prepared()
        .get_result(connection)
        .await
        .optional()?)
}

/// Stores the outcome of an attempt.
pub(crate) async fn record(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    delivery: Uuid,
    record: &Record<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    const RECORD: &str = "
        UPDATE webhook_deliveries SET status = $4, attempts = attempts + 1, last_attempt_at = $5,
            last_status_code = $6, last_error = $7, response_excerpt = $8, duration_ms = $9, next_attempt_at = $10
        WHERE account_id = $1 AND endpoint_id = $2 AND id = $3";
    sql_query(RECORD)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.endpoint_id)
        .bind::<SqlUuid, _>(delivery)
        .bind::<Text, _>(record.status)
        .bind::<Timestamptz, _>(now)
        .bind::<Nullable<Integer>, _>(record.status_code)
        .bind::<Nullable<Text>, _>(record.error)
        .bind::<Nullable<Text>, _>(record.excerpt)
        .bind::<Nullable<Integer>, _>(record.duration_ms)
        .bind::<Nullable<Timestamptz>, _>(record.next_attempt_at)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores that a locked endpoint has accepted a delivery.
pub(crate) async fn succeed(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    now: DateTime<Utc>,
) -> Result<()> {
    const SUCCEED: &str = "
        UPDATE webhook_endpoints SET failure_count = 0, failing_since = NULL, retry_at = NULL, last_attempt_at = $3
        WHERE account_id = $1 AND id = $2";
    sql_query(SUCCEED)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.endpoint_id)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores that a locked endpoint has not accepted a delivery.
pub(crate) async fn fail(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    (count, since): (i32, DateTime<Utc>),
    retry_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    const FAIL: &str = "
        UPDATE webhook_endpoints SET failure_count = $3, failing_since = $4, retry_at = $5, last_attempt_at = $6
        WHERE account_id = $1 AND id = $2";
    sql_query(FAIL)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.endpoint_id)
        .bind::<Integer, _>(count)
        .bind::<Timestamptz, _>(since)
        .bind::<Timestamptz, _>(retry_at)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends the lease of a locked endpoint. It is due at the earliest at `at`, and not at all when nothing waits that can be
/// sent. The statement sees deliveries that were added before the lock was taken.
pub(crate) async fn release(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    const RELEASE: &str = "
        UPDATE webhook_endpoints AS endpoint SET lease_owner = NULL, lease_until = NULL, due_at = CASE
            WHEN EXISTS (
                SELECT FROM webhook_deliveries AS waiting
                WHERE waiting.endpoint_id = endpoint.id AND waiting.status = 'pending' AND waiting.is_immediate
                    AND waiting.expires_at > $4 AND (endpoint.is_enabled OR waiting.event_type = $5)
            ) THEN $3
            WHEN endpoint.is_enabled AND EXISTS (
                SELECT FROM webhook_deliveries AS waiting
                WHERE waiting.endpoint_id = endpoint.id AND waiting.status = 'pending' AND waiting.expires_at > $4
            ) THEN greatest($3, endpoint.retry_at)
        END
        WHERE endpoint.account_id = $1 AND endpoint.id = $2";
    sql_query(RELEASE)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.endpoint_id)
        .bind::<Timestamptz, _>(at)
        .bind::<Timestamptz, _>(now)
        .bind::<Text, _>(TEST)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}
