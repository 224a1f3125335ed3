//! Generated graphs. Their templates read no output that only an executed effect knows, so that a dry run knows every
//! value of a run.

use lumio_tests::TestApp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::common::{Numbers, edge, make, node};

/// Graph as a caller saves it. Node 0 is its trigger.
pub struct Generated {
    pub nodes: Vec<Value>,
    pub edges: Vec<Value>,
}

/// Objects that the graphs of an account name.
pub struct Named {
    /// Begin of the addresses of requests.
    origin: String,
    sound: Uuid,
    overlay: Uuid,
    layer: Uuid,
}

/// Node of a graph with the name of its type.
type Typed = (Uuid, &'static str);

/// Types of nodes with their handles. What is there twice comes more often.
const TYPES: [(&str, &[&str]); 18] = [
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
    ("http_request", &["out", "out", "error"]),
    ("http_request", &["out", "out", "error"]),
    ("timeout_user", &["out"]),
    ("play_sound", &["out"]),
    ("toggle_layer", &["out"]),
    ("set_stream_title", &["out"]),
    ("emit_event", &["out"]),
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

const SOUND: &str = "
    INSERT INTO sounds (id, account_id, name, filename, content_type, size_bytes, storage_key, sha256)
    VALUES (gen_random_uuid(), $1, 's', 's.mp3', 'audio/mpeg', 1, gen_random_uuid()::text, 'x') RETURNING id";
const OVERLAY: &str = "
    INSERT INTO overlays (id, account_id, name, key, width, height, background, token)
    VALUES (gen_random_uuid(), $1, 'o', left(md5($1::text), 12), 1920, 1080, 'transparent', '') RETURNING id";
const LAYER: &str = "
    INSERT INTO overlay_layers (id, account_id, overlay_id, layer_type, name, sort_order, width, height)
    SELECT gen_random_uuid(), account_id, id, 'text', 'l', 0, 1, 1 FROM overlays WHERE id = $1 RETURNING id";

/// Payload that the texts read.
pub fn input() -> Value {
    json!({ "name": "Ada", "count": 3, "one": 1, "list": [{ "name": "Bea" }, 7] })
}

impl Named {
    /// Adds the objects to an account.
    pub async fn add(app: &TestApp, account: Uuid, origin: String) -> Self {
        let (sound, overlay) = (make(app, account, SOUND).await, make(app, account, OVERLAY).await);
        Self { origin, sound, overlay, layer: make(app, overlay, LAYER).await }
    }

    fn config(&self, numbers: &mut Numbers, node_type: &str, earlier: &[Typed]) -> Value {
        match node_type {
            "condition" => condition(numbers, earlier),
            "switch" => json!({
                "value": text(numbers, earlier),
                "cases": [
                    { "handle": "a", "equals": text(numbers, earlier) },
                    { "handle": "b", "equals": numbers.pick(&[json!(7), json!("plain"), json!(200)]) },
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
            "notify_members" => json!({
                "title": format!("title {}", text(numbers, earlier)), "message": text(numbers, earlier),
            }),
            "send_chat" => {
                json!({ "message": format!("line {}", text(numbers, earlier)), "platforms": ["twitch"] })
            }
            "timeout_user" => json!({
                "user_id": "77", "duration_secs": 60, "platform": "twitch", "reason": text(numbers, earlier),
            }),
            "play_sound" => {
                json!({ "sound_id": self.sound, "volume": numbers.pick(&[json!(0.5), json!("1")]) })
            }
            "toggle_layer" => {
                let template = json!("{{trigger.payload.missing|default:true}}");
                let visible = numbers.pick(&[json!(true), json!(false), template]);
                json!({ "overlay_id": self.overlay, "layer_id": self.layer, "visible": visible })
            }
            "set_stream_title" => {
                json!({ "title": format!("title {}", text(numbers, earlier)), "platforms": ["twitch"] })
            }
            "emit_event" => {
                json!({ "event_type": "custom:tick", "data": { "text": text(numbers, earlier) } })
            }
            _ => json!({
                "method": "POST", "url": format!("{}/{{{{vars.index|default:none}}}}", self.origin),
                "body": { "text": text(numbers, earlier) },
            }),
        }
    }
}

impl Generated {
    /// Graph of three to ten nodes without a cycle.
    pub fn new(numbers: &mut Numbers, named: &Named) -> Self {
        let ids: Vec<Uuid> = (0..4 + numbers.below(8)).map(|_| Uuid::now_v7()).collect();
        let mut nodes = vec![node(ids[0], "manual", json!({}))];
        let (mut handles, mut typed) = (vec![OUT], Vec::new());
        let mut edges = Vec::new();
        for place in 1..ids.len() {
            let (node_type, of_type) = numbers.pick(&TYPES);
            nodes.push(node(ids[place], node_type, named.config(numbers, node_type, &typed)));
            typed.push((ids[place], node_type));
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

fn condition(numbers: &mut Numbers, earlier: &[Typed]) -> Value {
    let op = numbers.pick(&["eq", "ne", "gt", "contains", "starts_with"]);
    let first = json!({ "left": text(numbers, earlier), "op": op, "right": text(numbers, earlier) });
    if numbers.below(2) == 0 {
        return first;
    }
    let group = numbers.pick(&["all", "any"]);
    json!({ group: [first, { "left": text(numbers, earlier), "op": "exists" }] })
}

/// Text, also one that reads an earlier node.
fn text(numbers: &mut Numbers, earlier: &[Typed]) -> String {
    if numbers.below(3) == 0 && !earlier.is_empty() {
        let (node, node_type) = numbers.pick(earlier);
        let name = if numbers.below(4) == 0 { "error" } else { output_of(node_type) };
        return format!("{{{{steps.{node}.{name}|default:none}}}}");
    }
    numbers.pick(&TEXTS).to_owned()
}

/// Path in the output of a node that a dry run knows; the error of a node without one.
fn output_of(node_type: &str) -> &'static str {
    match node_type {
        "condition" => "result",
        "switch" => "handle",
        "loop" => "items",
        "set_variable" => "value",
        "delay" => "seconds",
        "random" => "branch",
        "cooldown" => "passed",
        "http_request" => "status",
        "timeout_user" => "platform",
        "play_sound" => "sound_id",
        "toggle_layer" => "visible",
        "set_stream_title" => "changed.0.platform",
        _ => "error",
    }
}
