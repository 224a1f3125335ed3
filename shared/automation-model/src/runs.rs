//! Starts of automations (reference/automations.md#starts).

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{
    db::{Prepare, column},
    jobs::RunAutomation,
    outbox,
};
use serde_json::Value;
use shared::{Result, id};
use uuid::Uuid;

/// Status of a run that waits for the engine.
pub const QUEUED: &str = "queued";
/// Status of a run that never runs, because its automation was started too often.
pub const SKIPPED: &str = "skipped";
/// Maximum depth of runs that start each other (reference/automations.md#starts).
pub const MAX_DEPTH: i16 = 3;
/// Maximum number of starts of an automation in a minute; more are skipped (reference/automations.md#starts).
pub const MAX_STARTS_PER_MINUTE: i64 = 60;
/// Maximum number of skipped runs of an automation that are stored in a minute; further starts are dropped
/// (reference/automations.md#starts).
pub const MAX_SKIPPED_PER_MINUTE: i64 = 60;

/// Run to start.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    /// Account of the automation.
    pub account: Uuid,
    /// The automation.
    pub automation: Uuid,
    /// Trigger as `{ node_id, type, payload }`.
    pub trigger: Value,
    /// Values for templates: event, user.
    pub context: Value,
    /// Name of the cause: an automation starts once for each.
    pub dedupe_key: String,
    /// Number of runs that led to this one.
    pub depth: i16,
    /// Run that started this one.
    pub parent_run_id: Option<Uuid>,
    /// True for the start by a test event.
    pub is_test: bool,
    /// Time of the start.
    pub now: DateTime<Utc>,
}

/// Started run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Id.
    pub id: Uuid,
    /// Status: `queued` or `skipped`; that of the earlier run for a repeated key.
    pub status: String,
    /// False for a repeated key.
    pub is_new: bool,
}

/// Runs that were started together.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StartedRuns {
    /// Stored runs: new ones, and those of repeated keys.
    pub runs: Vec<Started>,
    /// Number of starts that left no run, because as many of their automations as are stored were skipped lately.
    pub dropped: usize,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    status: String,
}

#[derive(QueryableByName)]
struct Enabled {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Starts an enabled automation, once for each key; `None` when it is disabled or deleted. A start that is dropped
/// returns the last run that was skipped. The job that wakes the engine is in the outbox of the same transaction.
///
/// # Errors
/// A failure of the database.
pub async fn start(connection: &mut AsyncPgConnection, run: NewRun) -> Result<Option<Started>> {
    connection
        .transaction(async |connection| {
            let (account, automation) = (run.account, run.automation);
            let StartedRuns { mut runs, dropped } = start_locked(connection, vec![run]).await?;
            match runs.pop() {
                None if dropped > 0 => last_skipped(connection, account, automation).await,
                started => Ok(started),
            }
        })
        .await
}

/// Starts the enabled ones of several automations of one account, each once for its key. No automation may be named
/// twice. One job that wakes the engine is in the outbox of the same transaction: the engine then executes all of them.
///
/// # Errors
/// A failure of the database.
pub async fn start_all(connection: &mut AsyncPgConnection, runs: Vec<NewRun>) -> Result<StartedRuns> {
    connection.transaction(async |connection| start_locked(connection, runs).await).await
}

async fn start_locked(connection: &mut AsyncPgConnection, mut runs: Vec<NewRun>) -> Result<StartedRuns> {
    let Some((account_id, now)) = runs.as_slice().first().map(|run| (run.account, run.now)) else {
        return Ok(StartedRuns::default());
    };
    let enabled = lock_enabled(connection, account_id, &runs).await?;
    runs.retain(|run| enabled.contains(&run.automation));
    let ids = column(&runs, |_| id::new());
    let rows = insert(connection, (account_id, now), &ids, &runs).await?;
    let dropped = runs.len().saturating_sub(rows.len());
    let started = |Row { id, status }| Started { is_new: ids.contains(&id), id, status };
    let runs: Vec<Started> = rows.into_iter().map(started).collect();
    if let Some(run) = runs.iter().find(|run| run.is_new && run.status == QUEUED) {
        let job = RunAutomation { account_id, run_id: run.id };
        outbox::add(connection, &job, &run.id.to_string()).await?;
    }
    Ok(StartedRuns { runs, dropped })
}

/// Locks the automations, so that counting and starting are one step. Returns those that are enabled. They are locked
/// in the order of their ids, so that of two that are started together none waits for the other.
async fn lock_enabled(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    runs: &[NewRun],
) -> Result<HashSet<Uuid>> {
    let sql = "SELECT id FROM automations
        WHERE account_id = $1 AND id = ANY($2) AND enabled ORDER BY id FOR NO KEY UPDATE";
    let locked: Vec<Enabled> = sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<Array<SqlUuid>, _>(column(runs, |run| run.automation))
        .prepared()
        .load(connection)
        .await?;
    Ok(locked.into_iter().map(|automation| automation.id).collect())
}

/// Adds runs of an account, and returns them or the earlier ones of their keys. It is a statement of its own after the
/// locks, because it must see what their earlier holders have started. A skipped run never reads its values.
async fn insert(
    connection: &mut AsyncPgConnection,
    (account, now): (Uuid, DateTime<Utc>),
    ids: &[Uuid],
    runs: &[NewRun],
) -> Result<Vec<Row>> {
    Ok(sql_query(
        "INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, context, dedupe_key,
             depth, parent_run_id, is_test, created_at)
         SELECT asked.id, $1, asked.automation_id,
             CASE WHEN lately.starts < $12 THEN 'queued' ELSE 'skipped' END, asked.trigger,
             CASE WHEN lately.starts < $12 THEN asked.context ELSE '{}' END, asked.dedupe_key, asked.depth,
             asked.parent_run_id, asked.is_test, $2
         FROM unnest($3, $4, $5, $6, $7, $8, $9, $10)
             AS asked (id, automation_id, trigger, context, dedupe_key, depth, parent_run_id, is_test)
         CROSS JOIN LATERAL (
             SELECT count(*) FILTER (WHERE run.status <> 'skipped') AS starts,
                 count(*) FILTER (WHERE run.status = 'skipped') AS skipped
             FROM automation_runs AS run
             WHERE run.account_id = $1 AND run.automation_id = asked.automation_id AND run.created_at > $11
         ) AS lately
         WHERE lately.starts < $12 OR lately.skipped < $13 OR EXISTS (
             SELECT FROM automation_runs AS run
             WHERE run.automation_id = asked.automation_id AND run.dedupe_key = asked.dedupe_key)
         ON CONFLICT (automation_id, dedupe_key) DO UPDATE SET dedupe_key = EXCLUDED.dedupe_key
         RETURNING id, status",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<Timestamptz, _>(now)
    .bind::<Array<SqlUuid>, _>(ids)
    .bind::<Array<SqlUuid>, _>(column(runs, |run| run.automation))
    .bind::<Array<Jsonb>, _>(column(runs, |run| &run.trigger))
    .bind::<Array<Jsonb>, _>(column(runs, |run| &run.context))
    .bind::<Array<Text>, _>(column(runs, |run| run.dedupe_key.as_str()))
    .bind::<Array<SmallInt>, _>(column(runs, |run| run.depth))
    .bind::<Array<Nullable<SqlUuid>>, _>(column(runs, |run| run.parent_run_id))
    .bind::<Array<Bool>, _>(column(runs, |run| run.is_test))
    .bind::<Timestamptz, _>(now - Duration::minutes(1))
    .bind::<BigInt, _>(MAX_STARTS_PER_MINUTE)
    .bind::<BigInt, _>(MAX_SKIPPED_PER_MINUTE)
    .prepared()
    .load(connection)
    .await?)
}

/// Returns the last run of an automation that was skipped, for a start beside it.
async fn last_skipped(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    automation: Uuid,
) -> Result<Option<Started>> {
    let sql = "SELECT id, status FROM automation_runs
        WHERE account_id = $1 AND automation_id = $2 AND status = 'skipped'
        ORDER BY created_at DESC, id DESC LIMIT 1";
    let last: Option<Row> = sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(automation)
        .get_result(connection)
        .await
        .optional()?;
    Ok(last.map(|Row { id, status }| Started { id, status, is_new: true }))
}
