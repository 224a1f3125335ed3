//! Dry runs (reference/automations.md#dry-run).

mod answers;
mod generated;
mod generator;
mod patterns;

use std::collections::HashMap;

use automation_model::node_types::{Kind, NODE_TYPES, NodeType, Shape};
use lumio_tests::{
    Answer, Caller, TestApp, both_refused, eventually,
    world::{count, stored_events},
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    common::{DRY_RUN, create, edge, id_of, make, node, path, put, ready},
    engine::stage::{Draft, Stage},
};

/// Features of domains, with the actions that need them.
const NEEDED: [(&str, &[&str]); 9] = [
    ("feature:multichat", &["delete_message", "timeout_user", "ban_user"]),
    ("feature:sounds", &["play_sound", "stop_sound"]),
    ("feature:overlays", &["toggle_layer", "show_alert"]),
    ("feature:events", &["emit_event"]),
    ("event:twitch:raid", &["emit_event"]),
    ("integration:obs_websocket", &["obs_set_scene", "obs_set_source"]),
    ("feature:obs_remote", &["obs_set_scene", "obs_set_source"]),
    ("feature:music", &["spotify_play", "spotify_pause", "spotify_skip", "spotify_queue"]),
    ("feature:bots", &["discord_message"]),
];

async fn dry(caller: &Caller, id: Uuid, body: Value) -> Answer {
    caller.post(&format!("{}/dry-run", path(id)), body).await
}

async fn gql_dry(caller: &Caller, id: Uuid, body: &Value) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $input: JSON, $event: JSON, $eventId: UUID, $trigger: UUID) {{
            dryRunAutomation(id: $id, input: $input, event: $event, eventId: $eventId, triggerNodeId: $trigger)
            {DRY_RUN} }}"
    );
    let variables = json!({ "id": id, "input": body["input"], "event": body["event"], "eventId": body["event_id"],
        "trigger": body["trigger_node_id"] });
    caller.graphql(&document, variables).await
}

#[tokio::test]
async fn dry_run_automation_reports_effects_and_has_none() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&create(&owner, "Draft").await);
    let ids: Vec<Uuid> = (0..6).map(|_| Uuid::now_v7()).collect();
    let branches = json!([{ "handle": "a", "weight": 1 }, { "handle": "b", "weight": 2 }, { "handle": "c", "weight": 2 }]);
    let nodes = [
        node(ids[0], "manual", json!({})),
        node(ids[1], "delay", json!({ "seconds": 3600 })),
        node(ids[2], "cooldown", json!({ "global_secs": 60 })),
        node(ids[3], "random", json!({ "branches": branches })),
        node(ids[4], "http_request", json!({ "method": "GET", "url": "https://example.org/" })),
        node(ids[5], "send_chat", json!({ "message": "Hi {{trigger.payload.name}}" })),
    ];
    let edges = [
        edge(ids[0], "out", ids[1]),
        edge(ids[1], "out", ids[2]),
        edge(ids[2], "out", ids[3]),
        edge(ids[3], "b", ids[4]),
        edge(ids[4], "out", ids[5]),
    ];
    put(&owner, id, 1, &nodes, &edges).await.expect(200);
    let before = app.audited("automation:executed").await.len();
    let body = json!({ "input": { "name": "Ada" } });
    let answer = dry(&owner, id, body.clone()).await;
    let found = answer.expect(200)["data"].clone();
    assert_eq!(found["status"], "succeeded");
    let steps = found["steps"].as_array().unwrap();
    let of = |id: Uuid| steps.iter().find(|step| step["node_id"] == json!(id)).unwrap();
    assert_eq!(of(ids[3])["branch"], "b", "the first branch of the highest weight");
    assert_eq!(of(ids[4])["output"], json!({ "status": 200, "body": null }));
    let chat = of(ids[5]);
    assert_eq!(chat["effect"]["type"], "send_chat");
    assert_eq!(chat["effect"]["arguments"]["message"], "Hi Ada");
    assert!(chat["output"].is_null() && chat["error"].is_null());
    assert!(of(ids[1])["effect"].is_null());
    let gql = gql_dry(&owner, id, &body).await.field("dryRunAutomation");
    assert_eq!(gql["steps"].as_array().map(Vec::len), Some(steps.len()));
    assert_eq!(count(&app, "automation_runs").await, 0);
    assert_eq!(count(&app, "automation_steps").await, 0);
    assert_eq!(app.audited("automation:executed").await.len(), before);
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let (rest, gql) = (dry(&member, id, json!({})).await, gql_dry(&member, id, &json!({})).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:execute");
    let stranger = app.owner().await;
    let (rest, gql) = (dry(&stranger, id, json!({})).await, gql_dry(&stranger, id, &json!({})).await);
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Automation not found");
    app.stop().await;
}

#[tokio::test]
async fn dry_run_automation_takes_an_event_or_a_past_one() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (id, trigger, action) = (id_of(&create(&owner, "Raid").await), Uuid::now_v7(), Uuid::now_v7());
    let nodes = [
        node(trigger, "event", json!({ "event_types": ["twitch:raid"] })),
        node(action, "send_chat", json!({ "message": "{{event.event_type}} {{user.display_name}}" })),
    ];
    put(&owner, id, 1, &nodes, &[edge(trigger, "out", action)]).await.expect(200);
    let event = json!({ "event_type": "twitch:raid", "platform": "twitch", "platform_user_id": "1", "display_name": "Ada" });
    let message = |answer: &Answer| {
        answer.data()["steps"].as_array().unwrap().last().unwrap()["effect"]["arguments"]["message"].clone()
    };
    let answer = dry(&owner, id, json!({ "event": event })).await;
    assert_eq!(message(&answer), "twitch:raid Ada");

    let emitted = json!({ "event_type": "custom:raid", "data": { "a": 1 } });
    owner.post("/v1/events", emitted.clone()).await.expect(201);
    stranger.post("/v1/events", emitted).await.expect(201);
    let past = id_of(&stored_events(&app, owner.account_id).await[0]);
    let answer = dry(&owner, id, json!({ "event_id": past })).await;
    assert_eq!(message(&answer).as_str().unwrap().trim(), "custom:raid");
    let foreign = id_of(&stored_events(&app, stranger.account_id).await[0]);
    for unknown in [foreign, Uuid::now_v7()] {
        let body = json!({ "event_id": unknown });
        let (rest, gql) = (dry(&owner, id, body.clone()).await, gql_dry(&owner, id, &body).await);
        both_refused(&rest, &gql, 404, "NOT_FOUND", "Event not found");
    }
    let member = app.member_with(owner.account_id, &["automations:execute"]).await;
    dry(&member, id, json!({ "event": event })).await.expect(200);
    let body = json!({ "event_id": past });
    let (rest, gql) = (dry(&member, id, body.clone()).await, gql_dry(&member, id, &body).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: events:read");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dry_run_automation_of_an_event_reads_what_its_run_reads() {
    let stage = Stage::new().await;
    let mut draft = Draft::of("event", json!({ "event_types": ["custom:level_up"] }));
    let mut last = draft.trigger;
    for text in [
        "{{trigger.payload.level}}",
        "{{trigger.level}}",
        "{{trigger.payload.event_type|default:none}} {{trigger.payload.data|default:none}}",
        "{{event.event_type}} {{event.level}} {{event.data.level}}",
    ] {
        last = draft.after(last, "out", "set_variable", json!({ "name": "x", "value": text }));
    }
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let event = json!({ "event_type": "custom:level_up", "data": { "level": 3 } });
    stage.owner.post("/v1/events", event.clone()).await.expect(201);
    let ended = "automation_runs WHERE status = 'succeeded'";
    eventually("the run ends", async || stage.count(ended).await == 1).await;
    let run = make(&stage.app, automation, "SELECT id FROM automation_runs WHERE automation_id = $1").await;
    let read: Vec<Value> = stage.steps(run).await.iter().map(|step| step.input["value"].clone()).collect();
    assert_eq!(read, [json!(3), json!(3), json!("none none"), json!("custom:level_up 3 3")]);

    let past = id_of(&stored_events(&stage.app, stage.owner.account_id).await[0]);
    for cause in [json!({ "event": event }), json!({ "event_id": past })] {
        let answer = dry(&stage.owner, automation, cause.clone()).await;
        let steps = answer.data()["steps"].as_array().unwrap().iter();
        let dry_read: Vec<Value> = steps.map(|step| step["input"]["value"].clone()).collect();
        assert_eq!(dry_read, read, "{cause}");
    }
    stage.end(running).await;
}

#[tokio::test]
async fn dry_run_automation_checks_its_cause_and_trigger() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ready = ready(&owner).await;
    for (body, message) in [
        (json!({ "input": 1, "event": {} }), "Give one of input, event and event_id"),
        (json!({ "input": 1, "event_id": Uuid::now_v7() }), "Give one of input, event and event_id"),
        (json!({ "event": [1] }), "event must be an object"),
        (json!({ "input": { "a": "x".repeat(64 * 1024) } }), "input must have at most 65536 bytes of JSON"),
        (json!({ "event": { "a": "x".repeat(64 * 1024) } }), "event must have at most 65536 bytes of JSON"),
    ] {
        let (rest, gql) = (dry(&owner, ready.id, body.clone()).await, gql_dry(&owner, ready.id, &body).await);
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
    }
    let body = json!({ "trigger_node_id": ready.action });
    let (rest, gql) = (dry(&owner, ready.id, body.clone()).await, gql_dry(&owner, ready.id, &body).await);
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Trigger node not found");
    let empty = id_of(&create(&owner, "Empty").await);
    let (rest, gql) = (dry(&owner, empty, json!({})).await, gql_dry(&owner, empty, &json!({})).await);
    both_refused(&rest, &gql, 409, "CONFLICT", "Automation has no trigger");
    let answer = dry(&owner, ready.id, json!({ "trigger_node_id": ready.trigger })).await;
    assert_eq!(answer.expect(200)["data"]["status"], "succeeded");
    app.stop().await;
}

#[tokio::test]
async fn dry_run_automation_fails_for_a_flag_that_is_off_and_bounds_its_steps() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (id, trigger, chat) = (id_of(&create(&owner, "Chat").await), Uuid::now_v7(), Uuid::now_v7());
    let nodes = [node(trigger, "manual", json!({})), node(chat, "send_chat", json!({ "message": "Hi" }))];
    put(&owner, id, 1, &nodes, &[edge(trigger, "out", chat)]).await.expect(200);
    app.override_feature(owner.account_id, "automation:send_chat", false).await;
    let answer = dry(&owner, id, json!({})).await;
    assert_eq!(answer.expect(200)["data"]["status"], "failed");
    let last = answer.data()["steps"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&last["status"], &last["error"]),
        (&json!("failed"), &json!("FEATURE_DISABLED: automation:send_chat"))
    );

    let ids: Vec<Uuid> = (0..4).map(|_| Uuid::now_v7()).collect();
    let list = "{{trigger.payload.list}}";
    let nodes = [
        node(ids[0], "manual", json!({})),
        node(ids[1], "loop", json!({ "list": list })),
        node(ids[2], "loop", json!({ "list": list })),
        node(ids[3], "set_variable", json!({ "name": "x", "value": "1" })),
    ];
    let edges = [edge(ids[0], "out", ids[1]), edge(ids[1], "out", ids[2]), edge(ids[2], "out", ids[3])];
    put(&owner, id, 2, &nodes, &edges).await.expect(200);
    let items: Vec<i32> = (0..50).collect();
    let body = json!({ "input": { "list": items } });
    let (rest, gql) = (dry(&owner, id, body.clone()).await, gql_dry(&owner, id, &body).await);
    both_refused(&rest, &gql, 400, "BAD_REQUEST", "The dry run is too long");
    app.stop().await;
}

/// Configuration of an action: its required keys.
fn config(action: &NodeType) -> Value {
    let required = action.keys.iter().filter(|key| key.is_required);
    let value = |name: &str, shape: Shape| match shape {
        Shape::Id => json!(Uuid::nil()),
        Shape::Whole(min, _) => json!(min),
        Shape::Flag | Shape::Toggle => json!(true),
        Shape::Choice(texts) => json!(texts[0]),
        Shape::Platform => json!("twitch"),
        Shape::Url => json!("https://example.org/"),
        _ if name == "event_type" => json!("twitch:raid"),
        _ => json!("text"),
    };
    required.map(|key| (key.name, value(key.name, key.shape))).collect()
}

#[tokio::test]
async fn dry_run_automation_fails_for_a_domain_that_is_off() {
    let stage = Stage::new().await;
    let (mut draft, mut types) = (Draft::manual(), HashMap::new());
    for action in NODE_TYPES.iter().filter(|known| known.kind == Kind::Action && known.name != "extension") {
        let node = draft.after(draft.trigger, "out", action.name, config(action));
        draft.after(node, "error", "set_variable", json!({ "name": "x", "value": 1 }));
        types.insert(json!(node).to_string(), action.name);
    }
    let automation = stage.automation(&draft).await;
    for (feature, actions) in NEEDED {
        stage.app.override_feature(stage.owner.account_id, feature, false).await;
        let answer = dry(&stage.owner, automation, json!({})).await;
        let steps = answer.data()["steps"].as_array().unwrap().iter();
        let failed: Vec<&Value> = steps.filter(|step| step["status"] == "failed").collect();
        let names: Vec<&str> = failed.iter().map(|step| types[&step["node_id"].to_string()]).collect();
        assert_eq!(names, actions, "{feature}");
        let message = format!("FEATURE_DISABLED: {feature}");
        assert!(failed.iter().all(|step| step["error"] == *message), "{feature}");
        stage.app.override_feature(stage.owner.account_id, feature, true).await;
    }
    stage.app.stop().await;
}
