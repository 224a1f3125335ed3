//! Registrations of trigger nodes of extensions, which follow the saved graph
//! (reference/automations.md#registrations).

use std::collections::HashSet;

use api_core::Result;
use automation_model::{
    graph::{Graph, NodeProblem},
    node_types::Kind,
};
use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Array, Integer, Jsonb, Text, Timestamptz, Uuid as SqlUuid},
    update,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::{AutomationNode, TriggerMode};
use serde_json::Value;
use shared::{
    id::{self, AccountId},
    schema::automation_trigger_registrations as registrations,
};
use uuid::Uuid;

use crate::installed::{InstalledNodes, is_of_extension, kind};

/// Interval of polls of a node that declares none, in seconds (reference/automations.md#polling).
const DEFAULT_POLL_SECS: u32 = 30;

/// Problems of trigger nodes that share an install. Its webhook has one secret in an automation, which selects one
/// node: a further one would get nothing.
pub(super) fn problems(graph: &Graph, installed: &InstalledNodes) -> Vec<NodeProblem> {
    let mut listening = HashSet::new();
    let has_webhook = |install: &Uuid| {
        let declared = installed.nodes.get(install);
        declared.is_some_and(|node| kind(node.node_type) == Kind::Trigger && mode(node) != "polling")
    };
    let second = graph.nodes.iter().filter(|node| {
        let install = node.install_id.filter(has_webhook);
        install.is_some_and(|install| !listening.insert(install))
    });
    second.map(|node| NodeProblem::of_node(node.id, "Another node has the webhook of the install")).collect()
}

/// Columns of the rows to write.
#[derive(Default)]
struct Columns {
    ids: Vec<Uuid>,
    nodes: Vec<Uuid>,
    installs: Vec<Uuid>,
    modes: Vec<&'static str>,
    intervals: Vec<i32>,
    configs: Vec<Value>,
}

/// Adds, updates and disables the registrations of an automation. A node that comes back finds its row with
/// its state and secret, unless it is of another install now. The row of a node whose install does not run
/// stays as it is.
pub(super) async fn follow(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    automation: Uuid,
    (graph, installed): (&Graph, &InstalledNodes),
    now: DateTime<Utc>,
) -> Result<()> {
    let (mut columns, mut kept) = (Columns::default(), Vec::new());
    for node in graph.nodes.iter().filter(|node| is_of_extension(node)) {
        let declared = node.install_id.and_then(|install| Some((install, installed.nodes.get(&install)?)));
        match (declared, installed.kind_of(node)) {
            (Some((install, declared)), Some(Kind::Trigger)) => {
                kept.push(node.id);
                columns.add(node.id, install, declared, &node.config);
            }
            (Some(_), _) => {}
            (None, _) => kept.push(node.id),
        }
    }
    disable_others(connection, account, automation, &kept, now).await?;
    if columns.ids.is_empty() {
        return Ok(());
    }
    columns.write(connection, account, automation, now).await
}

async fn disable_others(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    automation: Uuid,
    kept: &[Uuid],
    now: DateTime<Utc>,
) -> Result<()> {
    let own = registrations::account_id.eq(account).and(registrations::automation_id.eq(automation));
    update(registrations::table.filter(own))
        .filter(registrations::enabled)
        .filter(registrations::node_id.ne_all(kept))
        .set((registrations::enabled.eq(false), registrations::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

impl Columns {
    fn add(&mut self, node: Uuid, install: Uuid, declared: &AutomationNode, config: &Value) {
        self.ids.push(id::new());
        self.nodes.push(node);
        self.installs.push(install);
        self.modes.push(mode(declared));
        let interval = declared.poll_interval_seconds.unwrap_or(DEFAULT_POLL_SECS);
        self.intervals.push(i32::try_from(interval).unwrap_or(i32::MAX));
        self.configs.push(config.clone());
    }

    async fn write(
        self,
        connection: &mut AsyncPgConnection,
        account: AccountId,
        automation: Uuid,
        now: DateTime<Utc>,
    ) -> Result<()> {
        sql_query(
            "INSERT INTO automation_trigger_registrations AS present (id, account_id, automation_id, node_id,
                install_id, mode, poll_interval_seconds, config, enabled, created_at, updated_at)
             SELECT given.id, $1, $2, given.node_id, given.install_id, given.mode, given.interval, given.config,
                true, $3, $3
             FROM unnest($4, $5, $6, $7, $8, $9) AS given (id, node_id, install_id, mode, interval, config)
             ON CONFLICT (automation_id, node_id) DO UPDATE SET
                install_id = EXCLUDED.install_id, mode = EXCLUDED.mode,
                poll_interval_seconds = EXCLUDED.poll_interval_seconds, config = EXCLUDED.config,
                enabled = true, updated_at = EXCLUDED.updated_at,
                state = CASE WHEN present.install_id = EXCLUDED.install_id THEN present.state ELSE 'null' END,
                webhook_secret = CASE WHEN present.install_id = EXCLUDED.install_id
                    THEN present.webhook_secret END,
                webhook_secret_hash = CASE WHEN present.install_id = EXCLUDED.install_id
                    THEN present.webhook_secret_hash END",
        )
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<SqlUuid, _>(automation)
        .bind::<Timestamptz, _>(now)
        .bind::<Array<SqlUuid>, _>(self.ids)
        .bind::<Array<SqlUuid>, _>(self.nodes)
        .bind::<Array<SqlUuid>, _>(self.installs)
        .bind::<Array<Text>, _>(self.modes)
        .bind::<Array<Integer>, _>(self.intervals)
        .bind::<Array<Jsonb>, _>(self.configs)
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// Mode of a registration of a node.
const fn mode(declared: &AutomationNode) -> &'static str {
    match declared.trigger_mode {
        Some(TriggerMode::Polling) => "polling",
        Some(TriggerMode::Both) => "both",
        Some(TriggerMode::Webhook) | None => "webhook",
    }
}
