//! Graphs of automations, as they are stored and sent (reference/automations.md#nodes).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::node_types::Kind;

/// Maximum number of nodes of a graph (reference/automations.md#nodes).
pub const MAX_NODES: usize = 100;
/// Maximum number of edges of a graph (reference/automations.md#nodes).
pub const MAX_EDGES: usize = 200;
/// Maximum size of a node's configuration, in bytes of JSON (reference/automations.md#nodes).
pub const MAX_CONFIG_BYTES: usize = 16 * 1024;
/// Maximum depth of a node's configuration (reference/automations.md#nodes).
pub const MAX_CONFIG_DEPTH: usize = 32;
/// Maximum length of a node's label, in characters (reference/automations.md#nodes).
pub const MAX_NODE_LABEL_LENGTH: usize = 100;
/// Maximum length of a handle's name, in characters (reference/automations.md#nodes).
pub const MAX_HANDLE_LENGTH: usize = 32;
/// Maximum distance of a node from the origin of the editor, in each direction
/// (reference/automations.md#nodes).
pub const MAX_POSITION: f64 = 1_000_000.0;

/// Place of a node in the editor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Horizontal distance.
    pub x: f64,
    /// Vertical distance.
    pub y: f64,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Id, chosen by the client.
    pub id: Uuid,
    /// Name of the node type.
    pub r#type: String,
    /// Label in the editor.
    #[serde(default)]
    pub label: Option<String>,
    /// Configuration, a JSON object.
    #[serde(default = "empty")]
    pub config: Value,
    /// Place in the editor.
    #[serde(default)]
    pub position: Position,
    /// Install of a node of an extension.
    #[serde(default)]
    pub install_id: Option<Uuid>,
}

/// An edge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Id, chosen by the client.
    pub id: Uuid,
    /// Node that the edge leaves.
    pub source_node_id: Uuid,
    /// Handle of that node.
    pub source_handle: String,
    /// Node that the edge enters.
    pub target_node_id: Uuid,
}

/// Nodes and edges. Edges of a handle are followed in the order of this list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Edges.
    pub edges: Vec<Edge>,
}

/// Reason why a graph is refused: an entry of `details.nodes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeProblem {
    /// Node with the problem.
    pub node_id: Option<Uuid>,
    /// Edge with the problem.
    pub edge_id: Option<Uuid>,
    /// Text for people.
    pub message: String,
}

/// Node that an installed extension declares.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeDeclaration {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: Kind,
    /// JSON schema of the configuration; null for none.
    pub input_schema: Value,
    /// JSON schema of the output; null for none.
    pub output_schema: Value,
}

/// Nodes of the account's installs that run, by install.
pub type Installed = HashMap<Uuid, NodeDeclaration>;

impl NodeProblem {
    /// Problem of the whole graph.
    #[must_use]
    pub fn of_graph(message: impl Into<String>) -> Self {
        Self { node_id: None, edge_id: None, message: message.into() }
    }

    /// Problem of a node.
    #[must_use]
    pub fn of_node(id: Uuid, message: impl Into<String>) -> Self {
        Self { node_id: Some(id), edge_id: None, message: message.into() }
    }

    /// Problem of an edge.
    #[must_use]
    pub fn of_edge(id: Uuid, message: impl Into<String>) -> Self {
        Self { node_id: None, edge_id: Some(id), message: message.into() }
    }
}

fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}
