//! Objects of the account that the configurations of nodes name (reference/automations.md#validation): one
//! statement for each kind that a graph uses.

use std::collections::HashSet;

use api_core::Result;
use automation_model::graph::{Graph, Node, NodeProblem};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::sounds::sounds_of_account;
use shared::id::AccountId;
use uuid::Uuid;

/// Kind of objects.
struct Kind {
    /// Node types whose configuration names one.
    types: &'static [&'static str],
    /// Key of the configuration.
    key: &'static str,
    /// Text of the problem.
    missing: &'static str,
    /// Statement that finds the objects of an account (`$1`) among ids (`$2`).
    sql: &'static str,
}

/// Node type that shows or hides a layer.
pub(super) const TOGGLE_LAYER: &str = "toggle_layer";

const KINDS: [Kind; 3] = [
    Kind {
        types: &["reward_redeemed"],
        key: "reward_id",
        missing: "Reward not found",
        sql: "SELECT id FROM rewards WHERE account_id = $1 AND id = ANY($2)",
    },
    Kind {
        types: &["run_automation"],
        key: "automation_id",
        missing: "Automation not found",
        sql: "SELECT id FROM automations WHERE account_id = $1 AND id = ANY($2)",
    },
    Kind {
        types: &[TOGGLE_LAYER],
        key: "overlay_id",
        missing: "Overlay not found",
        sql: "SELECT id FROM overlays WHERE account_id = $1 AND id = ANY($2)",
    },
];

/// Object by its id.
#[derive(QueryableByName)]
pub(super) struct Found {
    /// The id.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
}

#[derive(QueryableByName)]
struct Layer {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    overlay_id: Uuid,
}

/// Problems of nodes that name an object which the account does not have. A name with a template is known at
/// run time only.
pub(super) async fn problems(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    graph: &Graph,
) -> Result<Vec<NodeProblem>> {
    let mut problems = Vec::new();
    for kind in &KINDS {
        let named = named(graph, kind.types, kind.key);
        problems.extend(missing(connection, account, &named, kind.sql, kind.missing).await?);
    }
    let sounds = named(graph, &["play_sound", "stop_sound"], "sound_id");
    let sql = format!("SELECT id FROM ({}) AS sound WHERE id = ANY($2)", sounds_of_account());
    problems.extend(missing(connection, account, &sounds, &sql, "Sound not found").await?);
    problems.extend(layers(connection, account, graph).await?);
    Ok(problems)
}

async fn missing(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    named: &[(Uuid, Uuid)],
    sql: &str,
    message: &str,
) -> Result<Vec<NodeProblem>> {
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = named.iter().map(|(_, id)| *id).collect();
    let found: Vec<Found> = sql_query(sql)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Array<SqlUuid>, _>(ids)
        .load(connection)
        .await?;
    let found: HashSet<Uuid> = found.into_iter().map(|found| found.id).collect();
    let foreign = named.iter().filter(|(_, id)| !found.contains(id));
    Ok(foreign.map(|(node, _)| NodeProblem::of_node(*node, message)).collect())
}

/// Layers must be of the overlay that their node names.
async fn layers(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    graph: &Graph,
) -> Result<Vec<NodeProblem>> {
    let named = named(graph, &[TOGGLE_LAYER], "layer_id");
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = named.iter().map(|(_, id)| *id).collect();
    let found: Vec<Layer> =
        sql_query("SELECT id, overlay_id FROM overlay_layers WHERE account_id = $1 AND id = ANY($2)")
            .bind::<SqlUuid, _>(account.uuid())
            .bind::<Array<SqlUuid>, _>(ids)
            .load(connection)
            .await?;
    let mut problems = Vec::new();
    for node in &graph.nodes {
        let Some(layer) = id_in(node, &[TOGGLE_LAYER], "layer_id") else { continue };
        let overlay = id_in(node, &[TOGGLE_LAYER], "overlay_id");
        let is_of_overlay = |found: &Layer| overlay.is_none_or(|overlay| overlay == found.overlay_id);
        if !found.iter().any(|found| found.id == layer && is_of_overlay(found)) {
            problems.push(NodeProblem::of_node(node.id, "Layer not found"));
        }
    }
    Ok(problems)
}

/// Nodes of the types, with the ids under the key.
fn named(graph: &Graph, types: &[&str], key: &str) -> Vec<(Uuid, Uuid)> {
    let pair = |node: &Node| Some((node.id, id_in(node, types, key)?));
    graph.nodes.iter().filter_map(pair).collect()
}

fn id_in(node: &Node, types: &[&str], key: &str) -> Option<Uuid> {
    if !types.contains(&node.r#type.as_str()) {
        return None;
    }
    node.config.get(key)?.as_str()?.trim().parse().ok()
}
