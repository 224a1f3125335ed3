//! Reconnect flags of connections (reference/connections.md#reconnect-flag).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::schema::{account_permission_overrides, channel_connections, login_connections};
use uuid::Uuid;

use super::world::{channel_row, flag};

async fn clear(caller: &Caller, id: Uuid, body: Value) -> (Answer, Answer) {
    let rest = caller.put(&format!("/v1/channel-connections/{id}/reconnect-flag"), body.clone()).await;
    let query = "mutation($id: UUID!, $flag: Boolean) {
        setChannelReconnectFlag(id: $id, reconnectRequired: $flag) { id reconnectRequired } }";
    let variables = json!({ "id": id, "flag": body["reconnect_required"] });
    (rest, caller.graphql(query, variables).await)
}

async fn is_flagged(app: &TestApp, id: Uuid) -> bool {
    let mut db = app.databases.postgres.get().await.unwrap();
    let row = channel_connections::table.find(id).select(channel_connections::reconnect_required);
    row.first(&mut *db).await.unwrap()
}

async fn connected_by(app: &TestApp, id: Uuid, user: Uuid) {
    diesel::update(channel_connections::table.find(id))
        .set(channel_connections::connected_by.eq(user))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

async fn flagged(caller: &Caller) -> Vec<(String, String)> {
    let rest = caller.get("/v1/connections/flagged").await;
    let query = "{ flaggedConnections { kind id platform accountId flaggedAt } }";
    let graphql = caller.graphql(query, json!({})).await.field("flaggedConnections");
    let rows = rest.data().as_array().unwrap();
    assert_eq!(graphql.as_array().unwrap().len(), rows.len());
    for (twin, row) in graphql.as_array().unwrap().iter().zip(rows) {
        assert_eq!(twin["kind"].as_str().unwrap().to_lowercase(), row["kind"].as_str().unwrap());
        for field in ["id", "platform", "account_id", "flagged_at"] {
            assert_eq!(twin[field], row[field]);
        }
        assert!(row["flagged_at"].is_string());
    }
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.iter().map(|row| (text(&row["kind"]), text(&row["platform"]))).collect()
}

#[tokio::test]
async fn set_channel_reconnect_flag_is_cleared_by_creator_or_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let creator = app.member_with(owner.account_id, &["connections:create"]).await;
    let maker = app.member_with(owner.account_id, &["connections:read"]).await;
    let id = channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    connected_by(&app, id, maker.user_id).await;
    let key = app.service_key(owner.account_id, &["connections:create"]).await;
    for caller in [&owner.caller, &creator.caller, &maker.caller, &key] {
        for body in [json!({}), json!({ "reconnect_required": false })] {
            flag(&app, id).await;
            let (rest, _) = clear(caller, id, body.clone()).await;
            assert_eq!(rest.data()["reconnect_required"], false);
            assert!(!is_flagged(&app, id).await);
            flag(&app, id).await;
            let (_, graphql) = clear(caller, id, body).await;
            assert_eq!(graphql.field("setChannelReconnectFlag")["reconnect_required"], false);
        }
    }
    let entries = app.audited("connection:reconnect_flag_cleared").await;
    assert_eq!(entries.len(), 4 * 2 * 4, "callers, bodies, calls on both protocols");
    assert!(entries.iter().all(|entry| entry.account_id == Some(owner.account_id)));
    app.stop().await;
}

#[tokio::test]
async fn set_channel_reconnect_flag_refuses_others_and_hides_from_strangers() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let reader = app.member_with(owner.account_id, &["connections:read", "connections:edit"]).await;
    let id = channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    connected_by(&app, id, owner.user_id).await;
    flag(&app, id).await;
    let (rest, graphql) = clear(&reader, id, json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:create");
    let foreign_key = app.service_key(stranger.account_id, &["connections:create"]).await;
    for caller in [&stranger.caller, &foreign_key] {
        let (rest, graphql) = clear(caller, id, json!({})).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Channel connection not found");
    }
    let (rest, graphql) = clear(&owner, Uuid::now_v7(), json!({})).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Channel connection not found");
    let malformed = owner.put("/v1/channel-connections/x/reconnect-flag", json!({})).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert!(is_flagged(&app, id).await);
    app.stop().await;
}

#[tokio::test]
async fn set_channel_reconnect_flag_to_true_is_for_staff_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    let (rest, graphql) = clear(&owner, id, json!({ "reconnect_required": true })).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "reconnect_required must be false");
    assert!(!is_flagged(&app, id).await);
    let staff = app.admin_with(&["users:edit"]).await;
    let (rest, _) = clear(&staff, id, json!({ "reconnect_required": true })).await;
    assert_eq!(rest.data()["reconnect_required"], true);
    assert_eq!(app.audited("connection:reconnect_flag_set").await.len(), 2);
    let (rest, _) = clear(&staff, id, json!({})).await;
    assert_eq!(rest.data()["reconnect_required"], false);
    let other = app.admin_with(&["users:read"]).await;
    let (rest, graphql) = clear(&other, id, json!({ "reconnect_required": true })).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "reconnect_required must be false");
    app.stop().await;
}

#[tokio::test]
async fn flagged_connections_lists_own_logins_and_connectable_channels() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let twitch = channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    channel_row(&app, owner.account_id, Platform::Kick, "healthy").await;
    let foreign = channel_row(&app, stranger.account_id, Platform::Trovo, "b").await;
    flag(&app, twitch).await;
    flag(&app, foreign).await;
    diesel::insert_into(login_connections::table)
        .values((
            login_connections::id.eq(shared::id::new()),
            login_connections::user_id.eq(viewer.user_id),
            login_connections::platform.eq("discord"),
            login_connections::provider_user_id.eq("1"),
            login_connections::username.eq("u"),
            login_connections::display_name.eq("U"),
            login_connections::reconnect_required.eq(true),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let pair = |kind: &str, platform: &str| (kind.to_owned(), platform.to_owned());
    assert_eq!(flagged(&owner).await, [pair("channel", "twitch")]);
    assert_eq!(flagged(&viewer).await, [pair("login", "discord")]);
    connected_by(&app, twitch, viewer.user_id).await;
    assert_eq!(flagged(&viewer).await, [pair("login", "discord"), pair("channel", "twitch")]);

    // A key sees its account within its scopes.
    let key = app.personal_key(&owner, &["connections:create"]).await;
    assert_eq!(flagged(&key).await, [pair("channel", "twitch")]);
    assert!(flagged(&app.personal_key(&owner, &["chat:read"]).await).await.is_empty());
    // Channels of another account that the person joins are listed too.
    app.join(stranger.account_id, owner.user_id, "administrator").await;
    assert_eq!(flagged(&owner).await.len(), 2);
    assert_eq!(flagged(&key).await.len(), 1);
    // Overrides of the account apply.
    diesel::insert_into(account_permission_overrides::table)
        .values((
            account_permission_overrides::account_id.eq(stranger.account_id),
            account_permission_overrides::permission.eq("connections:create"),
            account_permission_overrides::granted.eq(false),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(flagged(&owner).await, [pair("channel", "twitch")]);
    app.stop().await;
}

#[tokio::test]
async fn flagged_connections_is_first_party_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let callers = [
        app.popout(&owner, &["connections:read"]).await,
        app.service_key(owner.account_id, &["connections:create"]).await,
    ];
    for caller in callers {
        let graphql = caller.graphql("{ flaggedConnections { id } }", json!({})).await;
        let rest = caller.get("/v1/connections/flagged").await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
    }
    app.stop().await;
}
