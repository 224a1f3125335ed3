//! Starts of automations (reference/automations.md#starts).

use chrono::{DateTime, Duration, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{db::Prepare, jobs::RunAutomation, outbox};
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

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    status: String,
}

/// Starts an enabled automation, once for each key; `None` when it is disabled or deleted. The job that wakes
/// the engine is in the outbox of the same transaction.
///
/// # Errors
/// A failure of the database.
pub async fn start(connection: &mut AsyncPgConnection, run: NewRun) -> Result<Option<Started>> {
    connection
        .transaction(async |connection| {
            if !lock_enabled(connection, run.account, run.automation).await? {
                return Ok(None);
            }
            let (id, account_id) = (id::new(), run.account);
            let Row { id: run_id, status } = insert(connection, id, run).await?;
            let started = Started { id: run_id, is_new: run_id == id, status };
            if started.is_new && started.status == QUEUED {
                let job = RunAutomation { account_id, run_id };
                outbox::add(connection, &job, &run_id.to_string()).await?;
            }
            Ok(Some(started))
        })
        .await
}

/// Locks the automation, so that counting and starting are one step. Returns false when it is disabled or
/// deleted.
async fn lock_enabled(connection: &mut AsyncPgConnection, account: Uuid, automation: Uuid) -> Result<bool> {
    let sql = "SELECT id, 'enabled'::text AS status FROM automations
        WHERE id = $1 AND account_id = $2 AND enabled FOR NO KEY UPDATE";
    let locked: Option<Row> = sql_query(sql)
        .bind::<SqlUuid, _>(automation)
        .bind::<SqlUuid, _>(account)
        .prepared()
        .get_result(connection)
        .await
        .optional()?;
    Ok(locked.is_some())
}

/// Adds the run, or returns the earlier one of the key.
async fn insert(connection: &mut AsyncPgConnection, id: Uuid, run: NewRun) -> Result<Row> {
    let since = run.now - Duration::minutes(1);
    Ok(sql_query(
        "WITH lately AS (
             SELECT count(*) AS starts FROM (
                 SELECT FROM automation_runs
                 WHERE account_id = $2 AND automation_id = $3 AND created_at > $4 AND status <> 'skipped'
                 LIMIT $5) AS counted)
         INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, context, dedupe_key,
             depth, parent_run_id, is_test, created_at)
         SELECT $1, $2, $3, CASE WHEN lately.starts < $5 THEN 'queued' ELSE 'skipped' END, $6, $7, $8, $9, $10,
             $11, $12
         FROM lately
         ON CONFLICT (automation_id, dedupe_key) DO UPDATE SET dedupe_key = EXCLUDED.dedupe_key
         RETURNING id, status",
    )
    .bind::<SqlUuid, _>(id)
    .bind::<SqlUuid, _>(run.account)
    .bind::<SqlUuid, _>(run.automation)
    .bind::<Timestamptz, _>(since)
    .bind::<BigInt, _>(MAX_STARTS_PER_MINUTE)
    .bind::<Jsonb, _>(run.trigger)
    .bind::<Jsonb, _>(run.context)
    .bind::<Text, _>(run.dedupe_key)
    .bind::<SmallInt, _>(run.depth)
    .bind::<Nullable<SqlUuid>, _>(run.parent_run_id)
    .bind::<Bool, _>(run.is_test)
    .bind::<Timestamptz, _>(run.now)
    .prepared()
    .get_result(connection)
    .await?)
}
