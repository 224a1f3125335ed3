//! Bounds of popouts: a popout never carries more permissions than its creator holds
//! (reference/credentials.md#popout-permissions).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::{
    events::Channel,
    invalidation::{Invalidation, announce},
};
use lumio_tests::{Caller, Person, SocketRequest, TestApp};
use serde_json::{Value, json};
use shared::schema::{account_roles, memberships};
use uuid::Uuid;

async fn made(person: &Person, asked: Value) -> String {
    let answer = person.post("/v1/tokens", asked).await;
    let id = answer.expect(201)["data"]["popout_token"]["id"].as_str().expect("an id");
    format!("/v1/tokens/{id}")
}

#[tokio::test]
async fn create_popout_token_refuses_a_member_with_more_permissions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let maker = app.member_with(owner.account_id, &["tokens:create", "tokens:edit", "chat:read"]).await;
    let peer = app.member_with(owner.account_id, &["chat:read"]).await;

    let of_owner = json!({ "permissions": ["chat:read"], "user_id": owner.user_id });
    let rest = maker.post("/v1/tokens", of_owner.clone()).await;
    let graphql = maker.mutate("createPopoutToken", &of_owner, "{ token }").await;
    assert_eq!((rest.status, rest.error().0.as_str()), (403, "FORBIDDEN"), "{}", rest.text);
    assert_eq!(rest.error(), graphql.error());

    let path = made(&maker, json!({ "permissions": ["chat:read"], "user_id": peer.user_id })).await;
    maker.patch(&path, json!({ "user_id": owner.user_id })).await.refused_with("FORBIDDEN");
    maker.patch(&path, json!({ "user_id": maker.user_id })).await.expect(200);
    assert_eq!(owner.get(&path).await.data()["user_id"], json!(maker.user_id));
}

#[tokio::test]
async fn update_popout_token_revives_only_for_holders_of_its_permissions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let editor = app.member_with(owner.account_id, &["tokens:edit", "tokens:read"]).await;
    let path = made(&owner, json!({ "permissions": ["chat:ban"] })).await;
    let ended = json!({ "expires_at": "2020-01-01T00:00:00.000Z" });
    owner.patch(&path, ended).await.expect(200);
    for later in [json!(null), json!("2090-01-01T00:00:00.000Z")] {
        let refused = editor.patch(&path, json!({ "expires_at": later })).await;
        refused.refused("FORBIDDEN", "Missing permission: chat:ban");
    }
    assert_eq!(owner.get(&path).await.data()["expires_at"], "2020-01-01T00:00:00.000Z");
    editor.patch(&path, json!({ "expires_at": "2019-01-01T00:00:00.000Z" })).await.expect(200);
    owner.patch(&path, json!({ "expires_at": null })).await.expect(200);
}

#[tokio::test]
async fn update_popout_token_refuses_the_popout_itself() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["tokens:edit"]).await;
    let list = owner.get("/v1/tokens").await;
    let id = list.data()[0]["id"].as_str().expect("an id");
    let refused = popout.patch(&format!("/v1/tokens/{id}"), json!({ "expires_at": null })).await;
    assert_eq!(refused.status, 403);
    refused.refused("FORBIDDEN", "A popout token cannot change itself");
}

/// Caller with a popout that `maker` created for `holder`.
async fn made_for(app: &TestApp, maker: &Person, holder: &Person, permissions: &[&str]) -> Caller {
    let asked = json!({ "permissions": permissions, "user_id": holder.user_id });
    let answer = maker.post("/v1/tokens", asked).await;
    app.bearer(answer.expect(201)["data"]["token"].as_str().expect("a text"))
}

async fn set_permissions(app: &TestApp, person: &Person, permissions: &[&str]) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let role: Uuid = memberships::table
        .filter(memberships::account_id.eq(person.account_id).and(memberships::user_id.eq(person.user_id)))
        .select(memberships::role_id)
        .first(&mut *db)
        .await
        .unwrap();
    diesel::update(account_roles::table.find(role))
        .set(account_roles::permissions.eq(permissions.to_vec()))
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    let changed = Invalidation::Account { account_id: person.account_id };
    announce(&app.state.redis, &changed).await.unwrap();
    app.state.caches.invalidate(&changed);
}

#[tokio::test]
async fn popout_borders_narrow_with_the_permissions_of_the_maker() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let maker = app.member_with(owner.account_id, &["tokens:create", "chat:read", "members:read"]).await;
    let peer = app.member_with(owner.account_id, &["chat:read", "members:read"]).await;
    let popout = made_for(&app, &maker, &peer, &["chat:read", "members:read"]).await;
    let members = format!("/v1/accounts/{}/members", owner.account_id);
    popout.get(&members).await.expect(200);
    let mut client = SocketRequest::to(app.url()).bearer(popout.token()).connect().await;
    let chat = Channel::Chat(owner.account_id).to_string();
    client.subscribe(&chat).await;

    set_permissions(&app, &maker, &["tokens:create"]).await;
    popout.get(&members).await.refused("FORBIDDEN", "Missing permission: members:read");
    let frame = client.frame().await;
    assert_eq!((&frame["type"], &frame["channel"]), (&json!("unsubscribed"), &json!(chat)));
    peer.get(&members).await.expect(200);
}

#[tokio::test]
async fn popout_borders_end_a_popout_with_the_membership_of_its_maker() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let maker = app.member_with(owner.account_id, &["tokens:create", "members:read"]).await;
    let peer = app.member_with(owner.account_id, &["members:read"]).await;
    let popout = made_for(&app, &maker, &peer, &["members:read"]).await;
    let members = format!("/v1/accounts/{}/members", owner.account_id);
    popout.get(&members).await.expect(200);
    let mut client = SocketRequest::to(app.url()).bearer(popout.token()).connect().await;

    maker.post(&format!("/v1/accounts/{}/leave", owner.account_id), json!({})).await.expect(200);
    assert_eq!(popout.get(&members).await.status, 401);
    assert_eq!(client.until_closed().await.1, 4002);
    assert_eq!(owner.get("/v1/tokens").await.data(), &json!([]));
    peer.get(&members).await.expect(200);
}
