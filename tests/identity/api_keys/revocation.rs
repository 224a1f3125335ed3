//! Keys that expired, were revoked, or lost permissions with their user
//! (reference/credentials.md#ends-of-credentials).

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use lumio_tests::{Person, TestApp, both_refused, eventually};
use serde_json::json;
use shared::schema::{account_roles, memberships};
use uuid::Uuid;

use super::create;
use crate::text;

#[tokio::test]
async fn api_keys_that_expired_are_anonymous() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let expires_at = app.clock.now() + Duration::minutes(1);
    let key = app.personal_key_until(&owner, &["chat:read"], Some(expires_at)).await;
    key.get("/v1/tokens/me").await.expect(200);
    app.clock.advance(Duration::minutes(2));
    let graphql = key.graphql("{ myPermissions { permissions } }", json!({})).await;
    both_refused(&key.get("/v1/tokens/me").await, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    // It does no harm on a public route.
    key.get("/v1/platforms/enabled").await.expect(200);
}

#[tokio::test]
async fn delete_user_api_key_takes_effect_in_another_process_within_a_second() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let owner = app.owner().await;
    let created = create(&owner, &["chat:read"]).await;
    let key = app.bearer(text(created.data(), "/key"));
    let elsewhere = key.at(format!("http://{}", second_server.address));
    elsewhere.get("/v1/tokens/me").await.expect(200);
    let deleted = owner.delete(&format!("/v1/api-keys/{}", text(created.data(), "/id"))).await;
    assert_eq!(deleted.status, 204);
    key.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    eventually("the other process knows", async || elsewhere.get("/v1/tokens/me").await.status == 401).await;
    elsewhere.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn api_keys_cannot_create_keys_and_lose_permissions_with_the_user() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["apikeys:create", "apikeys:read", "chat:read"]).await;
    let created = create(&member, &["apikeys:read", "chat:read"]).await;
    let key = app.bearer(text(created.data(), "/key"));
    assert_eq!(key.get("/v1/api-keys").await.data().as_array().unwrap().len(), 1);
    create(&key, &["chat:read"]).await.refused("FORBIDDEN", "Missing permission: apikeys:create");
    become_viewer(&app, &member).await;
    key.get("/v1/api-keys").await.refused("FORBIDDEN", "Missing permission: apikeys:read");
}

async fn become_viewer(app: &TestApp, member: &Person) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let viewer: Uuid = account_roles::table
        .filter(account_roles::account_id.eq(member.account_id).and(account_roles::slug.eq("viewer")))
        .select(account_roles::id)
        .first(&mut *db)
        .await
        .unwrap();
    let own = memberships::table.filter(memberships::user_id.eq(member.user_id));
    diesel::update(own).set(memberships::role_id.eq(viewer)).execute(&mut *db).await.unwrap();
    let (account_id, user_id) = (member.account_id, member.user_id);
    app.state.caches.invalidate(&Invalidation::Member { account_id, user_id });
}
