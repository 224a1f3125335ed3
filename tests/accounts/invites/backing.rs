//! Validity of an invite, which depends on the permissions of its creator
//! (reference/permissions.md#invites-and-makers).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use lumio_tests::{Caller, Person, TestApp, both_refused};
use serde_json::json;
use shared::schema::account_permission_overrides;
use uuid::Uuid;

use crate::{members_of, membership_id, role_id, text};

/// Code of an invite to a role, created by `maker`.
async fn code(maker: &Caller, role: Uuid) -> String {
    let wanted = json!({ "role_id": role, "method": "link", "max_uses": null });
    let answer = maker.post("/v1/invites", wanted).await;
    text(&answer.expect(201)["data"]["code"]).to_owned()
}

async fn is_valid(app: &TestApp, code: &str) -> bool {
    let preview = app.anonymous().get(&format!("/v1/invites/{code}")).await;
    preview.expect(200)["data"]["is_valid"].as_bool().expect("a boolean")
}

async fn refused(newcomer: &Person, code: &str) {
    let rest = newcomer.post(&format!("/v1/invites/{code}/accept"), json!({})).await;
    let document = "mutation($code: String!) { acceptInvite(code: $code) { membershipId } }";
    let graphql = newcomer.graphql(document, json!({ "code": code })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Invite is no longer valid");
}

#[tokio::test]
async fn accept_invite_needs_a_maker_who_could_still_grant_the_role() {
    let app = TestApp::start().await;
    let (owner, newcomer) = (app.owner().await, app.owner().await);
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let viewer = role_id(&app, owner.account_id, "viewer").await;
    let moderator = role_id(&app, owner.account_id, "moderator").await;
    let code = code(&administrator, moderator).await;
    assert!(is_valid(&app, &code).await);

    let path =
        format!("/v1/accounts/{}/members/{}", owner.account_id, membership_id(&app, &administrator).await);
    owner.patch(&path, json!({ "role_id": viewer })).await.expect(200);
    assert!(!is_valid(&app, &code).await);
    refused(&newcomer, &code).await;
    assert_eq!(members_of(&app, owner.account_id).await.len(), 2);

    let administrators = role_id(&app, owner.account_id, "administrator").await;
    owner.patch(&path, json!({ "role_id": administrators })).await.expect(200);
    assert!(is_valid(&app, &code).await);
    newcomer.post(&format!("/v1/invites/{code}/accept"), json!({})).await.expect(200);
}

#[tokio::test]
async fn accept_invite_does_not_find_an_invite_of_a_deleted_key() {
    let app = TestApp::start().await;
    let (owner, newcomer) = (app.owner().await, app.owner().await);
    // The role has no permission that the key lacks.
    app.member_with(owner.account_id, &["members:read"]).await;
    let (_, role) = *members_of(&app, owner.account_id).await.last().expect("the member");
    let asked = json!({ "label": "Inviter", "permissions": ["members:create", "members:read"] });
    let made = owner.post("/v1/service-keys", asked).await;
    let made = made.expect(201)["data"].clone();
    let code = code(&app.bearer(text(&made["key"])), role).await;
    assert!(is_valid(&app, &code).await);

    owner.delete(&format!("/v1/service-keys/{}", text(&made["id"]))).await.expect(204);
    app.anonymous().get(&format!("/v1/invites/{code}")).await.refused("NOT_FOUND", "Invite not found");
    let rest = newcomer.post(&format!("/v1/invites/{code}/accept"), json!({})).await;
    rest.refused("NOT_FOUND", "Invite not found");
}

#[tokio::test]
async fn create_invite_counts_permissions_that_an_override_denies() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let editor = app.member_with(owner.account_id, &["members:create", "members:read"]).await;
    app.member_with(owner.account_id, &["members:read", "chat:ban"]).await;
    let (_, role) = *members_of(&app, owner.account_id).await.last().expect("the member");
    insert_into(account_permission_overrides::table)
        .values((
            account_permission_overrides::account_id.eq(owner.account_id),
            account_permission_overrides::permission.eq("chat:ban"),
            account_permission_overrides::granted.eq(false),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::Account { account_id: owner.account_id });
    let wanted = json!({ "role_id": role, "method": "link" });
    // The override may be removed later: the role would then grant a permission that the editor never had.
    editor.post("/v1/invites", wanted.clone()).await.refused("FORBIDDEN", "Missing permission: chat:ban");
    owner.post("/v1/invites", wanted.clone()).await.expect(201);
    let key = app.service_key(owner.account_id, &["members:create", "members:read"]).await;
    key.post("/v1/invites", wanted.clone()).await.refused("FORBIDDEN", "Missing permission: chat:ban");
    let key = app.service_key(owner.account_id, &["members:create", "members:read", "chat:ban"]).await;
    key.post("/v1/invites", wanted).await.expect(201);
}

#[tokio::test]
async fn create_invite_refuses_a_popout_of_another_member() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["members:create", "members:read"]).await;
    let (_, role) = *members_of(&app, owner.account_id).await.last().expect("the member");
    let asked = json!({ "permissions": ["members:create", "members:read"], "user_id": member.user_id });
    let made = owner.post("/v1/tokens", asked).await;
    let popout = app.bearer(text(&made.expect(201)["data"]["token"]));
    let wanted = json!({ "role_id": role, "method": "link" });
    let refused = popout.post("/v1/invites", wanted.clone()).await;
    refused.refused("FORBIDDEN", "A popout of another member cannot act as its user");
    let own = app.popout(&member, &["members:create", "members:read"]).await;
    own.post("/v1/invites", wanted).await.expect(201);
}
