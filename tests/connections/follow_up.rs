//! Effects of connecting and disconnecting: subscriptions, revocations, live updates.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{SocketRequest, TestApp};
use lumio_worker::Daemon;
use platforms::twitch::EventSubTopic;
use platforms_stand_in::{Failure, Platform};
use serde_json::json;
use shared::schema::{channel_connections, token_revocations, webhook_subscriptions};

use super::world::{channel_tokens, connect, id_of, own_app, reconnect, streamer, system_app};
use lumio_tests::world::{eventually, workers};

const DAEMONS: [Daemon; 2] = [Daemon::Outbox, Daemon::Connections];

async fn delivered(app: &TestApp) -> i64 {
    let made = webhook_subscriptions::table.filter(webhook_subscriptions::refusal.is_null()).count();
    made.get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

async fn waiting(app: &TestApp) -> i64 {
    let all = token_revocations::table.count();
    all.get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Runs `lumio-api admin connect-channel`.
async fn connect_at_the_console(app: &TestApp, account: uuid::Uuid, channel: &str) {
    use lumio_api::cli::AdminCommand;
    let command = AdminCommand::ConnectChannel {
        account,
        platform: "twitch".parse().unwrap(),
        channel_id: channel.to_owned(),
        channel_name: format!("name{channel}"),
        access_token_stdin: false,
    };
    lumio_api::cli::admin(&app.state, &app.databases, command).await.unwrap();
}

#[tokio::test]
async fn follow_up_of_a_console_connection_equals_that_of_the_page() {
    let app = TestApp::start().await;
    let running = workers(&app, &DAEMONS).await;
    let owner = app.owner().await;
    let (first, _) = app.platforms.create_user(Platform::Twitch, "first");
    let (second, _) = app.platforms.create_user(Platform::Twitch, "second");
    let mut socket = SocketRequest::to(app.url()).bearer(owner.caller.token()).connect().await;
    socket.subscribe(&format!("account:{}", owner.account_id)).await;

    connect_at_the_console(&app, owner.account_id, &first.id).await;
    let topics = EventSubTopic::all_of(&first.id).len() as i64;
    eventually("every topic is asked for", async || delivered(&app).await == topics).await;
    let of = |id: &str| {
        let subscriptions = app.platforms.eventsub_subscriptions();
        subscriptions.iter().filter(|one| one.condition.to_string().contains(id)).count() as i64
    };
    assert_eq!(of(&first.id), topics);
    let event = socket.frame().await;
    assert_eq!(event["event_type"], "connections:updated");
    assert_eq!(event["data"], json!({ "kind": "channel", "platform": "twitch", "action": "connected" }));
    let audited = app.audited_once("connection:connected").await;
    assert_eq!(audited.account_id, Some(owner.account_id));
    assert_eq!(audited.metadata["platform_id"], json!(first.id));

    // Another channel replaces it, with its subscriptions.
    connect_at_the_console(&app, owner.account_id, &second.id).await;
    eventually("the second is delivered and the first is not", async || {
        delivered(&app).await == topics && of(&second.id) == topics && of(&first.id) == 0
    })
    .await;
    let event = socket.frame().await;
    assert_eq!(event["data"]["action"], "reconnected");
    eventually("nothing waits to be revoked", async || waiting(&app).await == 0).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn follow_up_subscribes_to_twitch_events_and_receives_them() {
    let app = TestApp::start().await;
    let running = workers(&app, &DAEMONS).await;
    let owner = app.owner().await;
    let (user, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let topics = EventSubTopic::all_of(&user.id);
    let mut everything: Vec<&str> = topics.iter().map(EventSubTopic::subscription_type).collect();
    everything.sort_unstable();
    eventually("every topic is asked for", async || delivered(&app).await == everything.len() as i64).await;
    let subscriptions = app.platforms.eventsub_subscriptions();
    let mut types: Vec<&str> = subscriptions.iter().map(|one| one.subscription_type.as_str()).collect();
    types.sort_unstable();
    assert_eq!(types, everything);
    assert!(subscriptions.iter().all(|one| one.callback.ends_with("/v1/webhooks/twitch")));
    assert!(subscriptions.iter().all(|one| one.condition.to_string().contains(&user.id)));

    // Connecting again subscribes to nothing twice.
    reconnect(&app, &owner, Platform::Twitch).await;
    assert_eq!(channel_tokens(&app, id_of(&connection)).await.token_version, 1);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(
        (delivered(&app).await, app.platforms.eventsub_subscriptions().len()),
        (everything.len() as i64, everything.len())
    );
    // No server answers the challenges of the stand-in here: its subscriptions fail, and can be made again.
    let is_settled =
        || app.platforms.eventsub_subscriptions().iter().all(|one| !one.status.ends_with("_pending"));
    eventually("every callback was asked", async || is_settled()).await;
    // The subscriptions ended with the revoked grant.
    diesel::update(channel_connections::table)
        .set(channel_connections::reconnect_required.eq(true))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    reconnect(&app, &owner, Platform::Twitch).await;
    eventually("everything is asked for again", async || {
        app.platforms.eventsub_subscriptions().len() == 2 * everything.len()
    })
    .await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn follow_up_subscribes_with_the_application_of_the_account() {
    let app = TestApp::builder().with("LUMIO_CREDENTIAL_MODE_TWITCH", "account").start().await;
    let running = workers(&app, &DAEMONS).await;
    let owner = app.owner().await;
    own_app(&app, owner.account_id, Platform::Twitch, "channel", "own-twitch-app").await;
    let user = connect(&app, &owner, Platform::Twitch, "streamer").await.0;
    let topics = EventSubTopic::all_of(&user.id).len() as i64;
    eventually("every topic is asked for", async || delivered(&app).await == topics).await;
    let calls = app.platforms.token_calls(Platform::Twitch);
    assert!(
        calls
            .iter()
            .any(|call| call.grant_type == "client_credentials" && call.client_id == "own-twitch-app"),
        "{calls:?}"
    );
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn follow_up_subscribes_at_kick_with_the_channel_token_and_retries() {
    let app = TestApp::start().await;
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    let owner = app.owner().await;
    let (user, _) = connect(&app, &owner, Platform::Kick, "streamer").await;
    app.platforms.fail_next_at(Platform::Kick, "/events/subscriptions", Failure::ServerError);
    let running = workers(&app, &DAEMONS).await;
    eventually("every event is asked for", async || delivered(&app).await == 7).await;
    let subscriptions = app.platforms.kick_subscriptions();
    assert_eq!(subscriptions.len(), 7);
    assert!(subscriptions.iter().all(|one| one.broadcaster_user_id == user.id));
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn follow_up_revokes_the_tokens_of_a_disconnected_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let token = channel_tokens(&app, id_of(&connection)).await.access_token.unwrap();
    assert!(app.platforms.is_live(Platform::Twitch, &token));
    assert_eq!(owner.delete("/v1/connections/channel/twitch").await.status, 204);
    assert_eq!(waiting(&app).await, 1);
    app.platforms.fail_next_at(Platform::Twitch, "/revoke", Failure::ServerError);
    let running = workers(&app, &DAEMONS).await;
    eventually("the tokens are revoked", async || waiting(&app).await == 0).await;
    assert!(!app.platforms.is_live(Platform::Twitch, &token));
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn follow_up_revokes_the_tokens_of_a_replaced_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "first").await;
    let first = channel_tokens(&app, id_of(&connection)).await.access_token.unwrap();
    // The same person reconnects: the platform may hold one grant only, so nothing is revoked.
    reconnect(&app, &owner, Platform::Twitch).await;
    assert_eq!(waiting(&app).await, 0);
    let before = channel_tokens(&app, id_of(&connection)).await.access_token.unwrap();
    streamer(&app, Platform::Twitch, "second");
    let other = reconnect(&app, &owner, Platform::Twitch).await;
    assert_eq!((id_of(&other), &other["channel_name"]), (id_of(&connection), &json!("second")));
    assert_eq!(waiting(&app).await, 1);
    let running = workers(&app, &DAEMONS).await;
    eventually("the tokens are revoked", async || waiting(&app).await == 0).await;
    assert!(!app.platforms.is_live(Platform::Twitch, &before));
    let now = channel_tokens(&app, id_of(&connection)).await.access_token.unwrap();
    assert!(app.platforms.is_live(Platform::Twitch, &now) && now != first);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn follow_up_gives_up_revocations_that_are_impossible() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    own_app(&app, owner.account_id, Platform::Spotify, "channel", "spotify-app").await;
    own_app(&app, owner.account_id, Platform::Youtube, "channel", "youtube-app").await;
    connect(&app, &owner, Platform::Spotify, "listener").await;
    connect(&app, &owner, Platform::Youtube, "streamer").await;
    assert_eq!(owner.delete("/v1/connections/app-credentials/youtube").await.status, 204);
    for platform in ["spotify", "youtube"] {
        assert_eq!(owner.delete(&format!("/v1/connections/channel/{platform}")).await.status, 204);
    }
    assert_eq!(waiting(&app).await, 2);
    let running = workers(&app, &DAEMONS).await;
    eventually("both are given up", async || waiting(&app).await == 0).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn follow_up_publishes_every_change_of_a_connection() {
    let app = TestApp::start().await;
    let running = workers(&app, &[Daemon::Outbox]).await;
    let owner = app.owner().await;
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("account:{}", owner.account_id)).await;
    connect(&app, &owner, Platform::Twitch, "streamer").await;
    reconnect(&app, &owner, Platform::Twitch).await;
    owner.post("/v1/bot-toggle", json!({ "platform": "twitch", "enabled": false })).await.data();
    assert_eq!(owner.delete("/v1/connections/channel/twitch").await.status, 204);
    for action in ["connected", "reconnected", "changed", "disconnected"] {
        let frame = socket.frame().await;
        assert_eq!(
            (&frame["type"], &frame["event_type"]),
            (&json!("event"), &json!("connections:updated")),
            "{frame}"
        );
        assert_eq!(frame["data"], json!({ "kind": "channel", "platform": "twitch", "action": action }));
    }
    running.stop().await.unwrap();
    app.stop().await;
}
