//! Automations and their graphs as callers see them (reference/automations.md#automations).

use api_core::{
    Timestamp,
    graphql::{Int64, Json},
};
use automation_model::graph::{Edge, Graph, Node};
use juniper::GraphQLObject;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::stored::Row;

/// Automation without its graph.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationSummary {
    /// Identifier.
    pub id: Uuid,
    /// Account.
    pub account_id: Uuid,
    /// Name.
    pub name: String,
    /// Description, or null.
    pub description: Option<String>,
    /// True when its triggers start runs.
    pub enabled: bool,
    /// Types of its trigger nodes, each once.
    pub trigger_types: Vec<String>,
    /// Number of the present graph. Each change of the graph adds one.
    pub version: i32,
    /// Time of the last start of a run, or null.
    pub last_run_at: Option<Timestamp>,
    /// Next time of its schedules. Null without a schedule, and while it is disabled.
    pub next_run_at: Option<Timestamp>,
    /// Number of runs.
    pub run_count: Int64,
    /// Person who created it, or null.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change of the automation or its graph.
    pub updated_at: Timestamp,
}

/// Automation with its graph.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Automation {
    /// Identifier.
    pub id: Uuid,
    /// Account.
    pub account_id: Uuid,
    /// Name.
    pub name: String,
    /// Description, or null.
    pub description: Option<String>,
    /// True when its triggers start runs.
    pub enabled: bool,
    /// Types of its trigger nodes, each once.
    pub trigger_types: Vec<String>,
    /// Number of the present graph. Each change of the graph adds one.
    pub version: i32,
    /// Time of the last start of a run, or null.
    pub last_run_at: Option<Timestamp>,
    /// Next time of its schedules. Null without a schedule, and while it is disabled.
    pub next_run_at: Option<Timestamp>,
    /// Number of runs.
    pub run_count: Int64,
    /// Person who created it, or null.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change of the automation or its graph.
    pub updated_at: Timestamp,
    /// Nodes of its graph, in the order in which they were saved.
    pub nodes: Vec<AutomationNode>,
    /// Edges of its graph, in the order in which a run follows them.
    pub edges: Vec<AutomationEdge>,
}

/// Node of an automation's graph.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AutomationNode {
    /// Identifier, chosen by the client.
    pub id: Uuid,
    /// Name of the node type.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub node_type: String,
    /// Label in the editor, or null.
    pub label: Option<String>,
    /// Settings, by the type.
    pub config: Json,
    /// Place in the editor.
    pub position: AutomationNodePosition,
    /// Install of a node of an extension. Null for built-in types.
    pub install_id: Option<Uuid>,
}

/// Place of a node in the editor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct AutomationNodePosition {
    /// Horizontal distance from the origin.
    pub x: f64,
    /// Vertical distance from the origin.
    pub y: f64,
}

/// Edge of an automation's graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AutomationEdge {
    /// Identifier, chosen by the client.
    pub id: Uuid,
    /// Node that the edge leaves.
    pub source_node_id: Uuid,
    /// Handle of that node: `out`, `true`, `false`, `done`, `error`, or the name of a branch.
    pub source_handle: String,
    /// Node that the edge enters.
    pub target_node_id: Uuid,
}

impl AutomationSummary {
    pub(crate) fn of(row: Row) -> Self {
        Self {
            id: row.id,
            account_id: row.account_id.uuid(),
            name: row.name,
            description: row.description,
            enabled: row.enabled,
            trigger_types: row.trigger_types,
            version: row.version,
            last_run_at: row.last_run_at,
            next_run_at: row.next_run_at,
            run_count: Int64(row.run_count),
            created_by: row.created_by,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl Automation {
    pub(crate) fn of(row: Row, graph: Graph) -> Self {
        Self {
            id: row.id,
            account_id: row.account_id.uuid(),
            name: row.name,
            description: row.description,
            enabled: row.enabled,
            trigger_types: row.trigger_types,
            version: row.version,
            last_run_at: row.last_run_at,
            next_run_at: row.next_run_at,
            run_count: Int64(row.run_count),
            created_by: row.created_by,
            created_at: row.created_at,
            updated_at: row.updated_at,
            nodes: graph.nodes.into_iter().map(AutomationNode::of).collect(),
            edges: graph.edges.into_iter().map(AutomationEdge::of).collect(),
        }
    }
}

impl AutomationNode {
    fn of(node: Node) -> Self {
        Self {
            id: node.id,
            node_type: node.r#type,
            label: node.label,
            config: Json(node.config),
            position: AutomationNodePosition { x: node.position.x, y: node.position.y },
            install_id: node.install_id,
        }
    }
}

impl AutomationEdge {
    fn of(edge: Edge) -> Self {
        Self {
            id: edge.id,
            source_node_id: edge.source_node_id,
            source_handle: edge.source_handle,
            target_node_id: edge.target_node_id,
        }
    }
}
