//! Queries over the due sessions of all accounts.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Double, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use history_model::report::{Chatter, Made};
use serde_json::Value;
use shared::Result;
use uuid::Uuid;

/// Overdue sessions that are counted at most.
const MAX_COUNTED: i64 = 10_000;

/// Session that this copy makes the report of.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Claim {
    /// Session.
    #[diesel(sql_type = SqlUuid)]
    pub session_id: Uuid,
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// End of the session.
    #[diesel(sql_type = Timestamptz)]
    pub ended_at: DateTime<Utc>,
    /// End of the claim; `None` when the report is final.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    claimed_until: Option<DateTime<Utc>>,
}

/// Result of storing a report.
#[derive(Debug, PartialEq)]
pub(super) enum Stored {
    /// The report is stored, with these people.
    Written(Vec<Chatter>),
    /// A newer report is stored.
    Outdated,
    /// There is no such ended session.
    Gone,
}

#[derive(QueryableByName)]
struct Written {
    #[diesel(sql_type = Bool)]
    is_written: bool,
    #[diesel(sql_type = Nullable<Jsonb>)]
    top_chatters: Option<Value>,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl Claim {
    /// True when late rows of the session no longer count.
    pub fn is_late(&self) -> bool {
        self.claimed_until.is_none()
    }
}

/// Claims the session that is due for the longest time, without those that another copy is claiming. A session
/// that has a report and ended before `final_before` is no longer due.
pub(super) async fn claim(
    postgres: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    final_before: DateTime<Utc>,
) -> Result<Option<Claim>> {
    const CLAIM: &str = "
        WITH due AS (
            SELECT id FROM stream_sessions WHERE report_due_at <= $1 AND ended_at IS NOT NULL
            ORDER BY report_due_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE stream_sessions AS session SET report_due_at =
            CASE WHEN session.report_made_at IS NULL OR session.ended_at >= $3 THEN $2 END
        FROM due WHERE session.id = due.id
        RETURNING session.id AS session_id, session.account_id, session.ended_at,
            session.report_due_at AS claimed_until";
    Ok(sql_query(CLAIM)
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(until)
        .bind::<Timestamptz, _>(final_before)
        .prepared()
        .get_result(postgres)
        .await
        .optional()?)
}

/// Stores a report with the figures of lists. The session stays due when late rows arrived since the claim. People
/// of a former report stay when chat of the session may be deleted already.
pub(super) async fn store(
    postgres: &mut AsyncPgConnection,
    claim: &Claim,
    made: &Made,
    made_at: DateTime<Utc>,
) -> Result<Stored> {
    let report = serde_json::to_value(&made.report)?;
    let written = postgres
        .transaction(async |connection| -> Result<Option<Written>> {
            let written = store_report(connection, claim, made, &report, made_at).await?;
            if written.as_ref().is_some_and(|written| written.is_written) {
                store_streams(connection, claim, made).await?;
            }
            Ok(written)
        })
        .await?;
    Ok(match written {
        None => Stored::Gone,
        Some(Written { is_written: false, .. }) => Stored::Outdated,
        Some(Written { top_chatters, .. }) => Stored::Written(match top_chatters {
            Some(chatters) => serde_json::from_value(chatters)?,
            None => Vec::new(),
        }),
    })
}

async fn store_report(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    made: &Made,
    report: &Value,
    made_at: DateTime<Utc>,
) -> Result<Option<Written>> {
    const STORE: &str = "
        WITH known AS (
            SELECT id, report_made_at IS NULL OR report_made_at <= $4 AS is_written FROM stream_sessions
            WHERE account_id = $1 AND id = $2 AND ended_at IS NOT NULL FOR NO KEY UPDATE
        ), written AS (
            UPDATE stream_sessions AS session SET
                report = CASE WHEN $5 AND session.report IS NOT NULL
                    THEN jsonb_set($3, '{top_chatters}', session.report -> 'top_chatters') ELSE $3 END,
                report_made_at = $4, duration_secs = $6, peak_viewers = $7, avg_viewers = $8, total_messages = $9,
                unique_chatters = $10, new_followers = $11, new_subscribers = $12
            FROM known WHERE session.id = known.id AND known.is_written
            RETURNING session.report -> 'top_chatters' AS top_chatters
        )
        SELECT known.is_written, (SELECT top_chatters FROM written) AS top_chatters FROM known";
    let row = &made.report.session;
    Ok(sql_query(STORE)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.session_id)
        .bind::<Jsonb, _>(report)
        .bind::<Timestamptz, _>(made_at)
        .bind::<Bool, _>(keeps_people(made))
        .bind::<Nullable<BigInt>, _>(row.duration_secs)
        .bind::<Nullable<BigInt>, _>(row.peak_viewers)
        .bind::<Nullable<Double>, _>(row.avg_viewers)
        .bind::<BigInt, _>(row.total_messages)
        .bind::<Nullable<BigInt>, _>(row.unique_chatters)
        .bind::<Nullable<BigInt>, _>(row.new_followers)
        .bind::<Nullable<BigInt>, _>(row.new_subscribers)
        .prepared()
        .get_result(connection)
        .await
        .optional()?)
}

/// True when a former report lists people more completely than the chat that is still stored.
pub(super) const fn keeps_people(made: &Made) -> bool {
    made.is_chat_expiring && made.lists_people
}

async fn store_streams(connection: &mut AsyncPgConnection, claim: &Claim, made: &Made) -> Result<()> {
    const STORE: &str = "
        UPDATE stream_broadcasts AS broadcast SET peak_viewers = made.peak_viewers, avg_viewers = made.avg_viewers
        FROM unnest($3, $4, $5) AS made (id, peak_viewers, avg_viewers)
        WHERE broadcast.account_id = $1 AND broadcast.session_id = $2 AND broadcast.id = made.id";
    let streams = &made.report.streams;
    sql_query(STORE)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.session_id)
        .bind::<Array<SqlUuid>, _>(column(&made.streams, |stream| stream.id))
        .bind::<Array<Nullable<BigInt>>, _>(column(streams, |stream| stream.peak_viewers))
        .bind::<Array<Nullable<Double>>, _>(column(streams, |stream| stream.avg_viewers))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Makes a claimed session due at another time, unless late rows made it due meanwhile.
pub(super) async fn postpone(
    postgres: &mut AsyncPgConnection,
    claim: &Claim,
    until: DateTime<Utc>,
) -> Result<()> {
    const POSTPONE: &str = "
        UPDATE stream_sessions SET report_due_at = $4
        WHERE account_id = $1 AND id = $2 AND report_due_at = $3";
    sql_query(POSTPONE)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.session_id)
        .bind::<Nullable<Timestamptz>, _>(claim.claimed_until)
        .bind::<Timestamptz, _>(until)
        .prepared()
        .execute(postgres)
        .await?;
    Ok(())
}

/// Ends a claim: the session is due no more, unless late rows made it due meanwhile.
pub(super) async fn finish(postgres: &mut AsyncPgConnection, claim: &Claim) -> Result<()> {
    const FINISH: &str = "
        UPDATE stream_sessions SET report_due_at = NULL
        WHERE account_id = $1 AND id = $2 AND report_due_at = $3";
    sql_query(FINISH)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.session_id)
        .bind::<Nullable<Timestamptz>, _>(claim.claimed_until)
        .prepared()
        .execute(postgres)
        .await?;
    Ok(())
}

/// Makes a session due now, also while another copy has claimed it.
pub(super) async fn make_again(
    postgres: &mut AsyncPgConnection,
    claim: &Claim,
    now: DateTime<Utc>,
) -> Result<()> {
    const MAKE_AGAIN: &str = "
        UPDATE stream_sessions SET report_due_at = $3
        WHERE account_id = $1 AND id = $2 AND ended_at IS NOT NULL AND (report_due_at IS NULL OR report_due_at > $3)";
    sql_query(MAKE_AGAIN)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.session_id)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(postgres)
        .await?;
    Ok(())
}

/// Counts sessions that ended before a time and have no report.
pub(super) async fn count_overdue(postgres: &mut AsyncPgConnection, before: DateTime<Utc>) -> Result<i64> {
    const COUNT: &str = "
        SELECT count(*) AS count FROM (
            SELECT FROM stream_sessions
            WHERE report_due_at IS NOT NULL AND report_made_at IS NULL AND ended_at < $1 LIMIT $2) AS overdue";
    let found: Count = sql_query(COUNT)
        .bind::<Timestamptz, _>(before)
        .bind::<BigInt, _>(MAX_COUNTED)
        .prepared()
        .get_result(postgres)
        .await?;
    Ok(found.count)
}
