//! Trigger nodes of automations that are polled (reference/automations.md#polling).

use std::time::Duration;

use anyhow::Result;
use diesel::{
    sql_query,
    sql_types::{Integer, Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use stack::{
    Stack,
    measure::{processor_time, short},
};
use uuid::Uuid;

use crate::table::{Row, Table};

const ACCOUNTS: i32 = 500;
const TRIGGERS_OF_ACCOUNT: i32 = 10;
const INTERVAL_SECS: u32 = 30;
const DAEMON: &str = "extension-runtime";
/// Time in which the worker has read the list of triggers, and each was due once.
const START_DURATION: Duration = Duration::from_secs(45);
const MEASURED_DURATION: Duration = Duration::from_secs(60);
/// Waits as long as the configuration of the node states.
const HANDLER: &str = "export const ask = async (ctx, input) => {
    const { pause } = input.config;
    if (pause) await new Promise((resolve) => setTimeout(resolve, pause));
    return { fired: false, state: { seen: 1 } };
};";
/// Pause of each call with which a worker has less time than it needs.
const PAUSE_MS: i32 = 2_000;
/// Part of the due slots that may be neither called nor skipped: those that wait.
const MAX_UNCOUNTED_RATIO: f64 = 0.1;

/// Measures and adds the row.
pub async fn run(stack: &mut Stack, table: &mut Table) -> Result<()> {
    let mut connection = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
    let user_id = stack.user_id.parse::<Uuid>()?;
    add_triggers(&mut connection, user_id).await?;
    let pid = stack.ensure_worker(DAEMON)?;
    tokio::time::sleep(START_DURATION).await;
    let cpu_before = processor_time(pid)?;
    let idle = Figures::of_a_minute(stack).await?;
    let cpu = (processor_time(pid)? - cpu_before).as_secs_f64() * 1e3 / idle.called.max(1.0);
    table.add(Row {
        work: "5,000 triggers that are polled every 30 s",
        figure: format!("{}, {} ms CPU a call", idle.summary(), short(cpu)),
        bar: "none",
        met: None,
    });
    sql_query(
        "UPDATE automation_trigger_registrations SET config = jsonb_build_object('pause', $1::integer)",
    )
    .bind::<Integer, _>(PAUSE_MS)
    .execute(&mut connection)
    .await?;
    // The oldest poll that waits is then one interval old.
    tokio::time::sleep(START_DURATION).await;
    let slow = Figures::of_a_minute(stack).await?;
    // The worker stays for other parts.
    sql_query("UPDATE automations SET enabled = false").execute(&mut connection).await?;
    let due = due_per_second() * MEASURED_DURATION.as_secs_f64();
    let is_counted = (slow.called + slow.skipped - due).abs() <= MAX_UNCOUNTED_RATIO * due;
    table.add(Row {
        work: "The same while each call takes 2 s, more than one worker has time for",
        figure: slow.summary(),
        bar: "each slot called or skipped, late by less than 30 s",
        met: Some(
            slow.called > 0.0
                && slow.skipped > 0.0
                && is_counted
                && slow.lateness() < f64::from(INTERVAL_SECS),
        ),
    });
    Ok(())
}

fn due_per_second() -> f64 {
    f64::from(ACCOUNTS * TRIGGERS_OF_ACCOUNT) / f64::from(INTERVAL_SECS)
}

/// Figures of the worker until now.
struct Figures {
    called: f64,
    skipped: f64,
    /// Sum over all calls.
    late_secs: f64,
}

impl Figures {
    /// Figures of the measured time.
    async fn of_a_minute(stack: &Stack) -> Result<Self> {
        let before = Self::read(&stack.metrics(DAEMON).await?);
        tokio::time::sleep(MEASURED_DURATION).await;
        let after = Self::read(&stack.metrics(DAEMON).await?);
        Ok(Self {
            called: after.called - before.called,
            skipped: after.skipped - before.skipped,
            late_secs: after.late_secs - before.late_secs,
        })
    }

    /// Seconds from the begin of a slot to its call, on average.
    fn lateness(&self) -> f64 {
        self.late_secs / self.called.max(1.0)
    }

    fn summary(&self) -> String {
        format!(
            "{} calls/s of {} due, {} s late on average, {} slots skipped in {} s",
            short(self.called / MEASURED_DURATION.as_secs_f64()),
            short(due_per_second()),
            short(self.lateness()),
            self.skipped,
            MEASURED_DURATION.as_secs()
        )
    }

    fn read(exposition: &str) -> Self {
        let sum = |is_wanted: &dyn Fn(&str) -> bool| -> f64 {
            let values = exposition.lines().filter(|line| !line.starts_with('#') && is_wanted(line));
            values.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
        };
        let is_poll = |line: &str| line.starts_with("lumio_automation_polls_total{");
        let is_call = |line: &str| line.contains("outcome=\"called\"");
        Self {
            called: sum(&|line| is_poll(line) && is_call(line)),
            skipped: sum(&|line| is_poll(line) && !is_call(line)),
            late_secs: sum(&|line| line.starts_with("lumio_automation_poll_lateness_seconds_sum")),
        }
    }
}

/// Adds accounts with one install and ten automations each, whose triggers are polled.
async fn add_triggers(connection: &mut AsyncPgConnection, owner: Uuid) -> Result<()> {
    let (extension, version) = (Uuid::now_v7(), Uuid::now_v7());
    let manifest = json!({
        "extensionId": extension, "name": "Polled", "description": "Polled", "category": "automation_node",
        "version": "1.0.0", "server": true, "permissions": [],
        "automation_node": {
            "node_type": "trigger", "name": "Polled", "trigger_mode": "polling", "handler": "ask",
            "output_schema": { "type": "object" },
        },
    });
    sql_query(
        "INSERT INTO extensions (id, short_id, slug, name, category, status)
         VALUES ($1, $2, $2, 'Polled', 'automation_node', 'approved')",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<Text, _>(extension.simple().to_string())
    .execute(connection)
    .await?;
    sql_query(
        "INSERT INTO extension_versions
            (id, extension_id, version, status, manifest, bundle_size_bytes, handler_code)
         VALUES ($1, $2, '1.0.0', 'approved', $3, 1, $4)",
    )
    .bind::<SqlUuid, _>(version)
    .bind::<SqlUuid, _>(extension)
    .bind::<Jsonb, _>(manifest)
    .bind::<Text, _>(HANDLER)
    .execute(connection)
    .await?;
    sql_query(
        "WITH made AS (
            INSERT INTO accounts (id, name, slug, owner_id, plan_id)
            SELECT gen_random_uuid(), 'polled ' || n, 'polled-' || n, $1, (SELECT id FROM plans WHERE slug = 'pro')
            FROM generate_series(1, $4) AS n RETURNING id
         )
         INSERT INTO extension_installs (id, account_id, extension_id, version_id, granted_permissions)
         SELECT gen_random_uuid(), id, $2, $3, '{}' FROM made",
    )
    .bind::<SqlUuid, _>(owner)
    .bind::<SqlUuid, _>(extension)
    .bind::<SqlUuid, _>(version)
    .bind::<Integer, _>(ACCOUNTS)
    .execute(connection)
    .await?;
    sql_query(
        "WITH made AS (
            INSERT INTO automations (id, account_id, name, enabled)
            SELECT gen_random_uuid(), installs.account_id, 'polled ' || n, true
            FROM extension_installs AS installs, generate_series(1, $2) AS n
            WHERE installs.extension_id = $1 RETURNING id, account_id
         )
         INSERT INTO automation_trigger_registrations
            (id, account_id, automation_id, node_id, install_id, mode, poll_interval_seconds)
         SELECT gen_random_uuid(), made.account_id, made.id, gen_random_uuid(), installs.id, 'polling', 30
         FROM made JOIN extension_installs AS installs
            ON installs.account_id = made.account_id AND installs.extension_id = $1",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<Integer, _>(TRIGGERS_OF_ACCOUNT)
    .execute(connection)
    .await?;
    Ok(())
}
