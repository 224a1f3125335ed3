//! Schedule triggers (reference/automations.md#schedules): a statement claims the automations that are due,
//! and the same transaction starts their runs and sets their next times.

mod db;

use std::{collections::HashSet, time::Duration};

use account_model::features;
use automation_model::{
    graph::Node,
    runs::{self, NewRun},
    schedule::next_after,
    starts::{context, trigger_value},
    triggers::{self, Trigger},
};
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use serde_json::{Value, json};
use shared::{Result, catalogue::Feature, clock::rfc3339};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::Context;

use crate::metrics::AutomationMetrics;
use db::Due;

/// Interval of checks for due schedules (reference/automations.md#schedules).
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Number of automations of one transaction; more follow immediately.
const BATCH_SIZE: i64 = 50;

/// Run that a schedule starts, and the time that it was due at.
struct DueRun {
    run: NewRun,
    due_at: DateTime<Utc>,
}

/// Starts due schedules until `shutdown` is cancelled.
pub(crate) async fn run(context: &Context, metrics: &AutomationMetrics, shutdown: &CancellationToken) {
    let mut ticks = interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        while !shutdown.is_cancelled() {
            match batch(context, metrics).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(%error, "due schedules cannot be started");
                    break;
                }
            }
        }
    }
}

/// Starts one batch; true when more may be due.
async fn batch(context: &Context, metrics: &AutomationMetrics) -> Result<bool> {
    let now = context.clock.now();
    let mut connection = context.databases.postgres.get().await?;
    let (claimed, started) =
        connection.transaction(async |connection| start_due(connection, now).await).await?;
    for due_at in started {
        metrics.scheduled((now - due_at).to_std().unwrap_or_default());
    }
    Ok(i64::try_from(claimed).is_ok_and(|claimed| claimed == BATCH_SIZE))
}

/// Returns the number of claimed automations and the times of the started runs.
async fn start_due(
    connection: &mut AsyncPgConnection,
    now: DateTime<Utc>,
) -> Result<(usize, Vec<DateTime<Utc>>)> {
    let due = db::claim(connection, now, BATCH_SIZE).await?;
    let accounts: Vec<Uuid> = due.iter().map(|due| due.account_id).collect();
    let off: HashSet<Uuid> = if accounts.is_empty() {
        HashSet::new()
    } else {
        features::accounts_without(connection, &accounts, Feature::Automations.key()).await?
    };
    let next: Vec<(Uuid, Option<DateTime<Utc>>)> = due.iter().map(|due| (due.id, next(due, now))).collect();
    db::set_next(connection, &next).await?;
    let mut started = Vec::new();
    for due in due.iter().filter(|due| !off.contains(&due.account_id)) {
        for DueRun { run, due_at } in due_runs(due, now) {
            let new = runs::start(connection, run).await?.filter(|started| started.is_new);
            started.extend(new.map(|_| due_at));
        }
    }
    Ok((accounts.len(), started))
}

/// Runs of the schedules of an automation whose minute has come. Minutes that passed without a copy are one
/// run.
fn due_runs(due: &Due, now: DateTime<Utc>) -> Vec<DueRun> {
    let before = due.next_run_at - TimeDelta::milliseconds(1);
    let run = |(node, due_at): (Uuid, DateTime<Utc>)| {
        let payload = json!({ "scheduled_at": rfc3339(due_at) });
        let run = NewRun {
            account: due.account_id,
            automation: due.id,
            trigger: trigger_value(node, "schedule", payload),
            context: context(Value::Null, Value::Null),
            dedupe_key: format!("schedule:{node}:{}", due_at.timestamp().div_euclid(60)),
            depth: 0,
            parent_run_id: None,
            is_test: false,
            now,
        };
        DueRun { run, due_at }
    };
    let schedules = schedules(due).into_iter();
    let first = schedules.filter_map(|(node, cron, timezone)| {
        Some((node, next_after(&cron, timezone, before).ok().flatten().filter(|first| *first <= now)?))
    });
    first.map(run).collect()
}

/// Earliest next time of the schedules of an automation.
fn next(due: &Due, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let next = schedules(due).into_iter().filter_map(|(_, cron, timezone)| {
        // An expression that is not valid never runs.
        next_after(&cron, timezone, now).ok().flatten()
    });
    next.min()
}

/// Nodes of an automation with their expression and time zone.
fn schedules(due: &Due) -> Vec<(Uuid, String, Tz)> {
    let own = due.timezone.parse().unwrap_or(Tz::UTC);
    let nodes: Vec<Node> = serde_json::from_value(due.nodes.clone()).unwrap_or_default();
    let parsed = nodes.iter().filter_map(|node| match triggers::parse(node) {
        Ok(Trigger::Schedule { cron, timezone }) => Some((node.id, cron, timezone.unwrap_or(own))),
        _ => None,
    });
    parsed.collect()
}
