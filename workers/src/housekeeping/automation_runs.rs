//! Deletion of ended runs of automations (reference/automations.md#execution), automation by automation, so
//! that one with many runs does not delay the others. Steps go with their runs.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use redis::AsyncCommands;
use shared::Result;
use uuid::Uuid;

use super::budget::{Progress, TimeBudget};
use worker_core::Context;

/// Retention of a run (reference/automations.md#execution).
const RUN_RETENTION: TimeDelta = TimeDelta::days(30);
/// Maximum number of runs of an automation that are kept, the newest (reference/automations.md#execution).
const MAX_KEPT_RUNS: i64 = 1_000;
/// Minimum age of a run that is deleted for the number of runs: the row keeps a repeated start from running
/// again, and sixty starts a minute are more than the number in 17 minutes (reference/automations.md#execution).
const MIN_EXCESS_AGE: TimeDelta = TimeDelta::hours(2);
/// Number of automations that are checked together.
const PAGE_SIZE: i64 = 200;
/// Number of runs that one statement deletes; each may have thousands of steps.
const BATCH_SIZE: i64 = 200;
/// Maximum number of batches for one automation in a round.
const MAX_BATCHES: usize = 20;
/// Name of the cursor.
const CURSOR: &str = "housekeeping:automation_runs";
/// Lifetime of a cursor that no round continues from, in seconds.
const CURSOR_TTL_SECS: u64 = 7 * 24 * 3600;

/// Automation of a page.
#[derive(QueryableByName)]
struct Checked {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    /// Time up to which ended runs are deleted; `None` when there are none.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    until: Option<DateTime<Utc>>,
}

/// Runs once within the budget: continues after the last automation that was done.
pub(super) async fn forget(context: &Context, budget: &mut TimeBudget) -> Result<Progress> {
    let (mut rows, mut is_whole, now) = (0, true, context.clock.now());
    let mut done = cursor(context).await?;
    let mut is_completed = false;
    while !is_completed && budget.allows_step() {
        let page = page(context, done, now).await?;
        is_completed = page.is_empty();
        for automation in &page {
            if let Some(until) = automation.until {
                if !budget.allows_step() {
                    keep_cursor(context, Some(done)).await?;
                    return Ok(Progress::Pending);
                }
                is_whole &= delete_from(context, automation, until, &mut rows).await?;
            }
            done = automation.id;
        }
    }
    keep_cursor(context, (!is_completed).then_some(done)).await?;
    tracing::info!(rows, is_completed, is_whole, "runs of automations beyond their retention deleted");
    Ok(if is_completed && is_whole { Progress::Completed } else { Progress::Pending })
}

async fn page(context: &Context, after: Uuid, now: DateTime<Utc>) -> Result<Vec<Checked>> {
    const PAGE: &str = "
        SELECT page.id, page.account_id, CASE WHEN EXISTS (
            SELECT 1 FROM automation_runs AS run
            WHERE run.account_id = page.account_id AND run.automation_id = page.id
                AND run.created_at <= bound.until AND run.status NOT IN ('queued', 'running')
        ) THEN bound.until END AS until
        FROM (SELECT id, account_id FROM automations WHERE id > $1 ORDER BY id LIMIT $2) AS page
        CROSS JOIN LATERAL (SELECT greatest($3, (
            SELECT least(run.created_at, $5) FROM automation_runs AS run
            WHERE run.account_id = page.account_id AND run.automation_id = page.id
            ORDER BY run.created_at DESC OFFSET $4 LIMIT 1)) AS until) AS bound
        ORDER BY page.id";
    Ok(sql_query(PAGE)
        .bind::<SqlUuid, _>(after)
        .bind::<BigInt, _>(PAGE_SIZE)
        .bind::<Timestamptz, _>(now - RUN_RETENTION)
        .bind::<BigInt, _>(MAX_KEPT_RUNS)
        .bind::<Timestamptz, _>(now - MIN_EXCESS_AGE)
        .load(&mut *context.databases.postgres.get().await?)
        .await?)
}

/// Deletes ended runs of an automation, the oldest first; true when none is left.
async fn delete_from(
    context: &Context,
    of: &Checked,
    until: DateTime<Utc>,
    rows: &mut usize,
) -> Result<bool> {
    const DELETE: &str = "
        DELETE FROM automation_runs WHERE account_id = $1 AND id = ANY (ARRAY(
            SELECT id FROM automation_runs
            WHERE account_id = $1 AND automation_id = $2 AND created_at <= $3
                AND status NOT IN ('queued', 'running')
            ORDER BY created_at LIMIT $4 FOR UPDATE SKIP LOCKED))";
    for _ in 0..MAX_BATCHES {
        // A connection for each batch, so that others get one in between.
        let batch = sql_query(DELETE)
            .bind::<SqlUuid, _>(of.account_id)
            .bind::<SqlUuid, _>(of.id)
            .bind::<Timestamptz, _>(until)
            .bind::<BigInt, _>(BATCH_SIZE)
            .execute(&mut *context.databases.postgres.get().await?)
            .await?;
        *rows += batch;
        if i64::try_from(batch).unwrap_or(i64::MAX) < BATCH_SIZE {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the last automation that was done; nil at the start of a round.
async fn cursor(context: &Context) -> Result<Uuid> {
    let stored: Option<String> = context.redis.get().await?.get(context.redis.key(CURSOR)).await?;
    Ok(stored.and_then(|id| Uuid::try_parse(&id).ok()).unwrap_or_default())
}

async fn keep_cursor(context: &Context, after: Option<Uuid>) -> Result<()> {
    let (mut redis, key) = (context.redis.get().await?, context.redis.key(CURSOR));
    match after {
        Some(id) => redis.set_ex::<_, _, ()>(key, id.to_string(), CURSOR_TTL_SECS).await?,
        None => redis.del::<_, ()>(key).await?,
    }
    Ok(())
}
