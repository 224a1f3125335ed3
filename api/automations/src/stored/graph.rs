//! Stored graphs.

use api_core::Result;
use automation_model::graph::Graph;
use diesel::{
    Insertable, QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{Jsonb, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use shared::{
    id::AccountId,
    schema::{automation_edges, automation_nodes},
};
use uuid::Uuid;

/// Nodes and edges in one statement, so that both are of one version.
const GRAPH: &str = "SELECT
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'type', node_type, 'label', label, 'config', config,
            'position', jsonb_build_object('x', x, 'y', y), 'install_id', install_id) ORDER BY position)
        FROM automation_nodes WHERE account_id = $1 AND automation_id = $2), '[]') AS nodes,
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'source_node_id', source_node_id,
            'source_handle', source_handle, 'target_node_id', target_node_id) ORDER BY position)
        FROM automation_edges WHERE account_id = $1 AND automation_id = $2), '[]') AS edges";

#[derive(QueryableByName)]
struct Stored {
    #[diesel(sql_type = Jsonb)]
    nodes: Value,
    #[diesel(sql_type = Jsonb)]
    edges: Value,
}

#[derive(Insertable)]
#[diesel(table_name = automation_nodes)]
struct NewNode<'a> {
    account_id: Uuid,
    automation_id: Uuid,
    id: Uuid,
    node_type: &'a str,
    label: Option<&'a str>,
    config: &'a Value,
    x: f64,
    y: f64,
    install_id: Option<Uuid>,
    position: i32,
}

#[derive(Insertable)]
#[diesel(table_name = automation_edges)]
struct NewEdge<'a> {
    account_id: Uuid,
    automation_id: Uuid,
    id: Uuid,
    source_node_id: Uuid,
    source_handle: &'a str,
    target_node_id: Uuid,
    position: i32,
}

/// Reads the graph of an automation of the account.
pub(crate) async fn graph_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    automation: Uuid,
) -> Result<Graph> {
    let stored: Stored = sql_query(GRAPH)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<SqlUuid, _>(automation)
        .get_result(connection)
        .await?;
    Ok(serde_json::from_value(json!({ "nodes": stored.nodes, "edges": stored.edges }))?)
}

/// Replaces the graph of a locked automation of the account.
pub(crate) async fn replace(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    automation: Uuid,
    graph: &Graph,
) -> Result<()> {
    let own = automation_nodes::account_id.eq(account).and(automation_nodes::automation_id.eq(automation));
    // The edges go with their nodes.
    diesel::delete(automation_nodes::table.filter(own)).execute(connection).await?;
    let nodes: Vec<NewNode<'_>> = (0..)
        .zip(&graph.nodes)
        .map(|(position, node)| NewNode {
            account_id: account.uuid(),
            automation_id: automation,
            id: node.id,
            node_type: &node.r#type,
            label: node.label.as_deref(),
            config: &node.config,
            x: node.position.x,
            y: node.position.y,
            install_id: node.install_id,
            position,
        })
        .collect();
    insert_into(automation_nodes::table).values(nodes).execute(connection).await?;
    let edges: Vec<NewEdge<'_>> = (0..)
        .zip(&graph.edges)
        .map(|(position, edge)| NewEdge {
            account_id: account.uuid(),
            automation_id: automation,
            id: edge.id,
            source_node_id: edge.source_node_id,
            source_handle: &edge.source_handle,
            target_node_id: edge.target_node_id,
            position,
        })
        .collect();
    insert_into(automation_edges::table).values(edges).execute(connection).await?;
    Ok(())
}
