//! Trigger node at which a run begins.

use std::collections::HashSet;

use serde_json::Value;
use uuid::Uuid;

use crate::{
    model::{Graph, Node},
    node_types::{Kind, find_of_kind},
};

/// Trigger node at which a run with this trigger `{ node_id, type, payload }` begins: the named node, else the
/// first of the type, else a manual one, else the first of all. `None` for a graph without it.
#[must_use]
pub fn entry(graph: &Graph, trigger: &Value) -> Option<Uuid> {
    let entered: HashSet<Uuid> = graph.edges.iter().map(|edge| edge.target_node_id).collect();
    // Nodes of extensions share a name; a trigger is one that no edge enters.
    let is_trigger = |node: &&Node| {
        find_of_kind(&node.r#type, Kind::Trigger).is_some()
            && (node.r#type != "extension" || !entered.contains(&node.id))
    };
    let triggers: Vec<&Node> = graph.nodes.iter().filter(is_trigger).collect();
    if let Some(named) = trigger.get("node_id").and_then(Value::as_str) {
        let named = Uuid::parse_str(named).ok()?;
        return triggers.iter().find(|node| node.id == named).map(|node| node.id);
    }
    let name = match trigger.get("type").and_then(Value::as_str).unwrap_or_default() {
        "command" => "bot_command",
        name => name,
    };
    let of_type = |name: &str| triggers.iter().find(|node| node.r#type == name);
    let found = of_type(name).or_else(|| of_type("manual")).or_else(|| triggers.first());
    found.map(|node| node.id)
}
