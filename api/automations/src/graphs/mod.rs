//! Graphs of automations (reference/automations.md#graphs).

pub(crate) mod check;
mod derived;
pub mod graphql;
mod inputs;
pub(crate) mod layers;
mod references;
mod registrations;
pub mod rest;

use std::collections::HashSet;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Json,
};
use automation_model::graph::{Edge, Graph, MAX_HANDLE_LENGTH, MAX_NODE_LABEL_LENGTH, MAX_POSITION, Node};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};
use surfaces::object_access::{ObjectAccess, ObjectKind};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    objects::Automation,
    stored::{self, Change, Row},
};

pub(crate) use derived::{next_run, save};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&UPDATE_AUTOMATION_GRAPH, &UPDATE_AUTOMATION_NODES, &UPDATE_AUTOMATION_EDGES];

/// Length of the name of a node type, in characters (reference/automations.md#graphs).
const MAX_TYPE_LENGTH: usize = 100;

/// Node as an editor saves it.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({
    "id": "0196b1a0-7c00-7000-8000-000000000011",
    "type": "manual",
}))]
pub struct AutomationNodeInput {
    /// Identifier, chosen by the client, once in a graph.
    pub id: Uuid,
    /// Name of a node type.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    #[schema(extensions(("maxLength" = json!(MAX_TYPE_LENGTH))))]
    pub node_type: String,
    /// At most 100 characters; empty is null.
    #[schema(extensions(("maxLength" = json!(MAX_NODE_LABEL_LENGTH))))]
    pub label: Option<String>,
    /// Object of at most 16 KiB; empty when absent.
    pub config: Option<Json>,
    /// Place in the editor; the origin when absent.
    pub position: Option<AutomationNodePositionInput>,
    /// Install of the account. For the type `extension` only, which needs it.
    pub install_id: Option<Uuid>,
}

/// Place of a node in the editor.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AutomationNodePositionInput {
    /// -1,000,000 to 1,000,000.
    #[schema(extensions(("minimum" = json!(-MAX_POSITION)), ("maximum" = json!(MAX_POSITION))))]
    pub x: f64,
    /// -1,000,000 to 1,000,000.
    #[schema(extensions(("minimum" = json!(-MAX_POSITION)), ("maximum" = json!(MAX_POSITION))))]
    pub y: f64,
}

/// Edge as an editor saves it.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "id": "0196b1a0-7c00-7000-8000-000000000013",
    "source_node_id": "0196b1a0-7c00-7000-8000-000000000011",
    "source_handle": "out",
    "target_node_id": "0196b1a0-7c00-7000-8000-000000000012",
}))]
pub struct AutomationEdgeInput {
    /// Identifier, chosen by the client, once in a graph.
    pub id: Uuid,
    /// Node that the edge leaves.
    pub source_node_id: Uuid,
    /// Handle of that node: 1 to 32 letters, digits, `_` and `-`.
    #[schema(extensions(("maxLength" = json!(MAX_HANDLE_LENGTH))))]
    pub source_handle: String,
    /// Node that the edge enters.
    pub target_node_id: Uuid,
}

/// Whole graph of an automation.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({
    "version": 1,
    "nodes": [{ "id": "0196b1a0-7c00-7000-8000-000000000011", "type": "manual" }],
    "edges": [],
}))]
pub struct UpdateAutomationGraphInput {
    /// Version of the graph that the caller has seen.
    #[schema(extensions(("minimum" = json!(1)), ("maximum" = json!(i32::MAX))))]
    pub version: i32,
    /// At most 100 nodes.
    #[schema(max_items = 100)]
    pub nodes: Vec<AutomationNodeInput>,
    /// At most 200 edges. A run follows those of a handle in this order.
    #[schema(max_items = 200)]
    pub edges: Vec<AutomationEdgeInput>,
}

/// All nodes of a graph.
#[derive(Debug, Clone)]
pub struct AutomationNodesInput {
    /// Version of the graph that the caller has seen.
    pub version: i32,
    /// Nodes.
    pub nodes: Vec<AutomationNodeInput>,
}

/// All edges of a graph.
#[derive(Debug, Clone)]
pub struct AutomationEdgesInput {
    /// Version of the graph that the caller has seen.
    pub version: i32,
    /// Edges.
    pub edges: Vec<AutomationEdgeInput>,
}

pub static UPDATE_AUTOMATION_GRAPH: Operation<AccountCaller> =
    Operation::account("updateAutomationGraph", AccountPermission::AutomationsEdit, Grants::Nothing)
        .feature(Feature::Automations);

/// Replaces the graph of an automation.
///
/// A disabled automation may be saved incomplete. The graph of an enabled one must be able to run. The version
/// of the automation grows by one. Webhook secrets of trigger nodes that stay, or come back, are kept.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid graph, with an entry for each problem in `details.nodes`;
/// 404 when the account has no such automation or install; 409 when `version` is not the present one, which
/// `details.version` contains; 403 for a new or changed node that shows or hides layers of an overlay whose access
/// entries do not let the caller change it; 403 `FEATURE_DISABLED` when an enabled automation has an action whose
/// flag is off.
#[api_core::operation]
pub async fn update_automation_graph(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateAutomationGraphInput>,
) -> Result<Automation> {
    let caller = cx.authorize(&UPDATE_AUTOMATION_GRAPH).await?;
    let (id, UpdateAutomationGraphInput { version, nodes, edges }) = (id?, input?);
    let graph = Graph { nodes: inputs::nodes(nodes), edges: inputs::edges(edges) };
    check::require_draft(&graph)?;
    change(cx, &caller, (id, version), |_present| graph).await
}

pub static UPDATE_AUTOMATION_NODES: Operation<AccountCaller> =
    Operation::account("updateAutomationNodes", AccountPermission::AutomationsEdit, Grants::Nothing)
        .feature(Feature::Automations);

/// Replaces the nodes of an automation's graph.
///
/// Edges of nodes that are left out are removed; the others stay. Otherwise like `updateAutomationGraph`.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid graph, with an entry for each problem in `details.nodes`;
/// 404 when the account has no such automation or install; 409 when `version` is not the present one, which
/// `details.version` contains; 403 for a new or changed node that shows or hides layers of an overlay whose access
/// entries do not let the caller change it; 403 `FEATURE_DISABLED` when an enabled automation has an action whose
/// flag is off.
#[api_core::operation]
pub async fn update_automation_nodes(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AutomationNodesInput>,
) -> Result<Automation> {
    let caller = cx.authorize(&UPDATE_AUTOMATION_NODES).await?;
    let (id, AutomationNodesInput { version, nodes }) = (id?, input?);
    let nodes = inputs::nodes(nodes);
    check::require_draft(&Graph { nodes: nodes.clone(), edges: Vec::new() })?;
    change(cx, &caller, (id, version), |present| with_nodes(present, nodes)).await
}

pub static UPDATE_AUTOMATION_EDGES: Operation<AccountCaller> =
    Operation::account("updateAutomationEdges", AccountPermission::AutomationsEdit, Grants::Nothing)
        .feature(Feature::Automations);

/// Replaces the edges of an automation's graph.
///
/// The nodes stay. Otherwise like `updateAutomationGraph`.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid graph, with an entry for each problem in `details.nodes`;
/// 404 when the account has no such automation; 409 when `version` is not the present one, which
/// `details.version` contains; 403 `FEATURE_DISABLED` when an enabled automation has an action whose flag is
/// off.
#[api_core::operation]
pub async fn update_automation_edges(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AutomationEdgesInput>,
) -> Result<Automation> {
    let caller = cx.authorize(&UPDATE_AUTOMATION_EDGES).await?;
    let (id, AutomationEdgesInput { version, edges }) = (id?, input?);
    let edges: Vec<Edge> = inputs::edges(edges);
    change(cx, &caller, (id, version), |present| Graph { nodes: present.nodes, edges }).await
}

/// Saves a changed graph of the account's automation, when its version is the one that the caller has seen.
async fn change(
    cx: &Cx,
    caller: &AccountCaller,
    (id, seen): (Uuid, i32),
    changed: impl FnOnce(Graph) -> Graph + Send,
) -> Result<Automation> {
    let account = caller.account;
    let access = ObjectAccess::of(cx, account, ObjectKind::Overlay).await?;
    let saved = caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = stored::lock(connection, account, id).await?;
            if row.version != seen {
                let details = json!({ "version": row.version });
                return Err(ApiError::conflict("Automation was changed meanwhile").with_details(details));
            }
            let present = stored::graph_of(connection, account, id).await?;
            let installs = present.nodes.iter().filter_map(|node| node.install_id).collect();
            let known = present.nodes.clone();
            let graph = changed(present);
            check::require_draft(&graph)?;
            check::require_own_installs(connection, account, &graph, &installs).await?;
            layers::require_access(connection, &access, &graph, &known).await?;
            put(cx, connection, account, (row, graph)).await
        })
        .await?;
    stored::announce(cx, account).await;
    Ok(saved)
}

/// Writes a checked draft with its event and audit entry.
async fn put(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: AccountId,
    (row, graph): (Row, Graph),
) -> Result<Automation> {
    let (id, now) = (row.id, cx.state().clock.now());
    if row.enabled {
        check::require_runnable(cx, connection, account, &graph).await?;
    }
    save(connection, account, (id, row.enabled), &graph, now).await?;
    let row = stored::find(connection, account, id).await?;
    stored::publish(connection, account, (id, row.version), Change::Updated, now).await?;
    let metadata = json!({ "nodes": graph.nodes.len(), "edges": graph.edges.len(), "version": row.version });
    let entry = Entry { metadata, ..cx.audit("automation:graph_replaced", "automation", id) };
    audit::record(connection, entry).await?;
    Ok(Automation::of(row, graph))
}

/// Graph with other nodes and those of its edges whose ends remain.
fn with_nodes(present: Graph, nodes: Vec<Node>) -> Graph {
    let kept: HashSet<Uuid> = nodes.iter().map(|node| node.id).collect();
    let remains = |edge: &Edge| kept.contains(&edge.source_node_id) && kept.contains(&edge.target_node_id);
    let edges = present.edges.into_iter().filter(remains).collect();
    Graph { nodes, edges }
}
