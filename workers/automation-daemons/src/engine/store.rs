//! Progress of a run: its steps and its row, in one statement each time.
//!
//! A statement writes only while this copy has the lease, so a copy that was too slow changes nothing. The
//! steps since the last statement, and the begin of the next effect or the end of the run, are written
//! together.

use std::time::Duration;

use automation_model::machine::StepStatus;
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use serde_json::Value;
use shared::Result;
use uuid::Uuid;

use super::{Engine, claim::Claimed, frames::END_TIMEOUT, shares::Share};

/// Number of attempts to write progress; then the run is left to the end of its lease.
const MAX_ATTEMPTS: u32 = 6;
/// Pause after the first failed attempt; it doubles with each.
const INITIAL_BACKOFF: Duration = Duration::from_millis(200);

/// Step to write.
#[derive(Debug, Clone)]
pub(super) struct StepRow {
    /// Number of the step.
    pub position: u32,
    /// Node.
    pub node_id: Uuid,
    /// Status.
    pub status: StepStatus,
    /// Excerpt of the input.
    pub input: Value,
    /// Excerpt of the output.
    pub output: Option<Value>,
    /// Whole output, when it cannot be computed again.
    pub result: Option<Value>,
    /// Handle whose edges follow.
    pub branch: Option<String>,
    /// Reason of a failure.
    pub error: Option<String>,
    /// Begin.
    pub started_at: DateTime<Utc>,
    /// Length in milliseconds; `None` while it runs.
    pub duration_ms: Option<i64>,
}

/// Change of the run itself.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// The run continues here.
    Continue,
    /// The run continues after a delay, and gives its place up.
    Delay {
        /// End of the delay.
        until: DateTime<Utc>,
    },
    /// Another copy continues the run.
    Release,
    /// The run ends.
    End {
        /// Status.
        status: &'static str,
        /// Reason of a failure.
        error: Option<String>,
    },
}

/// State after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// The lease is this copy's.
    Owned {
        /// True when the run was cancelled.
        is_cancelled: bool,
    },
    /// The run was deleted, or another copy has it.
    Lost,
}

#[derive(QueryableByName)]
struct OwnRun {
    #[diesel(sql_type = Bool)]
    is_cancelled: bool,
}

/// Steps of a statement: an effect that is done replaces the row of its begin.
macro_rules! steps {
    () => {
        "written AS (
            INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input, output, result,
                branch, error, started_at, duration_ms)
            SELECT own.account_id, own.id, step.* FROM own, unnest($4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
                AS step (position, node_id, status, input, output, result, branch, error, started_at, duration_ms)
            ON CONFLICT (run_id, position) DO UPDATE SET status = excluded.status, output = excluded.output,
                result = excluded.result, branch = excluded.branch, error = excluded.error,
                duration_ms = excluded.duration_ms
        )"
    };
}

const CONTINUE: &str = concat!(
    "WITH own AS (
        UPDATE automation_runs SET busy_ms = $14, wake_at = $15,
            lease_until = CASE WHEN $15 IS NULL THEN coalesce($16, lease_until) END,
            lease_owner = CASE WHEN $15 IS NULL AND $16 IS NULL THEN lease_owner END
        WHERE account_id = $1 AND id = $2 AND lease_owner = $3 AND status = 'running'
        RETURNING id, account_id, cancel_requested_at IS NOT NULL AS is_cancelled
    ), ",
    steps!(),
    " SELECT is_cancelled FROM own"
);

/// Ends a run, marks its end as not published, and removes the columns that only the execution needs.
const END: &str = concat!(
    "WITH own AS (
        UPDATE automation_runs SET busy_ms = $14, status = $15, error = $16, finished_at = $17,
            publish_end_at = $18, graph = NULL, context = '{}', wake_at = NULL, lease_until = NULL, lease_owner = NULL
        WHERE account_id = $1 AND id = $2 AND lease_owner = $3 AND status = 'running'
        RETURNING id, account_id, automation_id, started_at, cancel_requested_at IS NOT NULL AS is_cancelled
    ), ",
    steps!(),
    ", cleared AS (
        UPDATE automation_steps AS step SET result = NULL, answer = NULL FROM own
        WHERE step.account_id = own.account_id AND step.run_id = own.id AND NOT step.position = ANY($4)
            AND (step.result IS NOT NULL OR step.answer IS NOT NULL)
    ), counted AS (
        UPDATE automations AS automation SET run_count = run_count + 1,
            last_run_at = greatest(last_run_at, own.started_at)
        FROM own WHERE automation.account_id = own.account_id AND automation.id = own.automation_id
    )
    SELECT is_cancelled FROM own"
);

/// Progress to write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress<'a> {
    /// The run.
    pub run: &'a Claimed,
    /// Steps since the last write.
    pub steps: &'a [StepRow],
    /// Milliseconds that the run has taken, without delays.
    pub busy_ms: i64,
    /// Change of the run.
    pub change: &'a Change,
    /// Present time.
    pub now: DateTime<Utc>,
}

/// Writes progress; tried for a few seconds while the database is away.
///
/// # Errors
/// The last failure.
pub(super) async fn write(engine: &Engine, share: &mut Share, progress: &Progress<'_>) -> Result<Written> {
    let (mut backoff, mut attempt) = (INITIAL_BACKOFF, 1);
    loop {
        match share.work(try_to_write(engine, progress)).await {
            Err(error) if attempt < MAX_ATTEMPTS => {
                tracing::info!(run_id = %progress.run.id, attempt, %error, "progress of a run is written again");
                share.release();
                tokio::time::sleep(backoff).await;
                backoff *= 2;
                attempt += 1;
            }
            written => return written,
        }
    }
}

async fn try_to_write(engine: &Engine, progress: &Progress<'_>) -> Result<Written> {
    let mut connection = engine.context.databases.postgres.get().await?;
    let own: Vec<OwnRun> = match progress.change {
        Change::End { status, error } => end(&mut connection, engine.owner, progress, status, error).await?,
        Change::Continue => proceed(&mut connection, engine.owner, progress, None, None).await?,
        Change::Delay { until } => {
            proceed(&mut connection, engine.owner, progress, Some(*until), None).await?
        }
        // An ended lease is found by the next sweep of any copy.
        Change::Release => proceed(&mut connection, engine.owner, progress, None, Some(progress.now)).await?,
    };
    let is_cancelled = own.into_iter().next().map(|own| own.is_cancelled);
    Ok(is_cancelled.map_or(Written::Lost, |is_cancelled| Written::Owned { is_cancelled }))
}

/// Binds the parameters that both statements share.
macro_rules! bound {
    ($sql:expr, $owner:expr, $progress:expr, $keeps_results:expr) => {
        sql_query($sql)
            .bind::<SqlUuid, _>($progress.run.account_id)
            .bind::<SqlUuid, _>($progress.run.id)
            .bind::<SqlUuid, _>($owner)
            .bind::<Array<Integer>, _>(column($progress.steps, |step| position(step)))
            .bind::<Array<SqlUuid>, _>(column($progress.steps, |step| step.node_id))
            .bind::<Array<Text>, _>(column($progress.steps, |step| step.status.as_str()))
            .bind::<Array<Jsonb>, _>(column($progress.steps, |step| &step.input))
            .bind::<Array<Nullable<Jsonb>>, _>(column($progress.steps, |step| step.output.as_ref()))
            .bind::<Array<Nullable<Jsonb>>, _>(column($progress.steps, |step| {
                step.result.as_ref().filter(|_| $keeps_results)
            }))
            .bind::<Array<Nullable<Text>>, _>(column($progress.steps, |step| step.branch.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(column($progress.steps, |step| step.error.as_deref()))
            .bind::<Array<Timestamptz>, _>(column($progress.steps, |step| step.started_at))
            .bind::<Array<Nullable<BigInt>>, _>(column($progress.steps, |step| step.duration_ms))
            .bind::<BigInt, _>($progress.busy_ms)
    };
}

async fn proceed(
    connection: &mut AsyncPgConnection,
    owner: Uuid,
    progress: &Progress<'_>,
    wake_at: Option<DateTime<Utc>>,
    released_at: Option<DateTime<Utc>>,
) -> Result<Vec<OwnRun>> {
    Ok(bound!(CONTINUE, owner, progress, true)
        .bind::<Nullable<Timestamptz>, _>(wake_at)
        .bind::<Nullable<Timestamptz>, _>(released_at)
        .prepared()
        .load(connection)
        .await?)
}

async fn end(
    connection: &mut AsyncPgConnection,
    owner: Uuid,
    progress: &Progress<'_>,
    status: &str,
    error: &Option<String>,
) -> Result<Vec<OwnRun>> {
    Ok(bound!(END, owner, progress, false)
        .bind::<Text, _>(status)
        .bind::<Nullable<Text>, _>(error.as_deref())
        .bind::<Timestamptz, _>(progress.now)
        .bind::<Timestamptz, _>(progress.now + END_TIMEOUT)
        .prepared()
        .load(connection)
        .await?)
}

fn position(step: &StepRow) -> i32 {
    i32::try_from(step.position).unwrap_or(i32::MAX)
}
