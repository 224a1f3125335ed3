//! Graphs that are stored, also incomplete ones.

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::common::{
    AUTOMATION, create, edge, gql_edges, gql_nodes, gql_put, id_of, installed_node, node, path, problems,
    put, ready,
};

async fn gql_nodes_of(caller: &Caller, id: Uuid, version: i32, nodes: &[Value]) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $version: Int!, $nodes: [AutomationNodeInput!]!) {{
            updateAutomationNodes(id: $id, version: $version, nodes: $nodes) {AUTOMATION} }}"
    );
    caller.graphql(&document, json!({ "id": id, "version": version, "nodes": gql_nodes(nodes) })).await
}

async fn gql_edges_of(caller: &Caller, id: Uuid, version: i32, edges: &[Value]) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $version: Int!, $edges: [AutomationEdgeInput!]!) {{
            updateAutomationEdges(id: $id, version: $version, edges: $edges) {AUTOMATION} }}"
    );
    caller.graphql(&document, json!({ "id": id, "version": version, "edges": gql_edges(edges) })).await
}

#[tokio::test]
async fn update_automation_graph_stores_a_draft() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&create(&owner, "Draft").await);
    let (lonely, other) = (Uuid::now_v7(), Uuid::now_v7());
    let mut first = node(lonely, "send_chat", json!({}));
    first["label"] = json!(" Say hello ");
    first["position"] = json!({ "x": 1.5, "y": -2.0 });
    let nodes = [first, json!({ "id": other, "type": "switch", "label": "" })];
    let edges = [edge(lonely, "anything", other), edge(other, "out", lonely)];
    let saved = put(&owner, id, 1, &nodes, &edges).await.data().clone();
    assert_eq!(saved["version"], 2);
    let expected = json!([
        { "id": lonely, "type": "send_chat", "label": "Say hello", "config": {}, "position": { "x": 1.5, "y": -2.0 },
            "install_id": null },
        { "id": other, "type": "switch", "label": null, "config": {}, "position": { "x": 0.0, "y": 0.0 },
            "install_id": null },
    ]);
    assert_eq!((&saved["nodes"], &saved["edges"]), (&expected, &json!(edges)));
    let entry = app.audited_once("automation:graph_replaced").await;
    assert_eq!(entry.metadata, json!({ "nodes": 2, "edges": 2, "version": 2 }));
    let emptied = gql_put(&owner, id, 2, &[], &[]).await.field("updateAutomationGraph");
    assert_eq!((&emptied["version"], &emptied["nodes"]), (&json!(3), &json!([])));
    app.stop().await;
}

#[tokio::test]
async fn update_automation_graph_refuses_a_stale_version_and_foreign_ids() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let ready = ready(&owner).await;
    let (rest, gql) =
        (put(&owner, ready.id, 1, &[], &[]).await, gql_put(&owner, ready.id, 1, &[], &[]).await);
    both_refused(&rest, &gql, 409, "CONFLICT", "Automation was changed meanwhile");
    assert_eq!(rest.body["details"], json!({ "version": 2 }));
    let rest = put(&stranger, ready.id, 2, &[], &[]).await;
    let gql = gql_put(&stranger, ready.id, 2, &[], &[]).await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Automation not found");
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let rest = put(&member, ready.id, 2, &[], &[]).await;
    let gql = gql_put(&member, ready.id, 2, &[], &[]).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:edit");
    let foreign = installed_node(&app, &stranger, json!({ "node_type": "action" })).await;
    let mut extension = node(Uuid::now_v7(), "extension", json!({}));
    extension["install_id"] = json!(foreign);
    let nodes = [extension];
    let (rest, gql) =
        (put(&owner, ready.id, 2, &nodes, &[]).await, gql_put(&owner, ready.id, 2, &nodes, &[]).await);
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Extension install not found");
    app.stop().await;
}

#[tokio::test]
async fn update_automation_nodes_replaces_them_and_keeps_the_other_edges() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ready = ready(&owner).await;
    let third = Uuid::now_v7();
    let nodes = [
        node(ready.trigger, "manual", json!({})),
        node(ready.action, "set_variable", json!({ "name": "y", "value": "1" })),
        node(third, "set_variable", json!({ "name": "z", "value": "1" })),
    ];
    let saved = gql_nodes_of(&owner, ready.id, 2, &nodes).await.field("updateAutomationNodes");
    assert_eq!(
        (saved["nodes"].as_array().map(Vec::len), saved["edges"].as_array().map(Vec::len)),
        (Some(3), Some(1))
    );
    let edges = [edge(ready.trigger, "out", ready.action), edge(ready.action, "out", third)];
    put(&owner, ready.id, 3, &nodes, &edges).await.expect(200);
    let saved = gql_nodes_of(&owner, ready.id, 4, &nodes[..2]).await.field("updateAutomationNodes");
    assert_eq!(saved["edges"], json!([edges[0]]), "edges of removed nodes go with them");
    gql_nodes_of(&owner, ready.id, 4, &nodes).await.refused("CONFLICT", "Automation was changed meanwhile");
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let missing = "Missing permission: automations:edit";
    gql_nodes_of(&member, ready.id, 5, &[]).await.refused("FORBIDDEN", missing);
    let stranger = app.owner().await;
    gql_nodes_of(&stranger, ready.id, 5, &[]).await.refused("NOT_FOUND", "Automation not found");
    assert_eq!(app.audited("automation:graph_replaced").await.len(), 4);
    app.stop().await;
}

#[tokio::test]
async fn update_automation_edges_replaces_them_between_the_same_nodes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ready = ready(&owner).await;
    let edges = [edge(ready.trigger, "out", ready.action)];
    let saved = gql_edges_of(&owner, ready.id, 2, &edges).await.field("updateAutomationEdges");
    assert_eq!((&saved["version"], &saved["edges"]), (&json!(3), &json!(edges)));
    let unknown = [edge(ready.trigger, "out", Uuid::now_v7())];
    gql_edges_of(&owner, ready.id, 3, &unknown).await.refused("VALIDATION_ERROR", "Graph is not valid");
    let stale = gql_edges_of(&owner, ready.id, 2, &[]).await;
    stale.refused("CONFLICT", "Automation was changed meanwhile");
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let missing = "Missing permission: automations:edit";
    gql_edges_of(&member, ready.id, 3, &[]).await.refused("FORBIDDEN", missing);
    let stranger = app.owner().await;
    gql_edges_of(&stranger, ready.id, 3, &[]).await.refused("NOT_FOUND", "Automation not found");
    assert_eq!(app.audited("automation:graph_replaced").await.len(), 2);
    app.stop().await;
}

#[tokio::test]
async fn update_automation_graph_bounds_what_is_stored() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&create(&owner, "Large").await);
    let (a, b) = (Uuid::now_v7(), Uuid::now_v7());
    let pair = || vec![node(a, "manual", json!({})), node(b, "send_chat", json!({}))];
    let with = |key: &str, value: Value| {
        let mut nodes = pair();
        nodes[1][key] = value;
        nodes
    };
    let mut deep = json!(1);
    for _ in 0..33 {
        deep = json!({ "a": deep });
    }
    let many: Vec<Value> = (0..101).map(|_| node(Uuid::now_v7(), "manual", json!({}))).collect();
    let edges: Vec<Value> = (0..201).map(|_| edge(a, "out", b)).collect();
    let twice = edge(a, "out", b);
    for (nodes, edges, message) in [
        (many, vec![], "A graph must have at most 100 nodes"),
        (pair(), edges, "A graph must have at most 200 edges"),
        (vec![pair()[0].clone(), pair()[0].clone()], vec![], "Two nodes have this id"),
        (pair(), vec![twice.clone(), twice], "Two edges have this id"),
        (pair(), vec![edge(a, "out", Uuid::now_v7())], "Both ends of an edge must be nodes of the graph"),
        (pair(), vec![edge(a, "a b", b)], "source_handle must have 1 to 32 letters, digits, `_` and `-`"),
        (with("type", json!("teleport")), vec![], "type must be the name of a node type"),
        (
            with("config", json!({ "message": "x".repeat(16 * 1024) })),
            vec![],
            "config must have at most 16384 bytes as JSON",
        ),
        (with("config", deep), vec![], "config must be nested at most 32 deep"),
        (with("config", json!({ "message": "a\0" })), vec![], "config must not contain the character NUL"),
        (with("config", json!([])), vec![], "config must be an object"),
        (with("label", json!("x".repeat(101))), vec![], "label must have 1 to 100 characters, or be null"),
        (
            with("position", json!({ "x": 1_000_001.0, "y": 0.0 })),
            vec![],
            "position must be between -1000000 and 1000000",
        ),
        (with("type", json!("extension")), vec![], "A node of an extension must have install_id"),
        (with("install_id", json!(a)), vec![], "Only a node of an extension can have install_id"),
    ] {
        let (rest, gql) =
            (put(&owner, id, 1, &nodes, &edges).await, gql_put(&owner, id, 1, &nodes, &edges).await);
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "Graph is not valid");
        assert_eq!(problems(&rest)[0], message);
    }
    assert_eq!(owner.get(&path(id)).await.data()["version"], 1);
    app.stop().await;
}
