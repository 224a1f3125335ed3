//! Permissions of the caller's credential (reference/permissions.md#own-permissions).

use api_core::token::TokenKind;
use diesel::ExpressionMethods;
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Permission},
    schema::account_permission_overrides,
};

async fn permissions_of(caller: &Caller) -> Value {
    let rest = caller.get("/v1/tokens/me").await;
    let query = "{ myPermissions { tokenType accountId permissions } }";
    let graphql = caller.graphql(query, json!({})).await;
    assert_eq!(graphql.field("myPermissions"), *rest.data());
    rest.data().clone()
}

#[tokio::test]
async fn my_permissions_of_a_session_are_those_of_role_and_user() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let held = permissions_of(&owner).await;
    assert_eq!((&held["token_type"], &held["account_id"]), (&json!("session"), &json!(owner.account_id)));
    let held = held["permissions"].as_array().unwrap();
    assert_eq!(held.len(), AccountPermission::ALL.len() + 10);
    assert!(held.iter().all(|permission| !permission.as_str().unwrap().contains('*')));
    assert!(held.is_sorted_by_key(|permission| permission.as_str().unwrap().to_owned()));

    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let held = permissions_of(&member).await;
    assert_eq!(held["permissions"].as_array().unwrap().len(), 1 + 10);
}

#[tokio::test]
async fn my_permissions_of_a_scoped_credential_are_its_expanded_scopes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.personal_key(&owner, &["events:*", "ideas:vote"]).await;
    let held = permissions_of(&key).await;
    assert_eq!(held["token_type"], "user_api_key");
    assert_eq!(held["permissions"], json!(["events:create", "events:read", "events:userinfo", "ideas:vote"]));

    let service =
        permissions_of(&app.service_key(owner.account_id, &["chat:read", "ideas:read"]).await).await;
    assert_eq!(service["token_type"], "service_key");
    assert_eq!(service["account_id"], json!(owner.account_id));
    assert_eq!(service["permissions"], json!(["chat:read"]));

    let popout = permissions_of(&app.popout(&owner, &["chat:read", "chat:write"]).await).await;
    assert_eq!(popout["token_type"], "popout");
    assert_eq!(popout["permissions"], json!(["chat:read", "chat:write"]));

    for bare in ["*", "*:*"] {
        assert_eq!(permissions_of(&app.personal_key(&owner, &[bare]).await).await["permissions"], json!([]));
    }
}

#[tokio::test]
async fn my_permissions_of_a_key_are_limited_by_its_user() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let key = app.personal_key(&viewer, &["events:read", "chat:ban"]).await;
    assert_eq!(permissions_of(&key).await["permissions"], json!(["events:read"]));
}

#[tokio::test]
async fn my_permissions_refuses_surfaces_system_keys_and_anonymous_callers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let callers = [
        app.system_key().await,
        app.surface_token(TokenKind::Overlay, owner.account_id, "overlay", None).await,
        app.surface_token(TokenKind::Share, owner.account_id, "overlay", None).await,
        app.surface_token(TokenKind::Extension, owner.account_id, "install", None).await,
    ];
    let query = "{ myPermissions { permissions } }";
    for caller in callers {
        let graphql = caller.graphql(query, json!({})).await;
        let message = "This token cannot call the API";
        both_refused(&caller.get("/v1/tokens/me").await, &graphql, 403, "FORBIDDEN", message);
    }
    let anonymous = app.anonymous();
    let graphql = anonymous.graphql(query, json!({})).await;
    both_refused(
        &anonymous.get("/v1/tokens/me").await,
        &graphql,
        401,
        "UNAUTHORIZED",
        "Authentication required",
    );
}

#[tokio::test]
async fn my_permissions_of_a_service_key_follow_account_overrides() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.service_key(owner.account_id, &["apikeys:read", "chat:read"]).await;
    assert_eq!(permissions_of(&key).await["permissions"], json!(["apikeys:read", "chat:read"]));
    for (permission, granted) in [("chat:read", false), ("chat:send", true)] {
        use account_permission_overrides as t;
        diesel::insert_into(t::table)
            .values((
                t::account_id.eq(owner.account_id),
                t::permission.eq(permission),
                t::granted.eq(granted),
            ))
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    }
    app.state.caches.invalidate(&Invalidation::Account { account_id: owner.account_id });
    let held = permissions_of(&key).await;
    assert_eq!(held["permissions"], json!(["apikeys:read"]), "denied what is denied, granted nothing more");
}
