//! Sweeps of any copy: ended delays, ended leases, runs without a job, cancelled runs that no copy executes, and ends
//! that were not published (reference/automations.md#execution).

use std::time::Duration;

use automation_model::{
    live::{FinishedStep, RunOf},
    machine::StepStatus,
};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{db::Prepare, events::Event};
use shared::Result;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Engine, frames::END_TIMEOUT};

/// Interval of sweeps for delays, leases and cancelled runs (reference/automations.md#execution).
const WAKE_INTERVAL: Duration = Duration::from_millis(500);
/// Number of those sweeps for each one of the queued runs: their jobs come first.
const WAKES_PER_SWEEP: u32 = 4;
/// Number of those sweeps for each count of the waiting runs.
const WAKES_PER_COUNT: u32 = 30;
/// Maximum number of accounts or runs that one sweep finds.
const MAX_FOUND: i64 = 500;
/// Maximum number of waiting runs that are counted.
const MAX_COUNTED: i64 = 10_000;

#[derive(QueryableByName)]
struct Account {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

#[derive(QueryableByName)]
struct Awake {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    /// End of the last of its delays that were found.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last: Option<DateTime<Utc>>,
    /// Number of its delays that were found.
    #[diesel(sql_type = BigInt)]
    runs: i64,
}

/// Positions of the sweeps in what they read page by page.
struct Cursors {
    queued: Uuid,
    awake: DateTime<Utc>,
}

/// Run that was cancelled within a delay, with the step of the delay.
#[derive(QueryableByName)]
struct Cancelled {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    automation_id: Uuid,
    #[diesel(sql_type = Nullable<Integer>)]
    position: Option<i32>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    node_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    started_at: Option<DateTime<Utc>>,
}

impl Cancelled {
    const fn of(&self) -> RunOf {
        RunOf { account_id: self.account_id, automation_id: self.automation_id, run_id: self.id }
    }

    /// Event of the step of the delay.
    fn step(&self, now: DateTime<Utc>) -> Option<Event> {
        let step = FinishedStep {
            position: u32::try_from(self.position?).ok()?,
            node_id: self.node_id?,
            status: StepStatus::Cancelled.as_str(),
            branch: None,
            error: None,
            started_at: self.started_at?,
            duration_ms: None,
        };
        Some(self.of().node_finished(&step, now))
    }
}

#[derive(QueryableByName)]
struct Unpublished {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    automation_id: Uuid,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Nullable<Text>)]
    error: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    finished_at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    runs: i64,
}

/// Sweeps until `stop` is cancelled.
pub(super) async fn run(engine: &Engine, stop: &CancellationToken) {
    let mut ticks = interval(WAKE_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut number = 0_u32;
    let mut cursors = Cursors { queued: Uuid::nil(), awake: DateTime::UNIX_EPOCH };
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = sweep(engine, number, &mut cursors).await {
            tracing::warn!(%error, "waiting runs of automations cannot be read");
        }
        number = number.wrapping_add(1);
    }
}

async fn sweep(engine: &Engine, number: u32, cursors: &mut Cursors) -> Result<()> {
    let now = engine.context.clock.now();
    let mut connection = engine.context.databases.postgres.get().await?;
    // Published before anything else can fail.
    for run in end_cancelled(&mut connection, now).await? {
        if let Some(step) = run.step(now) {
            engine.frames.send(step);
        }
        engine.frames.send_end(run.id, run.of().finished("cancelled", None, now));
        engine.metrics.ended("cancelled");
    }
    // An end that found no room would be left for as long again.
    if engine.frames.has_room(MAX_FOUND) {
        for Unpublished { id, account_id, automation_id, status, error, finished_at } in
            unpublished(&mut connection, now).await?
        {
            let run = RunOf { account_id, automation_id, run_id: id };
            engine.frames.send_end(id, run.finished(&status, error.as_deref(), finished_at));
        }
    }
    let mut found = awake(&mut connection, now, &mut cursors.awake).await?;
    if number.is_multiple_of(WAKES_PER_SWEEP) {
        found.extend(queued(&mut connection, &mut cursors.queued).await?);
    }
    if number.is_multiple_of(WAKES_PER_COUNT) {
        engine.metrics.wait(count(&mut connection).await?);
    }
    drop(connection);
    for account in found {
        engine.ready.push(account);
    }
    Ok(())
}

/// Accounts with runs whose delay or lease has ended. Delays are read page by page, so that those of an account
/// whose places are all taken hide no others.
async fn awake(
    connection: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    cursor: &mut DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    const AWAKE: &str = "
        WITH woken AS (
            SELECT account_id, wake_at FROM automation_runs
            WHERE wake_at <= $1 AND wake_at > $3 ORDER BY wake_at LIMIT $2
        ), expired AS (
            SELECT account_id FROM automation_runs WHERE lease_until <= $1 ORDER BY lease_until LIMIT $2
        )
        SELECT account_id, max(wake_at) AS last, count(*) AS runs FROM woken GROUP BY account_id
        UNION ALL
        SELECT DISTINCT account_id, NULL::timestamptz, 0::bigint FROM expired";
    let found: Vec<Awake> = sql_query(AWAKE)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(MAX_FOUND)
        .bind::<Timestamptz, _>(*cursor)
        .prepared()
        .load(connection)
        .await?;
    let is_full = found.iter().map(|account| account.runs).sum::<i64>() >= MAX_FOUND;
    let last = found.iter().filter_map(|account| account.last).max();
    *cursor = last.filter(|_| is_full).unwrap_or(DateTime::UNIX_EPOCH);
    Ok(found.into_iter().map(|account| account.account_id).collect())
}

/// Accounts with queued runs after the cursor, each by one look into the index, however many runs it has.
async fn queued(connection: &mut AsyncPgConnection, cursor: &mut Uuid) -> Result<Vec<Uuid>> {
    const QUEUED: &str = "
        WITH RECURSIVE waiting AS (
            (SELECT account_id FROM automation_runs
                WHERE status = 'queued' AND account_id > $1 ORDER BY account_id LIMIT 1)
            UNION ALL
            SELECT (SELECT run.account_id FROM automation_runs AS run
                WHERE run.status = 'queued' AND run.account_id > waiting.account_id
                ORDER BY run.account_id LIMIT 1)
            FROM waiting WHERE waiting.account_id IS NOT NULL
        )
        SELECT account_id FROM waiting WHERE account_id IS NOT NULL LIMIT $2";
    let found: Vec<Account> = sql_query(QUEUED)
        .bind::<SqlUuid, _>(*cursor)
        .bind::<BigInt, _>(MAX_FOUND)
        .prepared()
        .load(connection)
        .await?;
    let is_full = i64::try_from(found.len()).is_ok_and(|found| found == MAX_FOUND);
    *cursor = found.last().filter(|_| is_full).map_or_else(Uuid::nil, |last| last.account_id);
    Ok(found.into_iter().map(|account| account.account_id).collect())
}

/// Ends cancelled runs that wait for the end of a delay, without a place among the account's runs. A run that is
/// locked, or whose automation is, is left to the next call: the delays of all accounts would wait behind it.
async fn end_cancelled(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<Vec<Cancelled>> {
    const END: &str = "
        WITH cancelled AS (
            SELECT run.id FROM automation_runs AS run
            JOIN automations AS automation
                ON automation.account_id = run.account_id AND automation.id = run.automation_id
            WHERE run.wake_at IS NOT NULL AND run.cancel_requested_at IS NOT NULL AND run.lease_until IS NULL
            LIMIT $2
            FOR UPDATE OF run SKIP LOCKED FOR NO KEY UPDATE OF automation SKIP LOCKED
        ), ended AS (
            UPDATE automation_runs AS run SET status = 'cancelled', finished_at = $1, publish_end_at = $3,
                graph = NULL, context = '{}', wake_at = NULL
            FROM cancelled WHERE run.id = cancelled.id
            RETURNING run.id, run.account_id, run.automation_id, run.started_at
        ), steps AS (
            UPDATE automation_steps AS step SET result = NULL, answer = NULL,
                status = CASE step.status WHEN 'running' THEN 'cancelled' ELSE step.status END
            FROM ended WHERE step.account_id = ended.account_id AND step.run_id = ended.id
            RETURNING step.run_id, step.position, step.node_id, step.started_at, step.status
        ), counts AS (
            SELECT account_id, automation_id, count(*) AS runs, max(started_at) AS started_at FROM ended
            GROUP BY account_id, automation_id
        ), counted AS (
            UPDATE automations AS automation SET run_count = run_count + counts.runs,
                last_run_at = greatest(last_run_at, counts.started_at)
            FROM counts
            WHERE automation.account_id = counts.account_id AND automation.id = counts.automation_id
        )
        SELECT ended.id, ended.account_id, ended.automation_id, steps.position, steps.node_id, steps.started_at
        FROM ended LEFT JOIN steps ON steps.run_id = ended.id AND steps.status = 'cancelled'";
    Ok(sql_query(END)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(MAX_FOUND)
        .bind::<Timestamptz, _>(now + END_TIMEOUT)
        .prepared()
        .load(connection)
        .await?)
}

/// Ends that no copy has published in time. The others leave them to this one for as long.
async fn unpublished(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<Vec<Unpublished>> {
    const UNPUBLISHED: &str = "
        WITH found AS (
            SELECT id FROM automation_runs WHERE publish_end_at <= $1
            ORDER BY publish_end_at LIMIT $2 FOR UPDATE SKIP LOCKED
        )
        UPDATE automation_runs AS run SET publish_end_at = $3 FROM found WHERE run.id = found.id
        RETURNING run.id, run.account_id, run.automation_id, run.status, run.error,
            coalesce(run.finished_at, $1) AS finished_at";
    Ok(sql_query(UNPUBLISHED)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(MAX_FOUND)
        .bind::<Timestamptz, _>(now + END_TIMEOUT)
        .prepared()
        .load(connection)
        .await?)
}

async fn count(connection: &mut AsyncPgConnection) -> Result<i64> {
    const COUNT: &str = "SELECT count(*) AS runs FROM (
        SELECT 1 FROM automation_runs WHERE status = 'queued' LIMIT $1) AS waiting";
    let counted: Vec<Count> =
        sql_query(COUNT).bind::<BigInt, _>(MAX_COUNTED).prepared().load(connection).await?;
    Ok(counted.into_iter().next().map_or(0, |count| count.runs))
}
