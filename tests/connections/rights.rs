//! Checks at the end of an OAuth flow: the caller and the rights that may have changed since its start
//! (reference/connections.md#rights-at-the-exchange).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use lumio_tests::TestApp;
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::schema::{account_limits, bot_connections, channel_connections};

use super::world::{agree, begin, connect, exchange, opened, streamer};

const INVALID_STATE: &str = "Invalid or expired state";

async fn channels(app: &TestApp) -> i64 {
    let mut db = app.databases.postgres.get().await.unwrap();
    channel_connections::table.count().get_result(&mut *db).await.unwrap()
}

#[tokio::test]
async fn exchange_oauth_refuses_the_state_of_another_user() {
    let app = TestApp::start().await;
    let (owner, victim) = (app.owner().await, app.owner().await);
    streamer(&app, Platform::Twitch, "victim");
    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    let body = json!({ "code": code, "state": state });
    let refused = victim.post("/v1/connections/oauth/twitch/exchange", body).await;
    refused.refused("BAD_REQUEST", INVALID_STATE);
    assert_eq!(channels(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_refuses_a_caller_who_lost_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["connections:create"]).await;
    streamer(&app, Platform::Twitch, "streamer");

    let (page, state) = begin(&member, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    {
        use shared::schema::memberships;
        let membership = memberships::table.filter(memberships::user_id.eq(member.user_id));
        let mut db = app.databases.postgres.get().await.unwrap();
        diesel::delete(membership).execute(&mut *db).await.unwrap();
    }
    app.state
        .caches
        .invalidate(&Invalidation::Member { account_id: owner.account_id, user_id: member.user_id });
    let gone = exchange(&app, Platform::Twitch, &code, &state).await;
    assert_eq!(gone.status, 403);
    gone.refused("FORBIDDEN", "Missing permission: connections:create");

    let (page, state) = begin(&owner, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    app.switch("platform:twitch:channel", false).await;
    let off = exchange(&app, Platform::Twitch, &code, &state).await;
    off.refused("FEATURE_DISABLED", "Feature is disabled: platform:twitch:channel");
    app.switch("platform:twitch:channel", true).await;

    let key = app.service_key(owner.account_id, &["connections:create"]).await;
    let (page, state) = begin(&key, Platform::Twitch).await;
    let code = agree(&app, &page).await;
    {
        use shared::schema::accounts;
        let mut db = app.databases.postgres.get().await.unwrap();
        diesel::delete(accounts::table.find(owner.account_id)).execute(&mut *db).await.unwrap();
    }
    let gone = exchange(&app, Platform::Twitch, &code, &state).await;
    gone.refused("FORBIDDEN", "Missing permission: connections:create");
    assert_eq!(channels(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_by_a_service_key_records_no_user() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.service_key(owner.account_id, &["connections:create"]).await;
    let (_, connection) = connect(&app, &key, Platform::Twitch, "streamer").await;
    assert_eq!(connection["connected_by"], Value::Null);
    let entry = app.audited_once("connection:connected").await;
    assert_eq!(entry.account_id, Some(owner.account_id));
    assert!(entry.actor_id.is_some(), "the key is named");
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_refuses_a_state_of_a_revoked_service_key() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");
    for change in
        ["DELETE FROM account_service_keys", "UPDATE account_service_keys SET permissions = '{chat:read}'"]
    {
        let key = app.service_key(owner.account_id, &["connections:create"]).await;
        let (page, state) = begin(&key, Platform::Twitch).await;
        let code = agree(&app, &page).await;
        let mut db = app.databases.postgres.get().await.unwrap();
        diesel::sql_query(change).execute(&mut *db).await.unwrap();
        drop(db);
        let revoked = exchange(&app, Platform::Twitch, &code, &state).await;
        assert_eq!(revoked.status, 403, "{change}");
        revoked.refused("FORBIDDEN", "Missing permission: connections:create");
    }
    assert_eq!(channels(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_of_a_key_is_finished_by_that_key_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");
    let key = app.service_key(owner.account_id, &["connections:create"]).await;
    let other = app.service_key(owner.account_id, &["connections:create"]).await;
    for wrong in [&other, &owner.caller] {
        let (page, state) = begin(&key, Platform::Twitch).await;
        let body = json!({ "code": agree(&app, &page).await, "state": state });
        let refused = wrong.post("/v1/connections/oauth/twitch/exchange", body).await;
        refused.refused("BAD_REQUEST", INVALID_STATE);
    }
    let (page, state) = begin(&key, Platform::Twitch).await;
    let body = json!({ "code": agree(&app, &page).await, "state": state });
    key.post("/v1/connections/oauth/twitch/exchange", body).await.data();
    assert_eq!(channels(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn exchange_oauth_refuses_a_bot_that_the_account_may_no_longer_have() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "the-bot");
    let begun = owner.post("/v1/bot-connections/twitch", json!({})).await;
    let (page, state) = opened(&begun);
    let code = agree(&app, &page).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(account_limits::table)
        .values((
            account_limits::account_id.eq(owner.account_id),
            account_limits::custom_bot_allowed.eq(false),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    let refused = exchange(&app, Platform::Twitch, &code, &state).await;
    assert_eq!(refused.status, 403);
    refused.refused("PLAN_LIMIT_REACHED", "Custom bot is not allowed for this account");
    let bots: i64 = bot_connections::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!(bots, 0);
    drop(db);
    app.stop().await;
}
