//! Automations and graphs as callers write them, and numbers for generated ones.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Jsonb, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use live_model::AccountEvent;
use lumio_tests::{Answer, Caller, Person, TestApp, world::install};
use serde_json::{Value, json};
use shared::id;
use uuid::Uuid;

pub const AUTOMATIONS: &str = "/v1/automations";
pub const SUMMARY: &str =
    "{ id accountId name description enabled triggerTypes version lastRunAt nextRunAt runCount createdBy createdAt
    updatedAt }";
pub const AUTOMATION: &str =
    "{ id accountId name description enabled triggerTypes version lastRunAt nextRunAt runCount createdBy createdAt
    updatedAt nodes { id type label config position { x y } installId }
    edges { id sourceNodeId sourceHandle targetNodeId } }";
pub const RUN: &str =
    "{ id automationId status trigger isTest parentRunId error createdAt startedAt finishedAt stepCount
    steps { position nodeId status input output branch error startedAt durationMs } }";
pub const DRY_RUN: &str =
    "{ status steps { nodeId status input output branch effect { type arguments } error } }";

/// SplitMix64: the same numbers in every run of a test.
pub struct Numbers(pub u64);

#[derive(QueryableByName)]
struct Made {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    pub fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }
}

#[track_caller]
pub fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).parse().expect("an id")
}

pub fn path(id: Uuid) -> String {
    format!("{AUTOMATIONS}/{id}")
}

/// Creates an automation.
pub async fn create(caller: &Caller, name: &str) -> Value {
    caller.post(AUTOMATIONS, json!({ "name": name })).await.expect(201)["data"].clone()
}

pub fn node(id: Uuid, node_type: &str, config: Value) -> Value {
    json!({ "id": id, "type": node_type, "config": config })
}

pub fn edge(from: Uuid, handle: &str, to: Uuid) -> Value {
    json!({ "id": Uuid::now_v7(), "source_node_id": from, "source_handle": handle, "target_node_id": to })
}

/// Saves a graph.
pub async fn put(caller: &Caller, id: Uuid, version: i32, nodes: &[Value], edges: &[Value]) -> Answer {
    let body = json!({ "version": version, "nodes": nodes, "edges": edges });
    caller.put(&format!("{}/graph", path(id)), body).await
}

/// Saves a graph over GraphQL.
pub async fn gql_put(caller: &Caller, id: Uuid, version: i32, nodes: &[Value], edges: &[Value]) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $version: Int!, $nodes: [AutomationNodeInput!]!, $edges: [AutomationEdgeInput!]!) {{
            updateAutomationGraph(id: $id, version: $version, nodes: $nodes, edges: $edges) {AUTOMATION} }}"
    );
    let variables =
        json!({ "id": id, "version": version, "nodes": gql_nodes(nodes), "edges": gql_edges(edges) });
    caller.graphql(&document, variables).await
}

pub fn gql_nodes(nodes: &[Value]) -> Value {
    let renamed = |node: &Value| {
        let mut node = node.clone();
        if let Some(install) = node.as_object_mut().unwrap().remove("install_id") {
            node["installId"] = install;
        }
        node
    };
    nodes.iter().map(renamed).collect()
}

pub fn gql_edges(edges: &[Value]) -> Value {
    let renamed = |edge: &Value| {
        json!({ "id": edge["id"], "sourceNodeId": edge["source_node_id"], "sourceHandle": edge["source_handle"],
            "targetNodeId": edge["target_node_id"] })
    };
    edges.iter().map(renamed).collect()
}

/// An automation whose manual trigger leads to a node that sets a variable.
pub struct Ready {
    pub id: Uuid,
    pub trigger: Uuid,
    pub action: Uuid,
}

pub async fn ready(caller: &Caller) -> Ready {
    let (id, trigger, action) = (id_of(&create(caller, "Ready").await), Uuid::now_v7(), Uuid::now_v7());
    let nodes = [
        node(trigger, "manual", json!({})),
        node(action, "set_variable", json!({ "name": "x", "value": "{{trigger.payload.name}}" })),
    ];
    put(caller, id, 1, &nodes, &[edge(trigger, "out", action)]).await.expect(200);
    Ready { id, trigger, action }
}

pub async fn enable(caller: &Caller, id: Uuid) -> Answer {
    caller.patch(&path(id), json!({ "enabled": true })).await
}

pub async fn gql_update(caller: &Caller, id: Uuid, changes: &Value) -> Answer {
    let mut input = changes.clone();
    input["id"] = json!(id);
    caller.mutate("updateAutomation", &input, AUTOMATION).await
}

/// Calls a GraphQL field with ids.
pub async fn graphql(
    caller: &Caller,
    kind: &str,
    field: &str,
    ids: &[(&str, Uuid)],
    selection: &str,
) -> Answer {
    let declared: Vec<String> = ids.iter().map(|(name, _)| format!("${name}: UUID!")).collect();
    let given: Vec<String> = ids.iter().map(|(name, _)| format!("{name}: ${name}")).collect();
    let document = format!("{kind}({}) {{ {field}({}) {selection} }}", declared.join(", "), given.join(", "));
    let variables = ids.iter().map(|(name, id)| ((*name).to_owned(), json!(id))).collect();
    caller.graphql(&document, Value::Object(variables)).await
}

/// Runs a statement that names an id as `$1` and returns one.
pub async fn make(app: &TestApp, id: Uuid, sql: &str) -> Uuid {
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).bind::<SqlUuid, _>(id).get_result::<Made>(&mut *db).await.unwrap().id
}

/// Runs a statement that names an id as `$1`.
pub async fn execute(app: &TestApp, sql: &str, id: Uuid) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let rows = sql_query(sql).bind::<SqlUuid, _>(id).execute(&mut *db).await.unwrap();
    assert!(rows > 0, "{sql}");
}

/// Install of an extension with an automation node.
pub async fn installed_node(app: &TestApp, owner: &Person, declared: Value) -> Uuid {
    let id = install(app, owner, &[]).await;
    let mut automation_node = json!({ "name": "Orders", "handler": "hello" });
    automation_node.as_object_mut().unwrap().extend(declared.as_object().unwrap().clone());
    let manifest = json!({
        "extensionId": Uuid::now_v7(), "name": "Shop", "description": "Shop", "category": "automation_node",
        "version": "1.0.0", "server": true, "automation_node": automation_node,
    });
    let sql = "UPDATE extension_versions SET manifest = $2
        WHERE id = (SELECT version_id FROM extension_installs WHERE id = $1)";
    let mut db = app.databases.postgres.get().await.unwrap();
    let changed = sql_query(sql).bind::<SqlUuid, _>(id).bind::<Jsonb, _>(manifest).execute(&mut *db).await;
    assert_eq!(changed.unwrap(), 1);
    id
}

/// Messages in `details.nodes`.
pub fn problems(answer: &Answer) -> Vec<String> {
    let nodes = answer.body["details"]["nodes"].as_array().cloned().unwrap_or_default();
    nodes.iter().map(|problem| problem["message"].as_str().unwrap().to_owned()).collect()
}

/// Event of an account's own type, as it is announced.
pub fn custom_event(app: &TestApp, account_id: Uuid, name: &str) -> AccountEvent {
    AccountEvent {
        id: id::new(),
        account_id,
        event_type: format!("custom:{name}"),
        platform: None,
        platform_user_id: None,
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data: json!({}),
        is_test: false,
        occurred_at: app.clock.now(),
    }
}
