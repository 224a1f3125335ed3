//! Node types (reference/automations.md#node-types).

use automation_model::node_types::NODE_TYPES;
use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};

use crate::common::installed_node;

const ENTRY: &str =
    "{ type kind name handles configSchema outputSchema feature enabled installId icon color }";

#[tokio::test]
async fn automation_node_types_lists_built_in_and_installed_ones() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    installed_node(&app, &stranger, json!({ "node_type": "action" })).await;
    let schema = json!({ "type": "object", "properties": { "shop": { "type": "string" } } });
    let declared = json!({ "node_type": "trigger", "trigger_mode": "both", "input_schema": schema });
    let install = installed_node(&app, &owner, declared).await;
    app.override_feature(owner.account_id, "automation:send_chat", false).await;
    let listed = owner.get("/v1/automation/node-types").await.data().clone();
    let entries = listed.as_array().unwrap();
    let built_in = entries.iter().filter(|entry| entry["install_id"].is_null());
    let built_in: Vec<(Value, Value)> =
        built_in.map(|entry| (entry["type"].clone(), entry["kind"].clone())).collect();
    let known = NODE_TYPES.iter().filter(|known| known.name != "extension");
    let known: Vec<(Value, Value)> =
        known.map(|known| (json!(known.name), json!(known.kind.as_str()))).collect();
    assert_eq!(built_in, known, "types that are listed, and those that have a test");
    let of = |name: &str| entries.iter().find(|entry| entry["type"] == name).unwrap();
    assert_eq!((&of("manual")["kind"], &of("manual")["enabled"]), (&json!("trigger"), &json!(true)));
    assert_eq!(of("send_chat")["feature"], "automation:send_chat");
    assert_eq!(of("send_chat")["enabled"], false);
    let extensions: Vec<&Value> = entries.iter().filter(|entry| entry["type"] == "extension").collect();
    assert_eq!(extensions.len(), 1);
    assert_eq!(extensions[0]["install_id"], json!(install));
    assert_eq!((&extensions[0]["name"], &extensions[0]["config_schema"]), (&json!("Orders"), &schema));
    let document = format!("{{ automationNodeTypes {ENTRY} }}");
    let gql = owner.graphql(&document, json!({})).await.field("automationNodeTypes");
    assert_eq!(gql.as_array().map(Vec::len), Some(entries.len()));
    let outsider = app.member_with(owner.account_id, &["chat:read"]).await;
    let rest = outsider.get("/v1/automation/node-types").await;
    let gql = outsider.graphql(&document, json!({})).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:read");
    app.stop().await;
}
