mod generated;
mod steps;

use chrono::DateTime;
use serde_json::json;

use super::*;
use crate::model::{Edge, Node, Position};

/// Id of the node with a number.
fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn node(number: u128, r#type: &str, config: Value) -> Node {
    Node {
        id: id(number),
        r#type: r#type.to_owned(),
        label: None,
        config,
        position: Position::default(),
        install_id: (r#type == "extension").then(|| id(99)),
    }
}

/// Action that shows its text in the input of its step.
fn send(number: u128, message: &str) -> Node {
    node(number, "send_chat", json!({ "message": message }))
}

/// Node 0 is the trigger. An edge is `(source, handle, target)`.
fn graph(nodes: Vec<Node>, edges: &[(u128, &str, u128)]) -> Graph {
    let nodes = std::iter::once(node(0, "manual", json!({}))).chain(nodes).collect();
    let edges = edges.iter().enumerate().map(|(number, (source, handle, target))| Edge {
        id: id(number as u128),
        source_node_id: id(*source),
        source_handle: (*handle).to_owned(),
        target_node_id: id(*target),
    });
    Graph { nodes, edges: edges.collect() }
}

fn start(payload: Value) -> Start {
    Start {
        trigger_node: id(0),
        trigger: json!({ "node_id": id(0), "type": "manual", "payload": payload }),
        event: Value::Null,
        user: json!({ "id": "7", "platform": "twitch", "name": "Ada" }),
        account: json!({ "name": "Grace" }),
        stream: Value::Null,
        now: DateTime::UNIX_EPOCH,
        timezone: chrono_tz::UTC,
    }
}

/// Runs a machine with outcomes by step. Returns a line for each step: the node, and the message or decision.
fn run(graph: Graph, payload: Value, outcome: impl Fn(&Step) -> Outcome) -> (Vec<String>, Ending) {
    let mut machine = Machine::new(graph, start(payload)).unwrap();
    let mut lines = Vec::new();
    while let Some(step) = machine.next() {
        assert_eq!(machine.next().as_ref(), Some(&step));
        assert_eq!(step.position as usize, lines.len());
        let shown = match &step.work {
            Work::Effect(effect) => {
                effect.arguments.get("message").map_or("-", |text| text.as_str().unwrap())
            }
            Work::Decided(outcome) => {
                outcome.error.as_deref().or(outcome.branch.as_deref()).unwrap_or("decided")
            }
            Work::Random { .. } => "random",
            Work::Cooldown { .. } => "cooldown",
            Work::Delay { .. } => "delay",
        };
        lines.push(format!("{} {shown}", step.node_id.as_u128()));
        machine.conclude(outcome(&step));
    }
    (lines, machine.ending())
}

fn ok(_step: &Step) -> Outcome {
    Outcome::succeeded(json!({}))
}
