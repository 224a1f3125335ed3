//! Tokens that end or lose permissions, in every process (reference/credentials.md#popout-permissions).

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::invalidation::{Invalidation, announce};
use lumio_tests::{Caller, Person, SocketRequest, TestApp, eventually};
use serde_json::json;
use shared::schema::{account_roles, memberships};

use super::{create, permissions_of, stored, update_over_graphql};
use crate::text;

/// Reduces the role of a member to these permissions, as another process would.
async fn narrow(app: &TestApp, member: &Person, permissions: &[&str]) {
    let role = memberships::table
        .filter(memberships::user_id.eq(member.user_id))
        .select(memberships::role_id)
        .single_value();
    diesel::update(account_roles::table.filter(account_roles::id.nullable().eq(role)))
        .set(account_roles::permissions.eq(permissions.to_vec()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    announce(&app.state.redis, &Invalidation::Account { account_id: member.account_id }).await.unwrap();
}

#[tokio::test]
async fn update_popout_token_with_a_past_expiry_revokes_in_every_process() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let owner = app.owner().await;
    let created = create(&owner, json!({ "permissions": ["chat:read"] })).await;
    let here = app.bearer(text(created.data(), "/token"));
    let elsewhere = here.at(format!("http://{}", second_server.address));
    let id = text(created.data(), "/popout_token/id");
    let path = format!("/v1/tokens/{id}");
    let mut socket = SocketRequest::to(app.url()).query(here.token()).connect().await;
    for popout in [&here, &elsewhere] {
        popout.get("/v1/tokens/me").await.expect(200);
    }
    let past = (app.clock.now() - Duration::days(1)).to_rfc3339();
    let changes = json!({ "expires_at": past });
    update_over_graphql(&owner, id, &changes).await.field("updatePopoutToken");
    here.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let (frames, code) = socket.until_closed().await;
    assert_eq!((&frames.last().unwrap()["code"], code), (&json!("TOKEN_EXPIRED"), 4001));
    eventually("the other process knows", async || elsewhere.get("/v1/tokens/me").await.status == 401).await;
    elsewhere.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    assert_eq!(owner.get(&path).await.data()["id"], id, "it is still there");
    owner.patch(&path, json!({ "expires_at": null })).await.expect(200);
    here.get("/v1/tokens/me").await.expect(200);
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn popout_tokens_lose_permissions_with_their_user_within_a_second() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["tokens:create", "chat:read", "events:read"]).await;
    let created = create(&member, json!({ "permissions": ["chat:read", "events:read"] })).await;
    let raw = app.bearer(text(created.data(), "/token"));
    let exchanged = app.anonymous().post("/v1/auth/popout/exchange", json!({ "token": raw.token() })).await;
    let session = app.bearer(text(exchanged.data(), "/token"));
    let elsewhere = |caller: &Caller| caller.at(format!("http://{}", second_server.address));
    let popouts = [raw.clone(), session.clone(), elsewhere(&raw), elsewhere(&session)];
    let mut socket = SocketRequest::to(app.url()).bearer(session.token()).connect().await;
    let (chat, events) = (format!("chat:{}", owner.account_id), format!("events:{}", owner.account_id));
    socket.subscribe(&chat).await;
    socket.subscribe(&events).await;
    for popout in &popouts {
        assert_eq!(permissions_of(popout).await, json!(["chat:read", "events:read"]));
    }
    narrow(&app, &member, &["events:read"]).await;
    for popout in &popouts {
        eventually("it has lost them", async || permissions_of(popout).await == json!(["events:read"])).await;
    }
    let pushed = json!({ "type": "unsubscribed", "channel": chat, "reason": "permission_revoked" });
    assert_eq!(socket.frame().await, pushed);
    socket.is_quiet().await;

    // The user leaves: the token is deleted with the membership.
    diesel::delete(memberships::table.filter(memberships::user_id.eq(member.user_id)))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let left = Invalidation::MembershipEnded { account_id: owner.account_id, user_id: member.user_id };
    announce(&app.state.redis, &left).await.unwrap();
    for popout in &popouts {
        eventually("it is refused", async || popout.get("/v1/tokens/me").await.status == 401).await;
        popout.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    }
    let (frames, code) = socket.until_closed().await;
    assert_eq!((&frames.last().unwrap()["code"], code), (&json!("TOKEN_REVOKED"), 4002));
    assert_eq!(stored(&app).await, 0);
    second_server.stop().await.unwrap();
}
