//! Permissions to manage roles, and permissions that a role may grant (reference/permissions.md#grants).

use api_core::token::TokenKind;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, TestApp};
use serde_json::json;
use shared::schema::account_roles;
use uuid::Uuid;

use super::{create, delete, find, list, move_to, new_role, role_with, update};
use crate::{each_needs, id_of, refused};

async fn names(app: &TestApp) -> Vec<String> {
    account_roles::table
        .order((account_roles::account_id.asc(), account_roles::id.asc()))
        .select(account_roles::name)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn roles_operations_need_their_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let unprivileged = app.member_with(owner.account_id, &["roles:delete"]).await;
    let (service, popout) =
        (app.service_key(owner.account_id, &["chat:read"]).await, app.popout(&owner, &["chat:read"]).await);
    let id = Uuid::now_v7();
    let calls = |caller: Caller| async move {
        let permissions = "{ accountPermissions { permission } }";
        vec![
            (
                "roles:read",
                (caller.get("/v1/roles").await, caller.graphql("{ roles { id } }", json!({})).await),
            ),
            (
                "roles:read",
                (caller.get("/v1/roles/permissions").await, caller.graphql(permissions, json!({})).await),
            ),
            ("roles:read", find(&caller, id).await),
            ("roles:edit", create(&caller, json!({ "name": "x", "permissions": [] })).await),
            ("roles:edit", update(&caller, id, json!({ "name": "x" })).await),
            ("roles:edit", move_to(&caller, id, 0).await),
        ]
    };
    each_needs(&app, &[&unprivileged, &service, &popout], calls).await;
    let editor = app.member_with(owner.account_id, &["roles:read", "roles:edit"]).await;
    refused(&delete(&editor, id).await, 403, "FORBIDDEN", "Missing permission: roles:delete");
    refused(&delete(&unprivileged, id).await, 404, "NOT_FOUND", "Role not found");
    let extension = app.surface_token(TokenKind::Extension, owner.account_id, "x", None).await;
    for (_, both) in calls(extension).await {
        refused(&both, 403, "FORBIDDEN", "This token cannot call the API");
    }
    assert_eq!(names(&app).await.len(), 4 + 2);

    let key = app.service_key(owner.account_id, &["roles:read", "roles:edit", "chat:read"]).await;
    assert_eq!(new_role(&key, "By a key", &["chat:read"]).await["name"], "By a key");
    assert_eq!(list(&key).await.len(), 7);
}

#[tokio::test]
async fn create_role_and_update_role_grant_no_more_than_the_author_holds() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["roles:edit", "chat:read"]).await;
    let key = app.personal_key(&owner, &["roles:edit", "chat:read"]).await;
    let role = new_role(&member, "Reader", &["chat:read", "roles:edit"]).await;
    for caller in [&member.caller, &key] {
        let input = json!({ "name": "Banner", "permissions": ["chat:read", "chat:ban"] });
        refused(&create(caller, input).await, 403, "FORBIDDEN", "Missing permission: chat:ban");
        let change = json!({ "permissions": ["chat:read", "roles:delete"] });
        refused(
            &update(caller, id_of(&role), change).await,
            403,
            "FORBIDDEN",
            "Missing permission: roles:delete",
        );
    }
    let (rest, _) = find(&owner, id_of(&role)).await;
    assert_eq!(rest.data(), &role);
}

#[tokio::test]
async fn update_role_and_delete_role_need_every_permission_of_the_role() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["roles:edit", "roles:delete", "chat:read"]).await;
    let key = app.personal_key(&owner, &["roles:edit", "roles:delete", "chat:read"]).await;
    let administrator = id_of(role_with(&list(&owner).await, "administrator"));
    let free = id_of(&new_role(&owner, "Banner", &["chat:read", "chat:ban"]).await);
    let owners = id_of(role_with(&list(&owner).await, "owner"));
    for caller in [&member.caller, &key] {
        let both = update(caller, administrator, json!({ "permissions": ["chat:read"] })).await;
        refused(&both, 403, "FORBIDDEN", "Missing permission: events:read");
        let both = update(caller, free, json!({ "name": "Renamed" })).await;
        refused(&both, 403, "FORBIDDEN", "Missing permission: chat:ban");
        refused(&delete(caller, free).await, 403, "FORBIDDEN", "Missing permission: chat:ban");
        let both = update(caller, owners, json!({ "name": "Renamed" })).await;
        refused(&both, 403, "FORBIDDEN", "Missing permission: events:read");
    }
    let (rest, _) = update(&owner, administrator, json!({ "permissions": ["chat:read"] })).await;
    assert_eq!(rest.data()["permissions"], json!(["chat:read"]));
    // The role is then within the member's permissions.
    assert_eq!(update(&member, administrator, json!({ "permissions": [] })).await.0.status, 200);
    assert_eq!(delete(&member, administrator).await.0.status, 204);
    assert_eq!(delete(&owner, free).await.0.status, 204);
}

#[tokio::test]
async fn role_of_another_account_is_not_found_and_not_changed() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let role = new_role(&owner, "Helper", &["chat:read"]).await;
    let id = id_of(&role);
    for both in [
        find(&stranger, id).await,
        update(&stranger, id, json!({ "name": "taken" })).await,
        move_to(&stranger, id, 0).await,
        delete(&stranger, id).await,
    ] {
        refused(&both, 404, "NOT_FOUND", "Role not found");
    }
    assert_eq!(find(&owner, id).await.0.data(), &role);
    assert_eq!(list(&stranger).await.len(), 4);
    assert_eq!(app.audited("role:created").await.len(), 1);
    for action in ["role:updated", "role:moved", "role:deleted"] {
        assert!(app.audited(action).await.is_empty(), "{action}");
    }
}

#[tokio::test]
async fn update_role_takes_effect_immediately_for_its_holders() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "viewer").await;
    let viewer = id_of(role_with(&list(&owner).await, "viewer"));
    member.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    assert_eq!(update(&owner, viewer, json!({ "permissions": ["roles:read"] })).await.0.status, 200);
    member.get("/v1/roles").await.expect(200);
    assert_eq!(update(&owner, viewer, json!({ "permissions": [] })).await.0.status, 200);
    member.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
}
