//! Automations of an account (reference/automations.md#automations).

use chrono::Duration;
use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::common::{
    AUTOMATION, AUTOMATIONS, SUMMARY, create, edge, enable, execute, gql_update, graphql, id_of, node, path,
    put, ready,
};

#[tokio::test]
async fn automations_lists_the_automations_of_the_account_oldest_first() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    create(&stranger, "Other").await;
    let first = create(&owner, "First").await;
    app.clock.advance(Duration::seconds(5));
    let second = create(&owner, "Second").await;
    let listed = owner.get(AUTOMATIONS).await.data().clone();
    let ids: Vec<&Value> = listed.as_array().unwrap().iter().map(|listed| &listed["id"]).collect();
    assert_eq!(ids, [&first["id"], &second["id"]]);
    assert!(listed[0].get("nodes").is_none() && listed[0]["next_run_at"].is_null());
    let over_graphql = owner.graphql(&format!("{{ automations {SUMMARY} }}"), json!({})).await;
    assert_eq!(over_graphql.field("automations"), listed);
    let outsider = app.member_with(owner.account_id, &["chat:read"]).await;
    let (rest, gql) = (
        outsider.get(AUTOMATIONS).await,
        outsider.graphql(&format!("{{ automations {SUMMARY} }}"), json!({})).await,
    );
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:read");
    app.stop().await;
}

#[tokio::test]
async fn automation_returns_one_automation_with_its_graph() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let ready = ready(&owner).await;
    let found = owner.get(&path(ready.id)).await.data().clone();
    assert_eq!((&found["version"], &found["trigger_types"]), (&json!(2), &json!(["manual"])));
    assert_eq!(found["nodes"][0]["id"], json!(ready.trigger));
    assert_eq!(found["edges"][0]["target_node_id"], json!(ready.action));
    let gql = graphql(&owner, "query", "automation", &[("id", ready.id)], AUTOMATION).await;
    assert_eq!(gql.field("automation"), found);
    let outsider = app.member_with(owner.account_id, &["chat:read"]).await;
    let gql = graphql(&outsider, "query", "automation", &[("id", ready.id)], AUTOMATION).await;
    let missing = "Missing permission: automations:read";
    both_refused(&outsider.get(&path(ready.id)).await, &gql, 403, "FORBIDDEN", missing);
    for (caller, id) in [(&stranger, ready.id), (&owner, Uuid::now_v7())] {
        let gql = graphql(caller, "query", "automation", &[("id", id)], AUTOMATION).await;
        both_refused(&caller.get(&path(id)).await, &gql, 404, "NOT_FOUND", "Automation not found");
    }
    app.stop().await;
}

#[tokio::test]
async fn create_automation_creates_a_disabled_one_without_a_graph() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = owner.post(AUTOMATIONS, json!({ "name": " Welcome ", "description": " " })).await;
    let made = answer.expect(201)["data"].clone();
    assert_eq!(answer.header("location"), path(id_of(&made)));
    let expected = json!({
        "id": made["id"], "account_id": owner.account_id, "name": "Welcome", "description": null, "enabled": false,
        "trigger_types": [], "version": 1, "last_run_at": null, "next_run_at": null, "run_count": 0,
        "created_by": owner.user_id, "created_at": made["created_at"], "updated_at": made["created_at"],
        "nodes": [], "edges": [],
    });
    assert_eq!(made, expected);
    let entry = app.audited_once("automation:created").await;
    assert_eq!((entry.account_id, entry.metadata), (Some(owner.account_id), json!({ "name": "Welcome" })));
    let gql = owner.mutate("createAutomation", &json!({ "name": "Other" }), AUTOMATION).await;
    assert_eq!(gql.field("createAutomation")["name"], "Other");
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let (rest, gql) = (
        member.post(AUTOMATIONS, json!({ "name": "a" })).await,
        member.mutate("createAutomation", &json!({ "name": "a" }), AUTOMATION).await,
    );
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:create");
    app.stop().await;
}

#[tokio::test]
async fn create_automation_and_update_automation_validate_every_field() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&create(&owner, "Mine").await);
    for (field, value, message) in [
        ("name", json!(" "), "name must not be empty"),
        ("name", json!("x".repeat(101)), "name must be between 1 and 100 characters"),
        ("description", json!("x".repeat(501)), "description must be between 0 and 500 characters"),
    ] {
        let mut input = json!({ "name": "Fine" });
        input[field] = value.clone();
        let gql = owner.mutate("createAutomation", &input, AUTOMATION).await;
        both_refused(&owner.post(AUTOMATIONS, input.clone()).await, &gql, 400, "VALIDATION_ERROR", message);
        let change = json!({ field: value });
        let gql = gql_update(&owner, id, &change).await;
        both_refused(&owner.patch(&path(id), change).await, &gql, 400, "VALIDATION_ERROR", message);
    }
    for field in ["name", "enabled"] {
        let change = json!({ field: null });
        let gql = gql_update(&owner, id, &change).await;
        let message = format!("{field} cannot be null");
        both_refused(&owner.patch(&path(id), change).await, &gql, 400, "VALIDATION_ERROR", &message);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_automation_enables_a_graph_that_can_run() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ready = ready(&owner).await;
    let enabled = enable(&owner, ready.id).await;
    assert_eq!(enabled.data()["enabled"], true);
    let entry = app.audited_once("automation:updated").await;
    assert_eq!(entry.metadata, json!({ "fields": ["enabled"], "enabled": true }));
    let change = json!({ "name": "Renamed", "description": "New", "enabled": false });
    let gql = gql_update(&owner, ready.id, &change).await.field("updateAutomation");
    assert_eq!(
        (&gql["name"], &gql["description"], &gql["enabled"]),
        (&json!("Renamed"), &json!("New"), &json!(false))
    );
    let cleared = owner.patch(&path(ready.id), json!({ "description": null })).await;
    assert!(cleared.data()["description"].is_null());
    owner.patch(&path(ready.id), json!({})).await.expect(200);
    assert_eq!(app.audited("automation:updated").await.len(), 3, "without a field nothing changes");
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let rest = member.patch(&path(ready.id), json!({ "enabled": true })).await;
    let gql = gql_update(&member, ready.id, &json!({ "enabled": true })).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:edit");
    let stranger = app.owner().await;
    let rest = stranger.patch(&path(ready.id), json!({ "name": "Mine" })).await;
    let gql = gql_update(&stranger, ready.id, &json!({ "name": "Mine" })).await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Automation not found");
    app.stop().await;
}

#[tokio::test]
async fn update_automation_refuses_to_enable_what_cannot_run() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&create(&owner, "Empty").await);
    let (rest, gql) = (enable(&owner, id).await, gql_update(&owner, id, &json!({ "enabled": true })).await);
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "Graph is not valid");
    let nodes = rest.body["details"]["nodes"].clone();
    let expected = json!([{ "node_id": null, "edge_id": null, "message": "A graph must have a trigger" }]);
    assert_eq!(nodes, expected);
    assert_eq!(gql.body["errors"][0]["extensions"]["details"]["nodes"], expected);
    assert_eq!(owner.get(&path(id)).await.data()["enabled"], false);
    app.stop().await;
}

#[tokio::test]
async fn update_automation_refuses_to_enable_an_action_whose_flag_is_off() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (id, trigger, chat) = (id_of(&create(&owner, "Chat").await), Uuid::now_v7(), Uuid::now_v7());
    let nodes = [node(trigger, "manual", json!({})), node(chat, "send_chat", json!({ "message": "Hi" }))];
    put(&owner, id, 1, &nodes, &[edge(trigger, "out", chat)]).await.expect(200);
    app.override_feature(owner.account_id, "automation:send_chat", false).await;
    let (rest, gql) = (enable(&owner, id).await, gql_update(&owner, id, &json!({ "enabled": true })).await);
    let message = "Feature is disabled: automation:send_chat";
    both_refused(&rest, &gql, 403, "FEATURE_DISABLED", message);
    assert_eq!(rest.body["details"]["nodes"][0]["node_id"], json!(chat));
    assert_eq!(rest.body["details"]["feature"], "automation:send_chat");
    app.stop().await;
}

#[tokio::test]
async fn update_automation_keeps_the_next_time_of_its_schedules() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (id, trigger, action) = (id_of(&create(&owner, "Daily").await), Uuid::now_v7(), Uuid::now_v7());
    let nodes = [
        node(trigger, "schedule", json!({ "cron": "0 12 * * *", "timezone": "Europe/Berlin" })),
        node(action, "set_variable", json!({ "name": "x", "value": "1" })),
    ];
    let saved = put(&owner, id, 1, &nodes, &[edge(trigger, "out", action)]).await;
    assert!(saved.data()["next_run_at"].is_null(), "a disabled automation has no next time");
    let enabled = enable(&owner, id).await;
    let next = enabled.data()["next_run_at"].as_str().unwrap().to_owned();
    assert!(next.ends_with("11:00:00.000Z") || next.ends_with("10:00:00.000Z"), "{next}");
    let disabled = owner.patch(&path(id), json!({ "enabled": false })).await;
    assert!(disabled.data()["next_run_at"].is_null());
    app.stop().await;
}

#[tokio::test]
async fn delete_automation_deletes_graph_and_runs() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (first, second) = (ready(&owner).await, ready(&owner).await);
    let sql = "INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
        SELECT gen_random_uuid(), account_id, id, '{}', 'a' FROM automations WHERE id = $1";
    execute(&app, sql, first.id).await;
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let gql = graphql(&member, "mutation", "deleteAutomation", &[("id", first.id)], "").await;
    let missing = "Missing permission: automations:delete";
    both_refused(&member.delete(&path(first.id)).await, &gql, 403, "FORBIDDEN", missing);
    let gql = graphql(&stranger, "mutation", "deleteAutomation", &[("id", first.id)], "").await;
    both_refused(&stranger.delete(&path(first.id)).await, &gql, 404, "NOT_FOUND", "Automation not found");
    owner.delete(&path(first.id)).await.expect(204);
    assert_eq!(app.audited_once("automation:deleted").await.metadata, json!({ "name": "Ready" }));
    let gql = graphql(&owner, "mutation", "deleteAutomation", &[("id", second.id)], "").await;
    assert_eq!(gql.field("deleteAutomation"), json!(true));
    assert_eq!(*owner.get(AUTOMATIONS).await.data(), json!([]));
    app.stop().await;
}

#[tokio::test]
async fn duplicate_automation_copies_the_graph_disabled() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let ready = ready(&owner).await;
    enable(&owner, ready.id).await.expect(200);
    let copied = format!("{}/duplicate", path(ready.id));
    let copy = owner.post(&copied, json!({})).await.expect(201)["data"].clone();
    assert_eq!((&copy["name"], &copy["enabled"]), (&json!("Ready (copy)"), &json!(false)));
    assert_eq!(copy["nodes"], owner.get(&path(ready.id)).await.data()["nodes"]);
    assert_eq!(copy["trigger_types"], json!(["manual"]));
    let entry = app.audited_once("automation:duplicated").await;
    assert_eq!(entry.metadata, json!({ "name": "Ready (copy)", "source_id": ready.id }));
    let gql = graphql(&owner, "mutation", "duplicateAutomation", &[("id", ready.id)], AUTOMATION).await;
    assert_eq!(gql.field("duplicateAutomation")["name"], "Ready (copy)");
    let gql = graphql(&stranger, "mutation", "duplicateAutomation", &[("id", ready.id)], AUTOMATION).await;
    let rest = stranger.post(&copied, json!({})).await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Automation not found");
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let gql = graphql(&member, "mutation", "duplicateAutomation", &[("id", ready.id)], AUTOMATION).await;
    let rest = member.post(&copied, json!({})).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:create");
    app.stop().await;
}
