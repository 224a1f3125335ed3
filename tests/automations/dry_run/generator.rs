//! Generated graphs. Their templates read nothing that only an executed effect returns, so that a dry run knows every
//! value of a run.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::common::{edge, node};

/// SplitMix64: the same graphs in every run of the test.
pub struct Numbers(pub u64);

/// Graph as a caller saves it. Node 0 is its trigger.
pub struct Generated {
    pub nodes: Vec<Value>,
    pub edges: Vec<Value>,
}

/// Types of nodes with their handles. What is there twice comes more often.
const TYPES: [(&str, &[&str]); 12] = [
    ("condition", &["true", "false"]),
    ("condition", &["true", "false", "error"]),
    ("switch", &["a", "b", "default"]),
    ("loop", &["out", "out", "done", "error"]),
    ("set_variable", &["out"]),
    ("set_variable", &["out"]),
    ("delay", &["out", "out", "error"]),
    ("random", &["a"]),
    ("cooldown", &["out", "false"]),
    ("notify_members", &["out"]),
    ("send_chat", &["out"]),
    ("http_request", &["error", "error", "out"]),
];

/// Handles of a trigger.
const OUT: &[&str] = &["out"];

/// Texts of configurations.
const TEXTS: [&str; 14] = [
    "plain",
    "7",
    "{{trigger.payload.list}}",
    "{{trigger.payload.name|upper}}",
    "{{trigger.payload.count}}",
    "{{trigger.type}} {{trigger.name}}",
    "{{trigger.payload.missing|default:none}}",
    "{{user.display_name|default:somebody}}",
    "{{event.event_type}}",
    "{{account.slug}} {{stream.live}}",
    "{{vars.x}}",
    "{{vars.y|number}}",
    "{{vars.item}} of {{vars.index}}",
    "{{vars.item.name|default:none}}",
];

/// Payload that the texts read.
pub fn input() -> Value {
    json!({ "name": "Ada", "count": 3, "one": 1, "list": [{ "name": "Bea" }, 7] })
}

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }
}

impl Generated {
    /// Graph of three to ten nodes without a cycle, whose requests go to a server.
    pub fn new(numbers: &mut Numbers, server: &str) -> Self {
        let ids: Vec<Uuid> = (0..4 + numbers.below(8)).map(|_| Uuid::now_v7()).collect();
        let mut nodes = vec![node(ids[0], "manual", json!({}))];
        let mut handles = vec![OUT];
        let mut edges = Vec::new();
        for place in 1..ids.len() {
            let (node_type, of_type) = numbers.pick(&TYPES);
            nodes.push(node(ids[place], node_type, config(numbers, node_type, &ids[1..place], server)));
            // Mostly behind the latest node, so that runs are long.
            let source = if numbers.below(3) > 0 { place - 1 } else { numbers.below(place) };
            edges.push(edge(ids[source], numbers.pick(handles[source]), ids[place]));
            handles.push(of_type);
        }
        for _ in 0..numbers.below(ids.len()) {
            let target = 1 + numbers.below(ids.len() - 1);
            let source = numbers.below(target);
            edges.push(edge(ids[source], numbers.pick(handles[source]), ids[target]));
        }
        Self { nodes, edges }
    }

    /// Type of a node.
    pub fn type_of(&self, id: &Value) -> &str {
        let found = self.nodes.iter().find(|node| node["id"] == *id);
        found.and_then(|node| node["type"].as_str()).expect("a node of the graph")
    }
}

fn config(numbers: &mut Numbers, node_type: &str, earlier: &[Uuid], server: &str) -> Value {
    match node_type {
        "condition" => {
            let op = numbers.pick(&["eq", "ne", "gt", "contains", "starts_with"]);
            let first = json!({ "left": text(numbers, earlier), "op": op, "right": text(numbers, earlier) });
            if numbers.below(2) == 0 {
                return first;
            }
            let group = numbers.pick(&["all", "any"]);
            json!({ group: [first, { "left": text(numbers, earlier), "op": "exists" }] })
        }
        "switch" => json!({
            "value": text(numbers, earlier),
            "cases": [
                { "handle": "a", "equals": text(numbers, earlier) },
                { "handle": "b", "equals": numbers.pick(&[json!(7), json!("plain"), json!(3)]) },
            ],
        }),
        "loop" => {
            let other = json!([text(numbers, earlier), 2]);
            let list = json!("{{trigger.payload.list}}");
            // A text is no list, so that the step fails.
            json!({ "list": numbers.pick(&[list.clone(), list, other, json!("plain")]) })
        }
        "set_variable" => json!({ "name": numbers.pick(&["x", "y"]), "value": text(numbers, earlier) }),
        // The last two fail.
        "delay" => json!({ "seconds": numbers.pick(&[
            json!(1), json!("{{trigger.payload.one}}"), json!("{{trigger.payload.name}}"), json!(0),
        ]) }),
        // Within a loop, the second item does not pass.
        "cooldown" => json!({ "global_secs": numbers.pick(&[json!(0), json!(3600), json!(3600)]) }),
        "random" => json!({ "branches": [{ "handle": "a", "weight": 1 }] }),
        "notify_members" => {
            json!({ "title": format!("title {}", text(numbers, earlier)), "message": text(numbers, earlier) })
        }
        "send_chat" => {
            json!({ "message": format!("line {}", text(numbers, earlier)), "platforms": ["twitch"] })
        }
        _ => json!({
            "method": "POST", "url": format!("https://{server}/{{{{vars.index|default:none}}}}"),
            "body": { "text": text(numbers, earlier) },
        }),
    }
}

/// Text, also one with the error of an earlier node.
fn text(numbers: &mut Numbers, earlier: &[Uuid]) -> String {
    if numbers.below(5) == 0 && !earlier.is_empty() {
        return format!("{{{{steps.{}.error|default:none}}}}", numbers.pick(earlier));
    }
    numbers.pick(&TEXTS).to_owned()
}
