//! Personal API keys (reference/credentials.md#personal-api-keys).

mod limits;
mod permissions;
mod revocation;

use api_core::token;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::user_api_keys;
use uuid::Uuid;

use super::text;

const KEY: &str = "{ id userId accountId keyPrefix label permissions createdAt expiresAt lastUsedAt }";

fn created_selection() -> String {
    format!("{{ key apiKey {KEY} }}")
}

async fn create(person: &Caller, permissions: &[&str]) -> Answer {
    person.post("/v1/api-keys", json!({ "label": "bot", "permissions": permissions })).await
}

async fn create_over_graphql(person: &Caller, permissions: &[&str]) -> Answer {
    let input = json!({ "label": "bot", "permissions": permissions });
    person.mutate("createUserApiKey", &input, &created_selection()).await
}

async fn labels(app: &TestApp) -> Vec<String> {
    user_api_keys::table
        .order(user_api_keys::id.asc())
        .select(user_api_keys::label)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn create_user_api_key_shows_the_key_once_and_stores_a_hash() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = owner
        .post(
            "/v1/api-keys",
            json!({ "label": " Bot ", "permissions": ["chat:read", "chat:read", "chat:ban"] }),
        )
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let created = answer.data();
    let key = text(created, "/key");
    assert_eq!((key.len(), &key[..7]), (71, "lm_usr_"));
    assert_eq!(created["key_prefix"], key[..13]);
    assert_eq!(created["label"], "Bot");
    assert_eq!(created["permissions"], json!(["chat:ban", "chat:read"]));
    assert_eq!(
        (&created["user_id"], &created["account_id"]),
        (&json!(owner.user_id), &json!(owner.account_id))
    );
    assert_eq!((&created["expires_at"], &created["last_used_at"]), (&Value::Null, &Value::Null));
    let address = format!("/v1/api-keys/{}", text(created, "/id"));
    assert_eq!(answer.body["_links"], json!({ "self": { "href": address } }));

    let stored: Vec<u8> = user_api_keys::table
        .select(user_api_keys::key_hash)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stored, token::hash(key));
    let listed = owner.get("/v1/api-keys").await;
    assert_eq!(listed.body["_links"], json!({ "self": "/v1/api-keys" }));
    assert!(!listed.text.contains(key));
    let [listed] = listed.data().as_array().unwrap().as_slice() else { panic!("{}", listed.text) };
    assert!(listed.get("key").is_none());
    let audited = app.audited_once("api_key:created").await;
    assert_eq!(audited.account_id, Some(owner.account_id));
    assert_eq!(audited.resource_id.as_deref(), listed["id"].as_str());
    let metadata = json!({ "label": "Bot", "permissions": ["chat:ban", "chat:read"], "expires_at": null });
    assert_eq!(audited.metadata, metadata);
}

#[tokio::test]
async fn user_api_keys_are_the_same_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = create_over_graphql(&owner, &["chat:read"]).await.field("createUserApiKey");
    let rest = owner.get("/v1/api-keys").await;
    assert_eq!(rest.data()[0], created["api_key"]);
    let graphql = owner.graphql(&format!("{{ userApiKeys {KEY} }}"), json!({})).await;
    assert_eq!(graphql.field("userApiKeys"), *rest.data());

    let id = text(&created, "/api_key/id").to_owned();
    let renamed = owner.patch(&format!("/v1/api-keys/{id}"), json!({ "label": "second" })).await;
    assert_eq!((renamed.status, &renamed.data()["label"]), (200, &json!("second")));
    let document =
        format!("mutation($id: UUID!) {{ updateUserApiKey(id: $id, input: {{ label: \"third\" }}) {KEY} }}");
    let renamed = owner.graphql(&document, json!({ "id": id })).await;
    assert_eq!(renamed.field("updateUserApiKey")["label"], "third");

    let key = app.bearer(text(&created, "/key"));
    assert_eq!(key.get("/v1/tokens/me").await.data()["permissions"], json!(["chat:read"]));
    let document = "mutation($id: UUID!) { deleteUserApiKey(id: $id) { success } }";
    let deleted = owner.graphql(document, json!({ "id": id })).await;
    assert_eq!(deleted.field("deleteUserApiKey"), json!({ "success": true }));
    key.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    assert_eq!(app.audited("api_key:updated").await.len(), 2);
    assert_eq!(app.audited("api_key:revoked").await.len(), 1);
}

#[tokio::test]
async fn update_user_api_key_keeps_an_absent_label_and_refuses_null() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = create(&owner, &[]).await;
    let id = text(created.data(), "/id");
    let path = format!("/v1/api-keys/{id}");
    let update =
        |label: &str| format!("mutation {{ updateUserApiKey(id: \"{id}\", input: {{ {label} }}) {KEY} }}");
    let rest = owner.patch(&path, json!({})).await;
    assert_eq!((rest.status, &rest.data()["label"]), (200, &json!("bot")));
    let graphql = owner.graphql(&update(""), json!({})).await;
    assert_eq!(graphql.field("updateUserApiKey"), *rest.data());
    let rest = owner.patch(&path, json!({ "label": null })).await;
    let graphql = owner.graphql(&update("label: null"), json!({})).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "label cannot be null");
    let missing = format!("/v1/api-keys/{}", Uuid::now_v7());
    owner.patch(&missing, json!({})).await.refused("NOT_FOUND", "API key not found");
    assert!(app.audited("api_key:updated").await.is_empty());
}

#[tokio::test]
async fn create_user_api_key_refuses_anonymous_callers_before_the_body() {
    let app = TestApp::start().await;
    let answer = app.anonymous().post_raw("/v1/api-keys", "application/json", "{").await;
    assert_eq!(answer.status, 401);
    answer.refused("UNAUTHORIZED", "Authentication required");
}

#[tokio::test]
async fn delete_user_api_key_and_update_do_not_find_keys_of_others() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let stranger = app.owner().await;
    let colleague = app.member_as(owner.account_id, "administrator").await;
    let created = create(&owner, &["chat:read"]).await;
    let id = text(created.data(), "/id");
    let path = format!("/v1/api-keys/{id}");
    for other in [&stranger, &colleague] {
        let rest = other.patch(&path, json!({ "label": "taken" })).await;
        let update =
            format!("mutation {{ updateUserApiKey(id: \"{id}\", input: {{ label: \"taken\" }}) {{ id }} }}");
        both_refused(&rest, &other.graphql(&update, json!({})).await, 404, "NOT_FOUND", "API key not found");
        let delete = format!("mutation {{ deleteUserApiKey(id: \"{id}\") {{ success }} }}");
        let (rest, graphql) = (other.delete(&path).await, other.graphql(&delete, json!({})).await);
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "API key not found");
        assert_eq!(other.get("/v1/api-keys").await.data(), &json!([]));
    }
    assert_eq!(labels(&app).await, ["bot"]);
    assert!(app.audited("api_key:updated").await.is_empty());
    app.bearer(text(created.data(), "/key")).get("/v1/tokens/me").await.expect(200);
}
