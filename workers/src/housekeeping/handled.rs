//! Deletion of handled rows and of rows that will never be handled. It works in batches, so that no lock is
//! held for long, and takes one batch of each table in rotation, so that a table that grows fast does not
//! delay the others.

use chrono::{DateTime, Duration, Utc};
use diesel::{
    sql_query,
    sql_types::{BigInt, Timestamptz},
};
use diesel_async::RunQueryDsl;
use foundation::db::Database;
use prometheus::IntCounterVec;
use shared::{Result, connection::UNCONFIRMED_LOGIN_LIFETIME};

use super::budget::{Progress, TimeBudget};
use worker_core::Context;

/// Maximum number of rows that one statement deletes.
const BATCH_SIZE: usize = 10_000;

/// Rows that are deleted after a fixed time.
struct RetentionRule {
    table: &'static str,
    /// Condition for a row to be deleted; `$1` is the time before which rows are too old.
    is_over: &'static str,
    /// Column with the row's time. It has an index, or the condition has one that leaves few rows.
    time: &'static str,
    rule: Duration,
    /// Message that is logged when rows were deleted whose loss matters.
    loss: Option<&'static str>,
}

impl RetentionRule {
    const fn new(table: &'static str, time: &'static str, is_over: &'static str, rule: Duration) -> Self {
        Self { table, is_over, time, rule, loss: None }
    }

    /// Returns the statement for one batch. It selects rows by their physical place (`ctid`): the oldest
    /// first, without rows that others have locked.
    fn delete(&self) -> String {
        let Self { table, is_over, time, .. } = self;
        format!(
            "DELETE FROM {table} WHERE ctid = ANY (ARRAY( \
                 SELECT ctid FROM {table} WHERE {is_over} ORDER BY {time} LIMIT $2 FOR UPDATE SKIP LOCKED))"
        )
    }
}

/// Deliveries that could not be handled.
const OPEN_DELIVERIES: RetentionRule = RetentionRule {
    loss: Some("deliveries that were never handled are deleted"),
    ..RetentionRule::new(
        "webhook_inbox",
        "received_at",
        "handled_at IS NULL AND received_at < $1",
        // Kept for operators.
        Duration::days(7),
    )
};

static HANDLED: [RetentionRule; 21] = [
    // Time for which a repeated delivery is recognised (reference/connections.md#inbound-webhooks).
    RetentionRule::new("webhook_inbox", "handled_at", "handled_at < $1", Duration::hours(24)),
    OPEN_DELIVERIES,
    // Time for which a repeated action returns its first outcome
    // (reference/telemetry.md#actions-of-handlers).
    RetentionRule::new("extension_actions", "created_at", "created_at < $1", Duration::days(7)),
    RetentionRule::new("bot_command_replies", "created_at", "created_at < $1", Duration::days(7)),
    // Time for which a repeated request gets its first answer (reference/conventions.md#idempotency).
    RetentionRule::new("idempotent_requests", "created_at", "created_at < $1", Duration::hours(24)),
    // Retention of notifications (reference/notifications.md#notification).
    RetentionRule::new("notifications", "created_at", "created_at < $1", Duration::days(90)),
    // Kept for operators.
    RetentionRule {
        loss: Some("mails that were never sent are deleted"),
        ..RetentionRule::new("mails", "created_at", "created_at < $1", Duration::days(7))
    },
    // Time for which a repeated redemption runs no action (reference/rewards.md#redemptions).
    RetentionRule::new("reward_redemptions", "created_at", "created_at < $1", Duration::days(30)),
    RetentionRule::new("csp_reports", "received_at", "received_at < $1", Duration::days(30)),
    // Expired: they can no longer be confirmed (reference/users.md#unconfirmed-logins).
    RetentionRule::new("unconfirmed_logins", "created_at", "created_at < $1", UNCONFIRMED_LOGIN_LIFETIME),
    // Quota use, kept for operators.
    RetentionRule::new("platform_quota_shares", "day", "day < $1::date", Duration::days(30)),
    RetentionRule::new("platform_quotas", "day", "day < $1::date", Duration::days(30)),
    // Left over from deleted connections; for others they are made again. Longer than any pause between
    // refreshes.
    RetentionRule::new("token_refreshes", "updated_at", "updated_at < $1", Duration::days(2)),
    // They can no longer be accepted and may hold the address of a person who has no account
    // (reference/teams.md#invites).
    RetentionRule::new("developer_team_invites", "expires_at", "expires_at < $1", Duration::days(7)),
    // History of public profiles, from the day on which a row was no longer true
    // (reference/public-stats.md#retention).
    RetentionRule::new("public_profile_changes", "changed_at", "changed_at < $1", Duration::days(400)),
    RetentionRule::new("public_panels", "removed_at", "removed_at < $1", Duration::days(400)),
    // Channels that the crawler has left (reference/public-stats.md#retention). Those of which it reads the
    // profile stay, because accounts have connected them.
    RetentionRule::new(
        "crawler_channels",
        "visited_at",
        "next_at IS NULL AND NOT is_watched AND profile_next_at IS NULL AND visited_at < $1",
        Duration::days(90),
    ),
    // Channels that were connected and are not any more, without a visit; few, so their order needs no index.
    RetentionRule::new(
        "crawler_channels",
        "profiled_at",
        "next_at IS NULL AND NOT is_watched AND profile_next_at IS NULL AND visited_at IS NULL AND profiled_at < $1",
        Duration::days(90),
    ),
    // Log of outbound webhooks (reference/webhooks.md#log).
    RetentionRule::new("webhook_deliveries", "created_at", "created_at < $1", Duration::days(30)),
    // Usage (reference/usage.md#retention). Ids of batches are kept for longer than a batch may be offered again.
    RetentionRule::new("usage_hours", "hour", "hour < $1", Duration::days(90)),
    RetentionRule::new("usage_batches", "stored_at", "stored_at < $1", Duration::days(30)),
];

/// Retention of the audit trail (reference/accounts.md#audit-log).
static AUDIT: [RetentionRule; 1] =
    [RetentionRule::new("audit_log", "created_at", "created_at < $1", audit_chain::RETENTION)];

/// Deletes handled deliveries and everything else that is beyond its time.
pub(super) async fn forget(
    context: &Context,
    abandoned: &IntCounterVec,
    budget: &mut TimeBudget,
) -> Result<Progress> {
    forget_each(context, &HANDLED, budget, |rule, rows| {
        if rule.table == OPEN_DELIVERIES.table && rule.loss.is_some() {
            abandoned.with_label_values(&[] as &[&str]).inc_by(rows as u64);
        }
    })
    .await
}

/// Deletes audit entries beyond their retention.
pub(super) async fn forget_audit(context: &Context, budget: &mut TimeBudget) -> Result<Progress> {
    forget_each(context, &AUDIT, budget, |_kept, _rows| {}).await
}

async fn forget_each(
    context: &Context,
    tables: &'static [RetentionRule],
    budget: &mut TimeBudget,
    on_deleted: impl Fn(&RetentionRule, usize),
) -> Result<Progress> {
    let (postgres, now) = (&context.databases.postgres, context.clock.now());
    let mut left: Vec<&RetentionRule> = tables.iter().collect();
    while !left.is_empty() {
        let mut more = Vec::new();
        for rule in left {
            if !budget.allows_step() {
                return Ok(Progress::Pending);
            }
            let rows = delete(postgres, rule, now - rule.rule).await?;
            if rows > 0 {
                report(rule, rows);
                on_deleted(rule, rows);
            }
            if rows >= BATCH_SIZE {
                more.push(rule);
            }
        }
        left = more;
    }
    Ok(Progress::Completed)
}

async fn delete(database: &Database, rule: &RetentionRule, before: DateTime<Utc>) -> Result<usize> {
    let batch = i64::try_from(BATCH_SIZE).unwrap_or(i64::MAX);
    let rows = sql_query(rule.delete()).bind::<Timestamptz, _>(before).bind::<BigInt, _>(batch);
    Ok(rows.execute(&mut *database.get().await?).await?)
}

fn report(rule: &RetentionRule, rows: usize) {
    match rule.loss {
        Some(loss) => tracing::warn!(table = rule.table, rows, "{loss}"),
        None => tracing::info!(table = rule.table, rows, "expired rows deleted"),
    }
}
