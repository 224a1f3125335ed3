//! Forgetting what was handled, and what never will be: in batches, so that no lock is held for long, and a batch of each
//! table in turn, so that a table that grows fast does not keep the others waiting.

use chrono::{DateTime, Duration, Utc};
use diesel::{
    sql_query,
    sql_types::{BigInt, Timestamptz},
};
use diesel_async::RunQueryDsl;
use prometheus::IntCounterVec;
use shared::{Result, connections::UNCONFIRMED_LOGIN_LIFETIME, db::Database};

use super::turn::{Progress, Turn};
use crate::Context;

/// Rows of one statement.
const BATCH: usize = 10_000;

/// Rows that are forgotten after their time.
struct Kept {
    table: &'static str,
    /// Whether a row's time is over: `$1` is the moment before which it is.
    is_over: &'static str,
    /// The column of their time, which has an index.
    time: &'static str,
    kept: Duration,
    /// What it means that there are any, when that is bad.
    loss: Option<&'static str>,
}

impl Kept {
    const fn new(table: &'static str, time: &'static str, is_over: &'static str, kept: Duration) -> Self {
        Self { table, is_over, time, kept, loss: None }
    }

    /// Rows are found by where they are stored: the next of them are the oldest, and others' locks are passed by.
    fn delete(&self) -> String {
        let Self { table, is_over, time, .. } = self;
        format!(
            "DELETE FROM {table} WHERE ctid = ANY (ARRAY( \
                 SELECT ctid FROM {table} WHERE {is_over} ORDER BY {time} LIMIT $2 FOR UPDATE SKIP LOCKED))"
        )
    }
}

/// A delivery that nobody could handle.
const OPEN_DELIVERIES: Kept = Kept {
    loss: Some("deliveries were never handled and are forgotten"),
    ..Kept::new(
        "webhook_inbox",
        "received_at",
        "handled_at IS NULL AND received_at < $1",
        // For operators.
        Duration::days(7),
    )
};

static HANDLED: [Kept; 11] = [
    // A repeated delivery is recognised for this long (C §10).
    Kept::new("webhook_inbox", "handled_at", "handled_at < $1", Duration::hours(24)),
    OPEN_DELIVERIES,
    // A repeated action is answered its first outcome for this long.
    Kept::new("extension_actions", "created_at", "created_at < $1", Duration::days(7)),
    Kept::new("bot_command_replies", "created_at", "created_at < $1", Duration::days(7)),
    // C B19.
    Kept::new("notifications", "created_at", "created_at < $1", Duration::days(90)),
    // For operators.
    Kept {
        loss: Some("mails never went out and are forgotten"),
        ..Kept::new("mails", "created_at", "created_at < $1", Duration::days(7))
    },
    Kept::new("csp_reports", "received_at", "received_at < $1", Duration::days(30)),
    // Nobody confirms them any more (specification E, 1).
    Kept::new("unconfirmed_logins", "created_at", "created_at < $1", UNCONFIRMED_LOGIN_LIFETIME),
    // What was spent of a quota, for operators.
    Kept::new("platform_quota_shares", "day", "day < $1::date", Duration::days(30)),
    Kept::new("platform_quotas", "day", "day < $1::date", Duration::days(30)),
    // Left behind by connections that were deleted, for others they are made anew; longer than any pause between
    // refreshes.
    Kept::new("token_refreshes", "updated_at", "updated_at < $1", Duration::days(2)),
];

/// The audit trail (C §14).
static AUDIT: [Kept; 1] = [Kept::new("audit_log", "created_at", "created_at < $1", Duration::days(365))];

/// Forgets deliveries that were handled, and everything else that has had its time.
pub(super) async fn forget(
    context: &Context,
    abandoned: &IntCounterVec,
    turn: &mut Turn,
) -> Result<Progress> {
    forget_each(context, &HANDLED, turn, |kept, rows| {
        if kept.table == OPEN_DELIVERIES.table && kept.loss.is_some() {
            abandoned.with_label_values(&[] as &[&str]).inc_by(rows as u64);
        }
    })
    .await
}

/// Forgets the audit trail beyond its retention.
pub(super) async fn forget_audit(context: &Context, turn: &mut Turn) -> Result<Progress> {
    forget_each(context, &AUDIT, turn, |_kept, _rows| {}).await
}

async fn forget_each(
    context: &Context,
    tables: &'static [Kept],
    turn: &mut Turn,
    tell: impl Fn(&Kept, usize),
) -> Result<Progress> {
    let (postgres, now) = (&context.databases.postgres, context.clock.now());
    let mut left: Vec<&Kept> = tables.iter().collect();
    while !left.is_empty() {
        let mut more = Vec::new();
        for kept in left {
            if !turn.goes_on() {
                return Ok(Progress::Left);
            }
            let rows = delete(postgres, kept, now - kept.kept).await?;
            if rows > 0 {
                report(kept, rows);
                tell(kept, rows);
            }
            if rows >= BATCH {
                more.push(kept);
            }
        }
        left = more;
    }
    Ok(Progress::Through)
}

async fn delete(database: &Database, kept: &Kept, before: DateTime<Utc>) -> Result<usize> {
    let batch = i64::try_from(BATCH).unwrap_or(i64::MAX);
    let rows = sql_query(kept.delete()).bind::<Timestamptz, _>(before).bind::<BigInt, _>(batch);
    Ok(rows.execute(&mut *database.get().await?).await?)
}

fn report(kept: &Kept, rows: usize) {
    match kept.loss {
        Some(loss) => tracing::warn!(table = kept.table, rows, "{loss}"),
        None => tracing::info!(table = kept.table, rows, "rows that have had their time are forgotten"),
    }
}
