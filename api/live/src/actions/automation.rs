//! Starts of automations by commands and redemptions (reference/automations.md#starts).

use api_core::Result;
use chrono::{DateTime, Duration, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Jsonb, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::id;
use uuid::Uuid;

/// Largest number of starts of an automation in a minute; more are skipped (reference/automations.md#starts).
const MAX_STARTS_PER_MINUTE: i64 = 60;

/// Automation run to start.
pub(super) struct NewRun {
    /// Account of the automation.
    pub account: Uuid,
    /// The automation.
    pub automation: Uuid,
    /// Data of the trigger.
    pub trigger: Value,
    /// Name of the start: an automation starts once for each.
    pub dedupe_key: String,
    /// Time of the start.
    pub now: DateTime<Utc>,
}

/// Started automation run.
#[derive(Debug, QueryableByName)]
pub(super) struct Run {
    /// Id of the run.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Status of the run.
    #[diesel(sql_type = Text)]
    pub status: String,
}

/// Adds a run of an enabled automation, once for each key; `None` when it is disabled or deleted.
pub(super) async fn start(connection: &mut AsyncPgConnection, run: NewRun) -> Result<Option<Run>> {
    Ok(sql_query(
        "WITH automation AS (
             SELECT id, account_id FROM automations
             WHERE id = $1 AND account_id = $2 AND enabled FOR NO KEY UPDATE),
         lately AS (
             SELECT count(*) AS starts FROM automation_runs
             WHERE account_id = $2 AND automation_id = $1 AND created_at > $3 AND status <> 'skipped')
         INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key, created_at)
         SELECT $4, automation.account_id, automation.id,
                CASE WHEN lately.starts < $5 THEN 'queued' ELSE 'skipped' END, $6, $7, $8
         FROM automation, lately
         ON CONFLICT (automation_id, dedupe_key) DO UPDATE SET dedupe_key = EXCLUDED.dedupe_key
         RETURNING id, status",
    )
    .bind::<SqlUuid, _>(run.automation)
    .bind::<SqlUuid, _>(run.account)
    .bind::<Timestamptz, _>(run.now - Duration::minutes(1))
    .bind::<SqlUuid, _>(id::new())
    .bind::<BigInt, _>(MAX_STARTS_PER_MINUTE)
    .bind::<Jsonb, _>(run.trigger)
    .bind::<Text, _>(run.dedupe_key)
    .bind::<Timestamptz, _>(run.now)
    .get_result(connection)
    .await
    .optional()?)
}
