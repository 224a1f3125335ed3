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
/// Entries of the audit trail are kept for this long (C §14).
const AUDIT_KEPT: Duration = Duration::days(365);
/// Notifications are kept for this long (C B19).
const NOTIFICATIONS_KEPT: Duration = Duration::days(90);
/// A mail that never went out is kept for operators for this long.
const MAILS_KEPT: Duration = Duration::days(7);
/// Reports of browsers are kept for this long.
const CSP_REPORTS_KEPT: Duration = Duration::days(30);
/// What is known of failed token refreshes is kept for longer than any pause between them.
const REFRESHES_KEPT: Duration = Duration::days(2);
/// What was spent of a quota is kept for operators for this long.
const QUOTAS_KEPT: Duration = Duration::days(30);
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
    let replies = delete(
        postgres,
        "DELETE FROM bot_command_replies WHERE (account_id, event_id) IN \
         (SELECT account_id, event_id FROM bot_command_replies WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
        now - ACTIONS_KEPT,
    )
    .await?;
    let notifications = delete(
        postgres,
        "DELETE FROM notifications WHERE id IN \
         (SELECT id FROM notifications WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
        now - NOTIFICATIONS_KEPT,
    )
    .await?;
    let mails = delete(
        postgres,
        "DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
        now - MAILS_KEPT,
    )
    .await?;
    if mails > 0 {
        tracing::warn!(mails, "mails never went out and are forgotten");
    }
    let csp_reports = delete(
        postgres,
        "DELETE FROM csp_reports WHERE id IN \
         (SELECT id FROM csp_reports WHERE received_at < $1 ORDER BY received_at LIMIT $2)",
        now - CSP_REPORTS_KEPT,
    )
    .await?;
    delete(
        postgres,
        "DELETE FROM platform_quotas WHERE (platform, client_id, day) IN \
         (SELECT platform, client_id, day FROM platform_quotas WHERE day < $1::date ORDER BY day LIMIT $2)",
        now - QUOTAS_KEPT,
    )
    .await?;
    // Left behind by connections that were deleted; for others they are made anew.
    delete(
        postgres,
        "DELETE FROM token_refreshes WHERE connection_id IN \
         (SELECT connection_id FROM token_refreshes WHERE updated_at < $1 ORDER BY updated_at LIMIT $2)",
        now - REFRESHES_KEPT,
    )
    .await?;
    tracing::info!(deliveries, actions, replies, notifications, csp_reports, "handled rows forgotten");
    Ok(())
}

/// Forgets the audit trail beyond its retention.
pub(super) async fn forget_audit(context: &Context) -> Result<()> {
    let entries = delete(
        &context.databases.postgres,
        "DELETE FROM audit_log WHERE id IN \
         (SELECT id FROM audit_log WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
        context.clock.now() - AUDIT_KEPT,
    )
    .await?;
    tracing::info!(entries, "entries of the audit trail forgotten");
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
