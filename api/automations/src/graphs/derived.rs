//! Columns and rows that follow from a saved graph: the types of its triggers, the next time of its schedules,
//! and the registrations of trigger nodes of extensions (reference/automations.md#graphs).

use api_core::Result;
use automation_model::{
    graph::{Graph, Node},
    next_runs,
    node_types::Kind,
};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use diesel::{prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    schema::{account_settings, automations},
};
use uuid::Uuid;

use super::registrations;
use crate::{installed::InstalledNodes, stored};

/// Writes the graph of a locked automation, counts the change, and brings everything that follows from the
/// graph up to date.
pub(crate) async fn save(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    (id, enabled): (Uuid, bool),
    graph: &Graph,
    now: DateTime<Utc>,
) -> Result<()> {
    let installed = InstalledNodes::of_graph(connection, account, graph).await?;
    let next = if enabled { next_run(connection, account, graph, now).await? } else { None };
    stored::replace(connection, account, id, graph).await?;
    registrations::follow(connection, account, id, (graph, &installed), now).await?;
    update(automations::table.filter(automations::account_id.eq(account).and(automations::id.eq(id))))
        .set((
            automations::version.eq(automations::version + 1),
            automations::trigger_types.eq(trigger_types(graph, &installed)),
            automations::next_run_at.eq(next),
            automations::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Next time of the schedules of a graph; `None` without one.
pub(crate) async fn next_run(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    graph: &Graph,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    if !graph.nodes.iter().any(is_schedule) {
        return Ok(None);
    }
    let timezone = timezone(connection, account).await?;
    Ok(next_runs::next_run(&graph.nodes, timezone, now))
}

fn is_schedule(node: &Node) -> bool {
    node.r#type == "schedule"
}

async fn timezone(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Tz> {
    let name: Option<String> = account_settings::table
        .filter(account_settings::account_id.eq(account))
        .select(account_settings::timezone)
        .first(connection)
        .await
        .optional()?;
    Ok(name.and_then(|name| name.parse().ok()).unwrap_or(Tz::UTC))
}

/// Types of the trigger nodes, in their order.
fn trigger_types(graph: &Graph, installed: &InstalledNodes) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    for node in graph.nodes.iter().filter(|node| installed.kind_of(node) == Some(Kind::Trigger)) {
        if !types.contains(&node.r#type) {
            types.push(node.r#type.clone());
        }
    }
    types
}
