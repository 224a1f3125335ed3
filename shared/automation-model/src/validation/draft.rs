//! Checks of every stored graph: its shape and its size.

use std::collections::HashSet;

use serde_json::Value;
use uuid::Uuid;

use crate::{
    config::is_handle,
    model::{
        Edge, Graph, MAX_CONFIG_BYTES, MAX_CONFIG_DEPTH, MAX_EDGES, MAX_HANDLE_LENGTH, MAX_NODE_LABEL_LENGTH,
        MAX_NODES, MAX_POSITION, Node, NodeProblem,
    },
    node_types,
    template::{depth, size_within},
};

/// Problems for which a graph is never stored (reference/automations.md#nodes): too many nodes or edges, ids
/// that are there twice, ends that do not exist, unknown types, values that are too large.
#[must_use]
pub fn draft_problems(graph: &Graph) -> Vec<NodeProblem> {
    let mut problems = Vec::new();
    if graph.nodes.len() > MAX_NODES {
        problems.push(NodeProblem::of_graph(format!("A graph must have at most {MAX_NODES} nodes")));
    }
    if graph.edges.len() > MAX_EDGES {
        problems.push(NodeProblem::of_graph(format!("A graph must have at most {MAX_EDGES} edges")));
    }
    if !problems.is_empty() {
        return problems;
    }
    let mut nodes = HashSet::new();
    for node in &graph.nodes {
        if !nodes.insert(node.id) {
            problems.push(NodeProblem::of_node(node.id, "Two nodes have this id"));
        }
        problems.extend(of_node(node).map(|message| NodeProblem::of_node(node.id, message)));
    }
    let mut edges = HashSet::new();
    for edge in &graph.edges {
        if !edges.insert(edge.id) {
            problems.push(NodeProblem::of_edge(edge.id, "Two edges have this id"));
        }
        problems.extend(of_edge(edge, &nodes).map(|message| NodeProblem::of_edge(edge.id, message)));
    }
    problems
}

fn of_node(node: &Node) -> Option<String> {
    if node_types::find(&node.r#type).is_none() {
        return Some("type must be the name of a node type".to_owned());
    }
    if !node.config.is_object() {
        return Some("config must be an object".to_owned());
    }
    if size_within(&node.config, MAX_CONFIG_BYTES).is_none() {
        return Some(format!("config must have at most {MAX_CONFIG_BYTES} bytes as JSON"));
    }
    if depth(&node.config) > MAX_CONFIG_DEPTH {
        return Some(format!("config must be nested at most {MAX_CONFIG_DEPTH} deep"));
    }
    let is_label =
        |label: &str| (1..=MAX_NODE_LABEL_LENGTH).contains(&label.chars().count()) && !label.contains('\0');
    if !node.label.as_deref().is_none_or(is_label) {
        return Some(format!("label must have 1 to {MAX_NODE_LABEL_LENGTH} characters, or be null"));
    }
    if has_nul(&node.config) {
        return Some("config must not contain the character NUL".to_owned());
    }
    let is_near = |distance: f64| distance.is_finite() && distance.abs() <= MAX_POSITION;
    if !is_near(node.position.x) || !is_near(node.position.y) {
        return Some(format!("position must be between -{MAX_POSITION} and {MAX_POSITION}"));
    }
    if node.r#type == "extension" && node.install_id.is_none() {
        return Some("A node of an extension must have install_id".to_owned());
    }
    if node.r#type != "extension" && node.install_id.is_some() {
        return Some("Only a node of an extension can have install_id".to_owned());
    }
    None
}

/// True for a value that no database stores.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(list) => list.iter().any(has_nul),
        Value::Object(object) => object.iter().any(|(key, value)| key.contains('\0') || has_nul(value)),
        _ => false,
    }
}

fn of_edge(edge: &Edge, nodes: &HashSet<Uuid>) -> Option<String> {
    if !nodes.contains(&edge.source_node_id) || !nodes.contains(&edge.target_node_id) {
        return Some("Both ends of an edge must be nodes of the graph".to_owned());
    }
    if !is_handle(&edge.source_handle) {
        return Some(format!(
            "source_handle must have 1 to {MAX_HANDLE_LENGTH} letters, digits, `_` and `-`"
        ));
    }
    None
}
