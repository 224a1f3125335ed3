//! Measurement of stored bytes (reference/usage.md#stored-bytes).
//!
//! A round passes all accounts in pages, each in one statement that changes what differs from the last measurement. It
//! reads the sums that uploads and the storage of extensions keep in their own transactions.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use crate::units::Period;

/// Interval between the begins of two rounds, of all copies together.
pub const ROUND_INTERVAL: TimeDelta = TimeDelta::minutes(5);
/// Accounts of one page.
pub const PAGE_SIZE: i64 = 500;

#[derive(QueryableByName)]
struct Position {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    after_account: Option<Uuid>,
}

#[derive(QueryableByName)]
struct Page {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    last: Option<Uuid>,
    #[diesel(sql_type = BigInt)]
    accounts: i64,
}

/// Measures the next page of accounts; false when the round is complete, or none is due. Copies share a round.
///
/// # Errors
/// A failure of the database; the page is measured again.
pub async fn measure(connection: &mut AsyncPgConnection, now: DateTime<Utc>, limit: i64) -> Result<bool> {
    connection
        .transaction(async |connection| {
            let position: Option<Position> = sql_query(CLAIM)
                .bind::<Timestamptz, _>(now)
                .bind::<Timestamptz, _>(now - ROUND_INTERVAL)
                .prepared()
                .get_result(connection)
                .await
                .optional()?;
            let Some(position) = position else { return Ok(false) };
            let after = position.after_account.unwrap_or(Uuid::nil());
            let page: Page = sql_query(MEASURE)
                .bind::<SqlUuid, _>(after)
                .bind::<BigInt, _>(limit)
                .bind::<Timestamptz, _>(Period::Hour.begin(now))
                .prepared()
                .get_result(connection)
                .await?;
            let next = page.last.filter(|_| page.accounts >= limit);
            sql_query(MOVE).bind::<Nullable<SqlUuid>, _>(next).prepared().execute(connection).await?;
            Ok(next.is_some())
        })
        .await
}

/// Begins a round that is due, or continues the one that was begun. Another copy that measures a page is not waited
/// for.
const CLAIM: &str = "
    UPDATE usage_sweeps SET
        began_at = CASE WHEN after_account IS NULL THEN $1 ELSE began_at END
    WHERE sweep = (
        SELECT sweep FROM usage_sweeps
        WHERE sweep = 'storage' AND (after_account IS NOT NULL OR began_at <= $2) FOR UPDATE SKIP LOCKED)
    RETURNING after_account";

const MOVE: &str = "UPDATE usage_sweeps SET after_account = $1 WHERE sweep = 'storage'";

/// Changes of the page since the last measurement. Sums end with the largest maximum of a budget, so that no row, whatever
/// it states, stops the measurement of other accounts. Accounts with a budget of stored bytes are marked also without a
/// change: a stop has to last while the bytes are above it.
const MEASURE: &str = "
    WITH page AS MATERIALIZED (
        SELECT id FROM accounts WHERE id > $1 ORDER BY id LIMIT $2
    ), of_extensions AS (
        SELECT account_id, extension_id, least(sum(bytes), 1000000000000000)::bigint AS bytes
        FROM extension_usage WHERE account_id IN (SELECT id FROM page) GROUP BY account_id, extension_id
    ), measured AS (
        SELECT account_id, 'extension' AS subject_kind, extension_id AS subject_id, bytes FROM of_extensions
        UNION ALL
        SELECT page.id, 'account', page.id, least(
            coalesce((SELECT used FROM account_usage AS own
                WHERE own.account_id = page.id AND own.quota = 'storage_bytes'), 0)::numeric
            + coalesce((SELECT sum(bytes) FROM of_extensions WHERE account_id = page.id), 0), 1000000000000000)::bigint
        FROM page
    ), known AS (
        SELECT account_id, subject_kind, subject_id, bytes FROM usage_storage
        WHERE account_id IN (SELECT id FROM page)
    ), changed AS (
        SELECT account_id, subject_kind, subject_id, coalesce(measured.bytes, 0) AS bytes
        FROM measured FULL JOIN known USING (account_id, subject_kind, subject_id)
        WHERE coalesce(measured.bytes, 0) <> coalesce(known.bytes, 0)
    ), stored AS (
        INSERT INTO usage_storage (account_id, subject_kind, subject_id, bytes)
        SELECT account_id, subject_kind, subject_id, bytes FROM changed
        ORDER BY account_id, subject_kind, subject_id
        ON CONFLICT (account_id, subject_kind, subject_id) DO UPDATE SET bytes = excluded.bytes
    ), hours AS (
        INSERT INTO usage_hours (account_id, subject_kind, subject_id, hour, stored_bytes)
        SELECT account_id, subject_kind, subject_id, $3, bytes FROM changed
        ORDER BY account_id, subject_kind, subject_id
        ON CONFLICT (account_id, subject_kind, subject_id, hour) DO UPDATE SET stored_bytes = excluded.stored_bytes
    ), marked AS (
        INSERT INTO usage_marks AS mark (account_id)
        SELECT DISTINCT budget.account_id FROM usage_budgets AS budget
        WHERE budget.unit = 'stored_bytes' AND budget.account_id IN (SELECT id FROM page)
        ORDER BY budget.account_id
        ON CONFLICT (account_id) DO UPDATE SET marked_at = mark.marked_at WHERE false
    )
    SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*) FROM page) AS accounts";
