//! Popout tokens (reference/credentials.md#popout-tokens).

mod limits;
mod permissions;
mod revocation;

use api_core::token;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::popout_tokens;

use super::text;

const TOKEN: &str = "{ id accountId userId tokenPrefix label permissions createdAt expiresAt lastUsedAt }";

/// Creates a token over REST.
async fn create(caller: &Caller, input: Value) -> Answer {
    caller.post("/v1/tokens", input).await
}

async fn create_over_graphql(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("createPopoutToken", input, &format!("{{ token popoutToken {TOKEN} }}")).await
}

/// Changes a token, with the changes as REST takes them.
async fn update_over_graphql(caller: &Caller, id: &str, changes: &Value) -> Answer {
    let mut input = changes.clone();
    input["id"] = json!(id);
    caller.mutate("updatePopoutToken", &input, TOKEN).await
}

async fn delete_over_graphql(caller: &Caller, id: &str) -> Answer {
    let document = "mutation($id: UUID!) { deletePopoutToken(id: $id) { success } }";
    caller.graphql(document, json!({ "id": id })).await
}

async fn find_over_graphql(caller: &Caller, id: &str) -> Answer {
    let document = format!("query($id: UUID!) {{ popoutToken(id: $id) {TOKEN} }}");
    caller.graphql(&document, json!({ "id": id })).await
}

async fn permissions_of(caller: &Caller) -> Value {
    caller.get("/v1/tokens/me").await.data()["permissions"].clone()
}

async fn stored(app: &TestApp) -> i64 {
    popout_tokens::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn create_popout_token_shows_the_token_once_and_stores_a_hash() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = create(&owner, json!({ "permissions": ["chat:write", "chat:read", "chat:read"] })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let (text_of, created) = (text(answer.data(), "/token"), &answer.data()["popout_token"]);
    assert_eq!((text_of.len(), &text_of[..7]), (71, "lm_pop_"));
    let id = text(created, "/id");
    let expected = json!({
        "id": id,
        "account_id": owner.account_id,
        "user_id": owner.user_id,
        "token_prefix": text_of[..13],
        "label": null,
        "permissions": ["chat:read", "chat:write"],
        "created_at": created["created_at"],
        "expires_at": null,
        "last_used_at": null,
    });
    assert_eq!(*created, expected);
    assert_eq!(answer.body["_links"], json!({ "self": { "href": format!("/v1/tokens/{id}") } }));
    let hash: Vec<u8> = popout_tokens::table
        .select(popout_tokens::token_hash)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(hash, token::hash(text_of));
    for path in ["/v1/tokens".to_owned(), format!("/v1/tokens/{id}")] {
        let answer = owner.get(&path).await;
        assert_eq!(answer.body["_links"], json!({ "self": path }));
        assert!(!answer.text.contains(text_of));
    }
    assert_eq!(permissions_of(&app.bearer(text_of)).await, json!(["chat:read", "chat:write"]));
    let audited = app.audited_once("popout_token:created").await;
    assert_eq!((audited.resource_id.as_deref(), audited.actor_id), (Some(id), Some(owner.user_id)));
    assert_eq!(audited.metadata["permissions"], created["permissions"]);
    assert!(!audited.metadata.to_string().contains("lm_pop_"));
}

#[tokio::test]
async fn popout_tokens_are_the_same_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input =
        json!({ "permissions": ["chat:read"], "label": " Chat ", "expires_at": "2999-01-01T00:00:00+02:00" });
    let created = create_over_graphql(&owner, &input).await.field("createPopoutToken");
    let token = &created["popout_token"];
    assert_eq!((&token["label"], &token["expires_at"]), (&json!("Chat"), &json!("2998-12-31T22:00:00.000Z")));
    let id = text(token, "/id");
    let path = format!("/v1/tokens/{id}");
    assert_eq!(owner.get("/v1/tokens").await.data(), &json!([token]));
    let graphql = owner.graphql(&format!("{{ popoutTokens {TOKEN} }}"), json!({})).await;
    assert_eq!(graphql.field("popoutTokens"), json!([token]));
    assert_eq!(owner.get(&path).await.data(), token);
    assert_eq!(find_over_graphql(&owner, id).await.field("popoutToken"), *token);

    let rest = owner.patch(&path, json!({ "label": null, "expires_at": null })).await;
    assert_eq!((&rest.data()["label"], &rest.data()["expires_at"]), (&Value::Null, &Value::Null));
    assert_eq!(owner.patch(&path, json!({})).await.data(), rest.data(), "absent fields stay");
    let changes = json!({ "label": "", "permissions": ["events:read", "chat:read"] });
    let changed = update_over_graphql(&owner, id, &changes).await.field("updatePopoutToken");
    assert_eq!(
        (&changed["label"], &changed["permissions"]),
        (&json!(""), &json!(["chat:read", "events:read"]))
    );
    let popout = app.bearer(text(&created, "/token"));
    assert_eq!(permissions_of(&popout).await, json!(["chat:read", "events:read"]));
    assert_eq!(app.audited("popout_token:updated").await.len(), 2, "nothing is told of nothing");

    let second = create(&owner, json!({ "permissions": ["chat:read"] })).await;
    let second = format!("/v1/tokens/{}", text(second.data(), "/popout_token/id"));
    assert_eq!(owner.delete(&second).await.status, 204);
    let deleted = delete_over_graphql(&owner, id).await;
    assert_eq!(deleted.field("deletePopoutToken"), json!({ "success": true }));
    popout.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    assert_eq!((stored(&app).await, app.audited("popout_token:revoked").await.len()), (0, 2));
}

#[tokio::test]
async fn popout_token_of_another_account_is_not_found() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let created = create(&owner, json!({ "permissions": ["chat:read"] })).await;
    let id = text(created.data(), "/popout_token/id");
    let (path, changes) = (format!("/v1/tokens/{id}"), json!({ "label": "taken" }));
    for (rest, graphql) in [
        (stranger.get(&path).await, find_over_graphql(&stranger, id).await),
        (stranger.patch(&path, changes.clone()).await, update_over_graphql(&stranger, id, &changes).await),
        (stranger.patch(&path, json!({})).await, update_over_graphql(&stranger, id, &json!({})).await),
        (stranger.delete(&path).await, delete_over_graphql(&stranger, id).await),
    ] {
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Popout token not found");
    }
    stranger.get("/v1/tokens/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(stranger.get("/v1/tokens").await.data(), &json!([]));
    assert_eq!(owner.get(&path).await.data(), &created.data()["popout_token"]);
    assert!(app.audited("popout_token:updated").await.is_empty());
}
