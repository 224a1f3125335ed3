//! Connection status of each platform (reference/connections.md#connection-status).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::{
    id,
    schema::{login_assignments, login_connections},
};
use uuid::Uuid;

use super::world::{channel_row, flag};

const STATUS: &str = "{ platform isConnected reconnectRequired expiresAt loginConnected loginReconnectRequired loginAvailable }";

async fn statuses(caller: &Caller) -> Value {
    let rest = caller.get("/v1/connections/status").await;
    let graphql = caller.graphql(&format!("{{ connectionStatuses {STATUS} }}"), json!({})).await;
    assert_eq!(graphql.field("connectionStatuses"), *rest.data());
    rest.data().clone()
}

fn of<'a>(statuses: &'a Value, platform: &str) -> &'a Value {
    let rows = statuses.as_array().unwrap();
    rows.iter().find(|row| row["platform"] == platform).unwrap_or_else(|| panic!("no row for {platform}"))
}

fn fields(status: &Value) -> [bool; 4] {
    ["is_connected", "reconnect_required", "login_connected", "login_reconnect_required"]
        .map(|name| status[name].as_bool().unwrap())
}

/// Inserts a login connection of a person without an assignment.
async fn login(app: &TestApp, person: &Person, platform: &str, is_flagged: bool) -> Uuid {
    let connection_id = id::new();
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(login_connections::table)
        .values((
            login_connections::id.eq(connection_id),
            login_connections::user_id.eq(person.user_id),
            login_connections::platform.eq(platform),
            login_connections::provider_user_id.eq(connection_id.to_string()),
            login_connections::username.eq("u"),
            login_connections::display_name.eq("U"),
            login_connections::reconnect_required.eq(is_flagged),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    connection_id
}

/// Inserts a login connection of a person that is assigned in their account.
async fn login_grant(app: &TestApp, person: &Person, platform: &str, is_flagged: bool) -> Uuid {
    let connection_id = login(app, person, platform, is_flagged).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(login_assignments::table)
        .values((
            login_assignments::id.eq(id::new()),
            login_assignments::account_id.eq(person.account_id),
            login_assignments::user_id.eq(person.user_id),
            login_assignments::login_connection_id.eq(connection_id),
            login_assignments::platform.eq(platform),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    connection_id
}

#[tokio::test]
async fn connection_statuses_has_a_row_for_every_channel_platform() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let rows = statuses(&owner).await;
    let platforms: Vec<&Value> = rows.as_array().unwrap().iter().map(|row| &row["platform"]).collect();
    assert_eq!(platforms, ["twitch", "youtube", "kick", "trovo", "spotify"]);
    assert!(
        rows.as_array().unwrap().iter().all(|row| fields(row) == [false; 4] && row["expires_at"].is_null())
    );
    app.stop().await;
}

#[tokio::test]
async fn connection_statuses_shows_a_flagged_channel_as_not_connected() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    let flagged = channel_row(&app, owner.account_id, Platform::Kick, "b").await;
    flag(&app, flagged).await;
    let rows = statuses(&owner).await;
    assert_eq!(fields(of(&rows, "twitch")), [true, false, false, false]);
    assert_eq!(fields(of(&rows, "kick")), [false, true, false, false]);
    assert_eq!(fields(of(&rows, "trovo")), [false; 4]);
    app.stop().await;
}

#[tokio::test]
async fn connection_statuses_shows_the_logins_of_the_acting_user() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["connections:read"]).await;
    channel_row(&app, owner.account_id, Platform::Twitch, "a").await;
    login_grant(&app, &owner, "twitch", false).await;
    login_grant(&app, &owner, "kick", true).await;
    // Discord has no channels, and messages are never sent through a user's own Discord login.
    login_grant(&app, &owner, "discord", false).await;
    let rows = statuses(&owner).await;
    assert_eq!(fields(of(&rows, "twitch")), [true, false, true, false]);
    assert_eq!(fields(of(&rows, "kick")), [false, false, false, true]);
    assert_eq!(fields(of(&rows, "spotify")), [false; 4]);
    assert_eq!(fields(of(&statuses(&member).await, "twitch")), [true, false, false, false]);

    let popout = app.popout(&owner, &["connections:read"]).await;
    assert_eq!(fields(of(&statuses(&popout).await, "twitch")), [true, false, true, false]);
    let service_key = app.service_key(owner.account_id, &["connections:read"]).await;
    assert_eq!(fields(of(&statuses(&service_key).await, "kick")), [false; 4], "no person, no sign-in");
    app.stop().await;
}

#[tokio::test]
async fn connection_statuses_shows_an_unassigned_login_as_available() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["connections:read"]).await;
    login(&app, &owner, "twitch", false).await;
    login(&app, &owner, "kick", true).await;
    login_grant(&app, &owner, "trovo", false).await;
    login(&app, &owner, "discord", false).await;
    let available = |rows: &Value, platform: &str| of(rows, platform)["login_available"].as_bool().unwrap();
    let rows = statuses(&owner).await;
    assert_eq!(fields(of(&rows, "twitch")), [false; 4]);
    assert!(available(&rows, "twitch"));
    assert!(!available(&rows, "kick"), "it has to be linked again first");
    assert_eq!(fields(of(&rows, "trovo")), [false, false, true, false]);
    assert!(!available(&rows, "trovo") && !available(&rows, "spotify"));
    // The login is assigned in the other account: it is connected there, but not here.
    let foreign = app.owner().await;
    let guest = app.session(owner.user_id, owner.account_id).await;
    app.join(foreign.account_id, owner.user_id, "owner").await;
    let there = app.session(owner.user_id, foreign.account_id).await;
    assert!(available(&statuses(&there).await, "trovo"));
    assert!(!available(&statuses(&guest).await, "trovo"));
    // Other members and service keys do not see it as available.
    let service_key = app.service_key(owner.account_id, &["connections:read"]).await;
    for caller in [&member.caller, &service_key] {
        assert!(!available(&statuses(caller).await, "twitch"));
    }
    app.stop().await;
}

#[tokio::test]
async fn connection_statuses_need_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let query = "{ connectionStatuses { platform } }";
    for caller in [
        app.member_with(owner.account_id, &["chat:read"]).await.caller,
        app.popout(&owner, &["chat:read"]).await,
    ] {
        let graphql = caller.graphql(query, json!({})).await;
        let rest = caller.get("/v1/connections/status").await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:read");
    }
    app.override_feature(owner.account_id, "feature:connections", false).await;
    let graphql = owner.graphql(query, json!({})).await;
    let rest = owner.get("/v1/connections/status").await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:connections");
    app.stop().await;
}
