//! Forgetting what was handled, and what never will be: in batches, so that no lock is held for long.

use chrono::{DateTime, Duration, Utc};
use diesel::{
    sql_query,
    sql_types::{BigInt, Timestamptz},
};
use diesel_async::RunQueryDsl;
use prometheus::IntCounterVec;
use shared::{Result, db::Database};

use crate::Context;

/// A repeated delivery is recognised for this long (C §10).
const DELIVERIES_KEPT: Duration = Duration::hours(24);
/// A delivery that nobody could handle is kept for operators for this long.
const OPEN_DELIVERIES_KEPT: Duration = Duration::days(7);
/// A repeated action is answered its first outcome for this long.
const ACTIONS_KEPT: Duration = Duration::days(7);
const BATCH: i64 = 1000;
/// What is left after so many batches waits for the next run.
const MOST_BATCHES: usize = 200;

pub(super) async fn forget(context: &Context, abandoned: &IntCounterVec) -> Result<()> {
    let (postgres, now) = (&context.databases.postgres, context.clock.now());
    let deliveries = delete(
        postgres,
        "DELETE FROM webhook_inbox WHERE id IN \
         (SELECT id FROM webhook_inbox WHERE handled_at < $1 ORDER BY handled_at LIMIT $2)",
        now - DELIVERIES_KEPT,
    )
    .await?;
    let unhandled = delete(
        postgres,
        "DELETE FROM webhook_inbox WHERE id IN \
         (SELECT id FROM webhook_inbox WHERE handled_at IS NULL AND received_at < $1 ORDER BY received_at LIMIT $2)",
        now - OPEN_DELIVERIES_KEPT,
    )
    .await?;
    if unhandled > 0 {
        tracing::warn!(unhandled, "deliveries were never handled and are forgotten");
        abandoned.with_label_values(&[] as &[&str]).inc_by(unhandled as u64);
    }
    let actions = delete(
        postgres,
        "DELETE FROM extension_actions WHERE (install_id, invocation_id) IN \
         (SELECT install_id, invocation_id FROM extension_actions WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
        now - ACTIONS_KEPT,
    )
    .await?;
    tracing::info!(deliveries, actions, "handled rows forgotten");
    Ok(())
}

async fn delete(database: &Database, sql: &'static str, before: DateTime<Utc>) -> Result<usize> {
    let mut total = 0;
    for _ in 0..MOST_BATCHES {
        let batch = sql_query(sql).bind::<Timestamptz, _>(before).bind::<BigInt, _>(BATCH);
        let deleted = batch.execute(&mut *database.get().await?).await?;
        total += deleted;
        if deleted == 0 {
            break;
        }
    }
    Ok(total)
}
