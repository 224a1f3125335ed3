//! Minutes of sessions, and figures of their samples.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Double, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::Result;
use uuid::Uuid;

use super::MAX_LATENESS;

/// Sessions of an account for which late rows count, the newest. Their minutes are at least as many.
const MAX_SESSIONS: i64 = 1440;

/// Minutes that belong to a session.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct SessionWindow {
    /// Session.
    #[diesel(sql_type = SqlUuid)]
    pub session_id: Uuid,
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// First minute.
    #[diesel(sql_type = Timestamptz)]
    pub minutes_from: DateTime<Utc>,
    /// End of the last minute; `None` while on air.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub minutes_to: Option<DateTime<Utc>>,
    /// True until the session has ended.
    #[diesel(sql_type = Bool)]
    pub is_open: bool,
}

#[derive(QueryableByName)]
struct Figures {
    #[diesel(sql_type = SqlUuid)]
    session_id: Uuid,
    #[diesel(sql_type = Nullable<BigInt>)]
    peak: Option<i64>,
    #[diesel(sql_type = Nullable<Double>)]
    average: Option<f64>,
    #[diesel(sql_type = BigInt)]
    messages: i64,
    #[diesel(sql_type = BigInt)]
    followers: i64,
}

/// Minutes after the end of the last broadcast do not belong to an open session until it is on air again.
const WINDOWS: &str = "
    SELECT session.id AS session_id, session.account_id, session.minutes_from, CASE
            WHEN session.ended_at IS NOT NULL THEN session.minutes_to
            WHEN session.last_off_at IS NOT NULL THEN greatest(session.minutes_from + interval '1 minute',
                date_trunc('minute', session.last_off_at + interval '1 minute' - interval '1 microsecond'))
        END AS minutes_to, session.ended_at IS NULL AS is_open
    FROM unnest($1) AS wanted (account_id)
    CROSS JOIN LATERAL (
        SELECT * FROM stream_sessions known WHERE known.account_id = wanted.account_id
            AND known.started_at > $2 - interval '8 days'
            AND (known.ended_at IS NULL OR known.ended_at > $2 OR known.report_made_at IS NULL)
        ORDER BY known.started_at DESC, known.id DESC LIMIT $3
    ) session";

/// A minute has the sum of its platforms.
const FIGURES: &str = "
    SELECT wanted.session_id, found.peak, found.average, found.messages, found.followers
    FROM unnest($1, $2, $3, $4) AS wanted (session_id, account_id, minutes_from, minutes_to)
    CROSS JOIN LATERAL (
        SELECT max(viewers) AS peak, round(avg(viewers), 2)::double precision AS average,
            coalesce(sum(messages), 0)::bigint AS messages, coalesce(sum(followers), 0)::bigint AS followers
        FROM (
            SELECT sum(viewer_count)::bigint AS viewers, sum(message_count) AS messages, sum(follower_delta) AS followers
            FROM stream_samples sample
            WHERE sample.account_id = wanted.account_id AND sample.at >= wanted.minutes_from
                AND sample.at < coalesce(wanted.minutes_to, 'infinity')
            GROUP BY sample.at
        ) minutes
    ) found";

const SAVE: &str = "
    UPDATE stream_sessions known SET peak_viewers = given.peak, avg_viewers = given.average,
        total_messages = given.messages, new_followers = given.followers
    FROM unnest($1, $2, $3, $4, $5) AS given (session_id, peak, average, messages, followers)
    WHERE known.id = given.session_id AND known.report_made_at IS NULL
        AND (known.peak_viewers, known.avg_viewers, known.total_messages, known.new_followers)
            IS DISTINCT FROM (given.peak, given.average, given.messages, given.followers)";

/// Minutes of the sessions of accounts that are open, have ended so lately that late rows count, or have no report
/// yet, the newest first.
///
/// # Errors
/// A failure of the database.
pub async fn windows(
    postgres: &mut AsyncPgConnection,
    accounts: &[Uuid],
    now: DateTime<Utc>,
) -> Result<Vec<SessionWindow>> {
    Ok(sql_query(WINDOWS)
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Timestamptz, _>(now - MAX_LATENESS)
        .bind::<BigInt, _>(MAX_SESSIONS)
        .prepared()
        .load(postgres)
        .await?)
}

/// Computes viewers, messages and followers of sessions from their samples, and stores them where no report has
/// been made yet: one statement on each database.
///
/// # Errors
/// A failure of one of the databases.
pub async fn refresh_figures(
    postgres: &mut AsyncPgConnection,
    timeseries: &mut AsyncPgConnection,
    sessions: &[SessionWindow],
) -> Result<()> {
    if sessions.is_empty() {
        return Ok(());
    }
    let figures: Vec<Figures> = sql_query(FIGURES)
        .bind::<Array<SqlUuid>, _>(column(sessions, |session| session.session_id))
        .bind::<Array<SqlUuid>, _>(column(sessions, |session| session.account_id))
        .bind::<Array<Timestamptz>, _>(column(sessions, |session| session.minutes_from))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(sessions, |session| session.minutes_to))
        .prepared()
        .load(timeseries)
        .await?;
    sql_query(SAVE)
        .bind::<Array<SqlUuid>, _>(column(&figures, |one| one.session_id))
        .bind::<Array<Nullable<BigInt>>, _>(column(&figures, |one| one.peak))
        .bind::<Array<Nullable<Double>>, _>(column(&figures, |one| one.average))
        .bind::<Array<BigInt>, _>(column(&figures, |one| one.messages))
        .bind::<Array<BigInt>, _>(column(&figures, |one| one.followers))
        .prepared()
        .execute(postgres)
        .await?;
    Ok(())
}

/// Makes the reports of closed sessions due after `delay`, unless they are due before.
///
/// # Errors
/// A failure of the database.
pub async fn set_report_due(
    postgres: &mut AsyncPgConnection,
    sessions: &[Uuid],
    now: DateTime<Utc>,
    delay: TimeDelta,
) -> Result<usize> {
    if sessions.is_empty() {
        return Ok(0);
    }
    let sql = "UPDATE stream_sessions SET report_due_at = $2
        WHERE id = ANY ($1) AND ended_at IS NOT NULL AND (report_due_at IS NULL OR report_due_at > $2)";
    Ok(sql_query(sql)
        .bind::<Array<SqlUuid>, _>(sessions)
        .bind::<Timestamptz, _>(now + delay)
        .prepared()
        .execute(postgres)
        .await?)
}
