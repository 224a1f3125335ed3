//! Graphs that must be able to run (reference/automations.md#validation).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::common::{
    create, edge, enable, gql_put, id_of, installed_node, make, node, path, problems, put, ready,
};

fn variable(id: Uuid) -> Value {
    node(id, "set_variable", json!({ "name": "x", "value": "1" }))
}

#[tokio::test]
async fn update_automation_graph_of_an_enabled_automation_must_be_able_to_run() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ready = ready(&owner).await;
    enable(&owner, ready.id).await.expect(200);
    let nodes = [node(ready.trigger, "manual", json!({})), variable(ready.action)];
    let (rest, gql) =
        (put(&owner, ready.id, 2, &nodes, &[]).await, gql_put(&owner, ready.id, 2, &nodes, &[]).await);
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "Graph is not valid");
    assert_eq!(rest.body["details"]["nodes"][0]["node_id"], json!(ready.action));
    assert_eq!(problems(&rest), ["No trigger leads to the node"]);
    let edges = [edge(ready.trigger, "out", ready.action)];
    put(&owner, ready.id, 2, &nodes, &edges).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn update_automation_names_every_problem_of_a_graph() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (trigger, a, b) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    let manual = || node(trigger, "manual", json!({}));
    let lead = || edge(trigger, "out", a);
    for (nodes, edges, message) in [
        (vec![variable(a)], vec![], "A graph must have a trigger"),
        (vec![manual(), variable(a)], vec![], "No trigger leads to the node"),
        (
            vec![manual(), variable(a), variable(b)],
            vec![lead(), edge(a, "out", b), edge(b, "out", a)],
            "The node is in or behind a cycle",
        ),
        (
            vec![manual(), variable(a)],
            vec![lead(), edge(a, "out", trigger)],
            "An edge must not enter a trigger",
        ),
        (vec![manual(), variable(a)], vec![lead(), lead()], "Another edge is the same"),
    ] {
        let id = id_of(&create(&owner, "Wrong").await);
        put(&owner, id, 1, &nodes, &edges).await.expect(200);
        let refused = enable(&owner, id).await;
        refused.refused("VALIDATION_ERROR", "Graph is not valid");
        assert!(problems(&refused).iter().any(|problem| problem == message), "{message}: {}", refused.text);
    }
    // The texts of these name the possible values.
    for (nodes, edges, part) in [
        (vec![manual(), variable(a)], vec![edge(trigger, "done", a)], "source_handle must be one of"),
        (vec![manual(), node(a, "send_chat", json!({ "message": "{{a{{b}}}}" }))], vec![lead()], ""),
        (vec![manual(), node(a, "delay", json!({ "seconds": 3601 }))], vec![lead()], ""),
        (vec![node(trigger, "schedule", json!({ "cron": "often" })), variable(a)], vec![lead()], ""),
    ] {
        let id = id_of(&create(&owner, "Wrong").await);
        put(&owner, id, 1, &nodes, &edges).await.expect(200);
        let refused = enable(&owner, id).await;
        refused.refused("VALIDATION_ERROR", "Graph is not valid");
        assert!(problems(&refused).iter().any(|problem| problem.contains(part)), "{part}: {}", refused.text);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_automation_bounds_the_regular_expressions_of_a_graph() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (trigger, condition) = (Uuid::now_v7(), Uuid::now_v7());
    let compare = |pattern: &str| json!({ "left": "a", "op": "matches", "right": pattern });
    let filters = json!([{ "path": "message", "op": "matches", "value": "a" }]);
    let event = json!({ "event_types": ["twitch:raid"], "filters": filters });
    for (pattern, number, message) in [
        ("^a+$", 49, None),
        ("a", 50, Some("A graph must have at most 50 regular expressions")),
        (
            r"\w",
            49,
            Some("The regular expressions of a graph must have at most 2097152 bytes together when compiled"),
        ),
    ] {
        let id = id_of(&create(&owner, "Patterns").await);
        let config = json!({ "any": vec![compare(pattern); number] });
        let nodes = [node(trigger, "event", event.clone()), node(condition, "condition", config)];
        put(&owner, id, 1, &nodes, &[edge(trigger, "out", condition)]).await.expect(200);
        let answer = enable(&owner, id).await;
        match message {
            None => assert_eq!(answer.status, 200, "{}", answer.text),
            Some(message) => assert_eq!(problems(&answer), [message], "{pattern}"),
        }
        owner.delete(&path(id)).await.expect(204);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_automation_refuses_objects_of_other_accounts() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let account = stranger.account_id;
    let sql = "INSERT INTO sounds (id, account_id, name, filename, content_type, size_bytes, storage_key, sha256)
        VALUES (gen_random_uuid(), $1, 's', 's.mp3', 'audio/mpeg', 1, gen_random_uuid()::text, 'x') RETURNING id";
    let (sound, own_sound) = (make(&app, account, sql).await, make(&app, owner.account_id, sql).await);
    let sql = "INSERT INTO rewards (id, account_id, platform, platform_reward_id, is_managed, title, cost)
        VALUES (gen_random_uuid(), $1, 'twitch', 'r', false, 'r', 1) RETURNING id";
    let reward = make(&app, account, sql).await;
    let sql = "INSERT INTO overlays (id, account_id, name, key, width, height, background, token)
        VALUES (gen_random_uuid(), $1, 'o', left(md5($1::text), 12), 1920, 1080, 'transparent', '') RETURNING id";
    let (overlay, own_overlay) = (make(&app, account, sql).await, make(&app, owner.account_id, sql).await);
    let sql = "INSERT INTO overlay_layers (id, account_id, overlay_id, layer_type, name, sort_order, width, height)
        SELECT gen_random_uuid(), account_id, id, 'text', 'l', 0, 1, 1 FROM overlays WHERE id = $1 RETURNING id";
    let (layer, own_layer) = (make(&app, overlay, sql).await, make(&app, own_overlay, sql).await);
    let foreign = ready(&stranger).await.id;
    let toggle =
        |overlay: Uuid, layer: Uuid| json!({ "overlay_id": overlay, "layer_id": layer, "visible": true });
    let own = ready(&owner).await.id;
    for (trigger_config, node_type, config, message) in [
        (Value::Null, "play_sound", json!({ "sound_id": sound }), Some("Sound not found")),
        (Value::Null, "stop_sound", json!({ "sound_id": sound }), Some("Sound not found")),
        (Value::Null, "run_automation", json!({ "automation_id": foreign }), Some("Automation not found")),
        (Value::Null, "toggle_layer", toggle(overlay, own_layer), Some("Overlay not found")),
        (Value::Null, "toggle_layer", toggle(own_overlay, layer), Some("Layer not found")),
        (json!({ "reward_id": reward }), "stop_sound", json!({}), Some("Reward not found")),
        (Value::Null, "play_sound", json!({ "sound_id": own_sound }), None),
        (Value::Null, "play_sound", json!({ "sound_id": "{{vars.sound}}" }), None),
        (Value::Null, "run_automation", json!({ "automation_id": own }), None),
        (Value::Null, "toggle_layer", toggle(own_overlay, own_layer), None),
    ] {
        let (id, trigger, action) = (id_of(&create(&owner, "Named").await), Uuid::now_v7(), Uuid::now_v7());
        let first = if trigger_config.is_null() {
            node(trigger, "manual", json!({}))
        } else {
            node(trigger, "reward_redeemed", trigger_config)
        };
        let nodes = [first, node(action, node_type, config)];
        put(&owner, id, 1, &nodes, &[edge(trigger, "out", action)]).await.expect(200);
        let answer = enable(&owner, id).await;
        match message {
            None => assert_eq!(answer.status, 200, "{}", answer.text),
            Some(message) => assert!(problems(&answer).contains(&message.to_owned()), "{}", answer.text),
        }
        owner.delete(&path(id)).await.expect(204);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_automation_needs_the_installs_of_its_nodes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let schema =
        json!({ "type": "object", "required": ["shop"], "properties": { "shop": { "type": "string" } } });
    let install =
        installed_node(&app, &owner, json!({ "node_type": "action", "input_schema": schema })).await;
    let (id, trigger, action) = (id_of(&create(&owner, "Shop").await), Uuid::now_v7(), Uuid::now_v7());
    let mut extension = node(action, "extension", json!({}));
    extension["install_id"] = json!(install);
    let edges = [edge(trigger, "out", action)];
    let manual = node(trigger, "manual", json!({}));
    put(&owner, id, 1, &[manual.clone(), extension.clone()], &edges).await.expect(200);
    assert_eq!(problems(&enable(&owner, id).await), ["config.shop must be given"]);
    extension["config"] = json!({ "shop": "a" });
    put(&owner, id, 2, &[manual.clone(), extension.clone()], &edges).await.expect(200);
    enable(&owner, id).await.expect(200);
    owner.patch(&path(id), json!({ "enabled": false })).await.expect(200);
    make(&app, install, "DELETE FROM extension_installs WHERE id = $1 RETURNING id").await;
    let gone = "The extension of the node is not installed or does not run";
    assert_eq!(problems(&enable(&owner, id).await), [gone]);
    // The node of a removed install can still be saved where it was.
    put(&owner, id, 3, &[manual, extension], &edges).await.expect(200);
    app.stop().await;
}
