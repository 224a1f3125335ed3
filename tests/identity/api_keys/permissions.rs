//! Permissions to manage keys, and the scopes that a key may carry (reference/credentials.md#key-scopes).

use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::json;
use shared::catalogue::{AccountPermission, Permission};
use uuid::Uuid;

use super::{create, create_over_graphql, labels};
use crate::text;

#[tokio::test]
async fn create_user_api_key_and_others_need_permission_and_first_party() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &[]).await;
    let popout = app.popout(&owner, &["apikeys:read"]).await;
    let service = app.service_key(owner.account_id, &["apikeys:*"]).await;
    let id = Uuid::now_v7();
    let create_input = json!({ "label": "x", "permissions": [] });
    let calls = async |caller: &Caller| {
        let path = format!("/v1/api-keys/{id}");
        let delete = format!("mutation {{ deleteUserApiKey(id: \"{id}\") {{ success }} }}");
        let update =
            format!("mutation {{ updateUserApiKey(id: \"{id}\", input: {{ label: \"x\" }}) {{ id }} }}");
        let assignable = "{ apiKeyAssignablePermissions(kind: PERSONAL) { key } }";
        [
            (
                "apikeys:read",
                caller.get("/v1/api-keys/permissions?kind=personal").await,
                caller.graphql(assignable, json!({})).await,
            ),
            (
                "apikeys:read",
                caller.get("/v1/api-keys").await,
                caller.graphql("{ userApiKeys { id } }", json!({})).await,
            ),
            (
                "apikeys:create",
                caller.post("/v1/api-keys", create_input.clone()).await,
                caller.mutate("createUserApiKey", &create_input, "{ key }").await,
            ),
            (
                "apikeys:edit",
                caller.patch(&path, json!({ "label": "x" })).await,
                caller.graphql(&update, json!({})).await,
            ),
            ("apikeys:delete", caller.delete(&path).await, caller.graphql(&delete, json!({})).await),
        ]
    };
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for caller in [&popout, &service] {
        for (_, rest, graphql) in calls(caller).await {
            both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
        }
    }
    for (permission, rest, graphql) in calls(&member).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    app.override_feature(owner.account_id, "feature:apikeys", false).await;
    for (_, rest, graphql) in calls(&owner).await {
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:apikeys");
    }
    assert_eq!(labels(&app).await, Vec::<String>::new());
}

#[tokio::test]
async fn api_key_assignable_permissions_leaves_out_the_deny_list() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (kind, count) in [("personal", 129), ("service", 119)] {
        let rest = owner.get(&format!("/v1/api-keys/permissions?kind={kind}")).await;
        let keys: Vec<&str> =
            rest.data().as_array().unwrap().iter().map(|entry| text(entry, "/key")).collect();
        assert_eq!(keys.len(), count);
        for denied in
            ["apikeys:create", "apikeys:edit", "tokens:create", "account:delete", "ideas:moderate_edit"]
        {
            assert!(!keys.contains(&denied));
        }
        assert_eq!(keys.contains(&"ideas:vote"), kind == "personal");
        let query = format!(
            "{{ apiKeyAssignablePermissions(kind: {}) {{ key label category }} }}",
            kind.to_uppercase()
        );
        let graphql = owner.graphql(&query, json!({})).await;
        assert_eq!(graphql.field("apiKeyAssignablePermissions"), *rest.data());
        assert_eq!(
            rest.data()[0],
            json!({ "key": "events:read", "label": "Events: read", "category": "events" })
        );
    }
    for query in ["", "?kind=other", "?kind=PERSONAL"] {
        owner.get(&format!("/v1/api-keys/permissions{query}")).await.refused_with("VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn create_user_api_key_refuses_unknown_and_denied_scopes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for scope in [
        "chat:none",
        "chat",
        "",
        "admin:access",
        "ideas:moderate_edit",
        "apikeys:create",
        "apikeys:edit",
        "tokens:create",
        "account:delete",
        "apikeys:*",
        "tokens:*",
        "account:*",
        "nothing:*",
    ] {
        let rest = create(&owner, &["chat:read", scope]).await;
        let graphql = create_over_graphql(&owner, &["chat:read", scope]).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", &format!("Invalid permission: {scope}"));
    }
    assert_eq!(labels(&app).await, Vec::<String>::new());
}

#[tokio::test]
async fn create_user_api_key_grants_no_more_than_the_caller_holds() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member =
        app.member_with(owner.account_id, &["apikeys:create", "chat:read", "obs:read", "obs:edit"]).await;
    for (scope, lacking) in [("chat:ban", "chat:ban"), ("chat:*", "chat:write"), ("*", "*"), ("*:*", "*")] {
        let rest = create(&member, &["chat:read", scope]).await;
        let graphql = create_over_graphql(&member, &["chat:read", scope]).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {lacking}"));
    }
    // Not even the owner holds the bare wildcard.
    create(&owner, &["*"]).await.refused("FORBIDDEN", "Missing permission: *");
    assert_eq!(labels(&app).await, Vec::<String>::new());
    create(&member, &["chat:read", "ideas:*"]).await.expect(201);
}

#[tokio::test]
async fn create_user_api_key_accepts_a_wildcard_that_the_caller_holds() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = create(&owner, &["chat:*", "ideas:*"]).await;
    assert_eq!(created.data()["permissions"], json!(["chat:*", "ideas:*"]));
    let held = app.bearer(text(created.data(), "/key")).get("/v1/tokens/me").await;
    let held = held.data()["permissions"].as_array().unwrap();
    let of_chat = AccountPermission::ALL.iter().filter(|permission| permission.resource() == "chat").count();
    assert_eq!(held.len(), of_chat + 10);
}
