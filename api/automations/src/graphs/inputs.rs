//! Graphs as callers give them.

use automation_model::graph::{Edge, Node, Position};
use serde_json::{Map, Value};

use super::{AutomationEdgeInput, AutomationNodeInput};

/// Nodes of an input. An empty label is none.
pub(super) fn nodes(given: Vec<AutomationNodeInput>) -> Vec<Node> {
    let node = |node: AutomationNodeInput| Node {
        id: node.id,
        r#type: node.node_type,
        label: node.label.map(|label| label.trim().to_owned()).filter(|label| !label.is_empty()),
        config: node.config.map_or_else(|| Value::Object(Map::new()), |config| config.0),
        position: node
            .position
            .map_or_else(Position::default, |position| Position { x: position.x, y: position.y }),
        install_id: node.install_id,
    };
    given.into_iter().map(node).collect()
}

/// Edges of an input.
pub(super) fn edges(given: Vec<AutomationEdgeInput>) -> Vec<Edge> {
    let edge = |edge: AutomationEdgeInput| Edge {
        id: edge.id,
        source_node_id: edge.source_node_id,
        source_handle: edge.source_handle,
        target_node_id: edge.target_node_id,
    };
    given.into_iter().map(edge).collect()
}
