use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::{
    conditions::{MAX_PATTERNS, patterns::Budget},
    model::{
        Edge, Graph, Installed, MAX_CONFIG_BYTES, MAX_EDGES, MAX_NODES, MAX_POSITION, Node, NodeDeclaration,
        NodeProblem, Position,
    },
    node_types::Kind,
};

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
        install_id: None,
    }
}

fn send(number: u128) -> Node {
    node(number, "send_chat", json!({ "message": "Hi {{user.name}}" }))
}

fn edges(edges: &[(u128, &str, u128)]) -> Vec<Edge> {
    let edge = |(number, (source, handle, target)): (usize, &(u128, &str, u128))| Edge {
        id: id(1000 + number as u128),
        source_node_id: id(*source),
        source_handle: (*handle).to_owned(),
        target_node_id: id(*target),
    };
    edges.iter().enumerate().map(edge).collect()
}

/// Node 0 is a manual trigger.
fn graph(nodes: Vec<Node>, with: &[(u128, &str, u128)]) -> Graph {
    let nodes = std::iter::once(node(0, "manual", json!({}))).chain(nodes).collect();
    Graph { nodes, edges: edges(with) }
}

fn strict(graph: &Graph) -> Vec<NodeProblem> {
    assert_eq!(draft_problems(graph), []);
    strict_problems(graph, &Installed::new())
}

#[track_caller]
fn refused(graph: &Graph, at: Option<u128>, message: &str) {
    let problems = strict(graph);
    let place = |problem: &NodeProblem| problem.node_id.or(problem.edge_id).map(|id| id.as_u128());
    assert!(
        problems.iter().any(|problem| place(problem) == at && problem.message.contains(message)),
        "no `{message}` at {at:?} in {problems:?}"
    );
}

#[test]
fn graph_of_the_largest_size_are_allowed() {
    let nodes = (1..MAX_NODES as u128).map(send).collect();
    let mut with: Vec<(u128, &str, u128)> =
        (1..MAX_NODES as u128).map(|number| (number - 1, "out", number)).collect();
    with.extend((1..MAX_NODES as u128 - 1).map(|number| (number, "error", number + 1)));
    let mut largest = graph(nodes, &with);
    assert_eq!(strict(&largest), []);
    largest.nodes.push(send(500));
    assert_eq!(draft_problems(&largest)[0].message, "A graph must have at most 100 nodes");
    largest.nodes.pop();
    largest.edges = edges(&vec![(0, "out", 1); MAX_EDGES + 1]);
    assert_eq!(draft_problems(&largest)[0].message, "A graph must have at most 200 edges");
}

#[test]
fn graph_are_stored_incomplete_but_not_malformed() {
    let incomplete = Graph { nodes: vec![node(1, "send_chat", json!({}))], edges: Vec::new() };
    assert_eq!(draft_problems(&incomplete), []);
    let with = |change: &dyn Fn(&mut Node)| {
        let mut node = send(1);
        change(&mut node);
        draft_problems(&Graph { nodes: vec![node], edges: Vec::new() })
    };
    for change in [
        &(|node: &mut Node| node.r#type = "dance".to_owned()) as &dyn Fn(&mut Node),
        &|node| node.config = json!([]),
        &|node| node.config = json!({ "message": "x".repeat(MAX_CONFIG_BYTES) }),
        &|node| node.config = (0..40).fold(json!({}), |inner, _| json!({ "a": inner })),
        &|node| node.config = json!({ "message": "\0" }),
        &|node| node.label = Some("x".repeat(101)),
        &|node| node.label = Some(String::new()),
        &|node| node.position.x = f64::NAN,
        &|node| node.position.y = MAX_POSITION * 2.0,
        &|node| node.install_id = Some(id(9)),
        &|node| node.r#type = "extension".to_owned(),
    ] {
        let problems = with(change);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].node_id, Some(id(1)));
    }
    let twice = Graph { nodes: vec![send(1), send(1)], edges: Vec::new() };
    assert_eq!(draft_problems(&twice)[0].message, "Two nodes have this id");
    for broken in [(0, "out", 7), (7, "out", 1), (0, "two words", 1)] {
        assert_eq!(draft_problems(&graph(vec![send(1)], &[broken])).len(), 1);
    }
    let mut same = graph(vec![send(1)], &[(0, "out", 1), (0, "out", 1)]);
    same.edges[1].id = same.edges[0].id;
    assert_eq!(draft_problems(&same)[0].message, "Two edges have this id");
}

#[test]
fn graph_need_a_trigger_that_reaches_every_node() {
    let lonely = Graph { nodes: vec![send(1)], edges: Vec::new() };
    refused(&lonely, None, "must have a trigger");
    refused(&graph(vec![send(1), send(2)], &[(0, "out", 1)]), Some(2), "No trigger leads");
    let second = node(2, "manual", json!({}));
    assert_eq!(strict(&graph(vec![send(1), second], &[(2, "out", 1)])), []);
}

#[test]
fn graph_have_no_cycles_and_no_edges_into_triggers() {
    let cycle = graph(vec![send(1), send(2)], &[(0, "out", 1), (1, "out", 2), (2, "out", 1)]);
    refused(&cycle, Some(1), "cycle");
    refused(&graph(vec![send(1)], &[(0, "out", 1), (1, "out", 1)]), Some(1), "cycle");
    refused(&graph(vec![send(1)], &[(0, "out", 1), (1, "out", 0)]), Some(1001), "enter a trigger");
}

#[test]
fn graph_use_handles_that_exist() {
    let branches = json!({ "branches": [{ "handle": "heads", "weight": 1 }] });
    let random = |handle: &'static str| {
        graph(vec![node(1, "random", branches.clone()), send(2)], &[(0, "out", 1), (1, handle, 2)])
    };
    assert_eq!(strict(&random("heads")), []);
    assert_eq!(strict(&random("error")), []);
    refused(&random("tails"), Some(1001), "source_handle must be one of error, heads");
    refused(&random("out"), Some(1001), "source_handle must be one of");
    refused(&graph(vec![send(1)], &[(0, "error", 1)]), Some(1000), "source_handle must be one of out");
    refused(&graph(vec![send(1)], &[(0, "out", 1), (0, "out", 1)]), Some(1001), "Another edge is the same");
    let list = json!({ "list": "{{trigger.items}}" });
    let repeated = graph(
        vec![node(1, "loop", list), send(2), send(3)],
        &[(0, "out", 1), (1, "out", 2), (1, "done", 3), (2, "error", 3)],
    );
    assert_eq!(strict(&repeated), []);
}

#[test]
fn graph_have_valid_configurations() {
    for (r#type, config, message) in [
        ("send_chat", json!({}), "message must be given"),
        ("send_chat", json!({ "message": " " }), "message must not be empty"),
        ("send_chat", json!({ "message": 5 }), "message must be a text"),
        ("send_chat", json!({ "message": "x".repeat(4001) }), "at most 4000 characters"),
        ("send_chat", json!({ "message": "a", "colour": "red" }), "`colour` is unknown"),
        ("send_chat", json!({ "message": "{{ {{user.name}} }}" }), "cannot be nested"),
        ("send_chat", json!({ "message": "{{secrets.key}}" }), "`secrets` must be one of"),
        ("send_chat", json!({ "message": "a", "platforms": ["myspace"] }), "platforms must be one of"),
        ("send_chat", json!({ "message": "a", "platforms": vec!["kick"; 11] }), "at most 10 entries"),
        ("send_chat", json!({ "message": "a", "platforms": 1 }), "platforms must be a list"),
        ("play_sound", json!({ "sound_id": "bell" }), "sound_id must be an id"),
        (
            "play_sound",
            json!({ "sound_id": id(1), "volume": 1.5 }),
            "volume must be a number between 0 and 1",
        ),
        (
            "toggle_layer",
            json!({ "overlay_id": id(1), "layer_id": id(2), "visible": "yes" }),
            "visible must be",
        ),
        ("obs_set_source", json!({ "scene": "a", "source": "b", "visible": "toggle" }), "true or false"),
        ("http_request", json!({ "method": "get", "url": "https://a.example" }), "method must be one of"),
        ("http_request", json!({ "method": "GET", "url": "http://a.example" }), "must begin with https://"),
        ("http_request", json!({ "method": "GET", "url": "https://a", "headers": [] }), "headers must be"),
        ("emit_event", json!({ "event_type": "custom:a", "data": [] }), "data must be an object"),
        ("show_alert", json!({ "title": "a", "duration_secs": 301 }), "between 1 and 300"),
        ("spotify_pause", json!({ "uri": "a" }), "no keys"),
        ("delay", json!({ "seconds": 3601 }), "between 1 and 3600"),
        ("delay", json!({ "seconds": "soon" }), "between 1 and 3600"),
        ("cooldown", json!({ "user_secs": 1.5 }), "between 0 and 86400"),
        ("set_variable", json!({ "name": "a b", "value": 1 }), "name must have"),
        ("switch", json!({ "value": 1, "cases": [] }), "1 to 20 entries"),
        ("switch", json!({ "value": 1, "cases": [{ "handle": "default", "equals": 1 }] }), "not be default"),
        ("random", json!({ "branches": [{ "handle": "a", "weight": 0 }] }), "weight must be"),
        (
            "random",
            json!({ "branches": [{ "handle": "a", "weight": 1 }, { "handle": "a", "weight": 1 }] }),
            "twice",
        ),
        ("condition", json!({ "left": "a", "op": "matches", "right": "(" }), "regular expression"),
        ("condition", json!({}), "a condition must have"),
    ] {
        let message =
            if r#type == "condition" && config == json!({}) { "left must be given" } else { message };
        refused(&graph(vec![node(1, r#type, config)], &[(0, "out", 1)]), Some(1), message);
    }
    let trigger = Graph { nodes: vec![node(1, "schedule", json!({ "cron": "daily" }))], edges: Vec::new() };
    refused(&trigger, Some(1), "cron must have five fields");
}

#[test]
fn graph_may_hold_templates_in_every_text_of_a_step() {
    for (r#type, config) in [
        ("delay", json!({ "seconds": "{{trigger.secs}}" })),
        ("play_sound", json!({ "sound_id": "{{vars.sound}}", "volume": "{{vars.volume|number}}" })),
        ("send_chat", json!({ "message": "a", "platforms": ["{{event.platform}}"] })),
        ("send_chat", json!({ "message": "a", "platforms": "{{vars.platforms}}" })),
        (
            "timeout_user",
            json!({ "user_id": "{{user.id}}", "duration_secs": "60", "platform": "{{user.platform}}" }),
        ),
        (
            "http_request",
            json!({ "method": "{{vars.method}}", "url": "{{vars.url}}", "headers": { "X": "{{now}}" } }),
        ),
        (
            "http_request",
            json!({ "method": "POST", "url": "https://a", "body": { "a": { "b": "{{user.name}}" } } }),
        ),
        ("http_request", json!({ "method": "POST", "url": "https://a", "body": "{\"a\":{\"b\":1}}" })),
        ("run_automation", json!({ "automation_id": id(5), "input": ["{{event}}"] })),
        ("spotify_play", json!({ "uri": null })),
    ] {
        let graph = graph(vec![node(1, r#type, config.clone())], &[(0, "out", 1)]);
        assert_eq!(strict(&graph), [], "{type} {config}");
    }
}

#[test]
fn graph_nest_at_most_three_loops() {
    let nested = |count: u128| {
        let nodes = (1..=count).map(|number| node(number, "loop", json!({ "list": [1] }))).collect();
        let with: Vec<(u128, &str, u128)> = (1..=count).map(|number| (number - 1, "out", number)).collect();
        graph(nodes, &with)
    };
    assert_eq!(strict(&nested(3)), []);
    refused(&nested(4), Some(4), "nested at most 3 deep");
    let chained: Vec<(u128, &str, u128)> =
        (1..=9).map(|number| (number - 1, if number == 1 { "out" } else { "done" }, number)).collect();
    assert_eq!(strict(&Graph { edges: edges(&chained), ..nested(9) }), []);
}

#[test]
fn graph_with_nodes_of_extensions_follow_their_declaration() {
    let declared = |kind: Kind| {
        let input_schema = json!({
            "type": "object",
            "required": ["text"],
            "properties": { "text": { "type": "string", "maxLength": 5 }, "n": { "type": "integer", "maximum": 9 } },
        });
        let declaration =
            NodeDeclaration { name: "Node".to_owned(), kind, input_schema, output_schema: Value::Null };
        Installed::from([(id(9), declaration)])
    };
    let extension =
        |number: u128, config: Value| Node { install_id: Some(id(9)), ..node(number, "extension", config) };
    let with = |config: Value, handle: &'static str| {
        graph(vec![extension(1, config), send(2)], &[(0, "out", 1), (1, handle, 2)])
    };
    let good = json!({ "text": "a", "n": "{{trigger.n}}" });
    assert_eq!(strict_problems(&with(good.clone(), "any"), &declared(Kind::Logic)), []);
    assert_eq!(strict_problems(&with(good.clone(), "out"), &declared(Kind::Action)), []);
    assert_eq!(strict_problems(&with(good.clone(), "any"), &declared(Kind::Action)).len(), 1);
    let into_trigger = strict_problems(&with(good.clone(), "out"), &declared(Kind::Trigger));
    assert_eq!(into_trigger[0].message, "An edge must not enter a trigger");
    for bad in
        [json!({}), json!({ "text": "too long" }), json!({ "text": "a", "n": 10 }), json!({ "text": 1 })]
    {
        assert_eq!(strict_problems(&with(bad, "out"), &declared(Kind::Action)).len(), 1);
    }
    let missing = strict_problems(&with(good.clone(), "out"), &Installed::new());
    assert!(missing[0].message.contains("not installed"));
    let trigger = Graph { nodes: vec![extension(1, good), send(2)], edges: edges(&[(1, "out", 2)]) };
    assert_eq!(strict_problems(&trigger, &declared(Kind::Trigger)), []);
}

#[test]
fn graph_check_values_against_schemas() {
    let schema = json!({ "type": ["object", "null"], "properties": {
        "list": { "type": "array", "items": { "enum": ["a", "b"] } }, "n": { "type": "number", "minimum": 0 } } });
    for value in [Value::Null, json!({}), json!({ "list": ["a"], "n": 0.5, "other": 1 })] {
        assert_eq!(fits_output(&schema, &value), Ok(()));
    }
    assert_eq!(fits_output(&Value::Null, &json!(5)), Ok(()));
    assert!(
        fits_output(&schema, &json!({ "list": ["c"] }))
            .unwrap_err()
            .starts_with("output.list[0] must be one of")
    );
    assert_eq!(fits_output(&schema, &json!({ "n": -1 })).unwrap_err(), "output.n must be at least 0");
    assert!(fits_output(&schema, &json!({ "list": "{{vars.list}}" })).is_err());
    assert_eq!(allows_config(&schema, &json!({ "list": "{{vars.list}}" })), Ok(()));
    assert!(allows_config(&schema, &json!({ "list": "{{vars.list" })).is_err());
}

/// Graph of conditions in a row that match a number of regular expressions each.
fn matching(conditions: u128, pattern: &str, patterns: usize) -> Graph {
    let compare = json!({ "left": "a", "op": "matches", "right": pattern });
    let condition = |number| node(number, "condition", json!({ "any": vec![compare.clone(); patterns] }));
    let with: Vec<(u128, &str, u128)> = (1..=conditions)
        .map(|number| (number - 1, if number == 1 { "out" } else { "true" }, number))
        .collect();
    graph((1..=conditions).map(condition).collect(), &with)
}

#[test]
fn graph_have_few_regular_expressions() {
    let number = format!("A graph must have at most {MAX_PATTERNS} regular expressions");
    assert_eq!(strict(&matching(1, "^a+", MAX_PATTERNS)), []);
    assert_eq!(strict(&matching(MAX_PATTERNS as u128, "^a+", 1)), []);
    let largest = matching(MAX_NODES as u128 - 1, r"\w{5}", 50);
    assert_eq!(strict(&largest), [NodeProblem::of_graph(number.clone())]);
    let mut beyond = matching(1, "^a+", MAX_PATTERNS);
    let filters = json!([{ "path": "message", "op": "matches", "value": "a" }]);
    beyond.nodes[0] = node(0, "event", json!({ "event_types": ["twitch:raid"], "filters": filters }));
    assert_eq!(strict(&beyond), [NodeProblem::of_graph(number)], "those of filters count");
}

#[test]
fn graph_have_regular_expressions_of_a_bounded_size() {
    assert_eq!(strict(&matching(5, r"^\w+$", 1)), []);
    let message = Budget::exceeded();
    assert_eq!(strict(&matching(5, r"\w", 10)), [NodeProblem::of_graph(message)]);
    let one = matching(2, r"(\w{200}){200}", 1);
    for number in [1, 2] {
        refused(&one, Some(number), "more than 262144 bytes when compiled");
    }
}
