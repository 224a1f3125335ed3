//! Effects of deliveries: rows, events on the log, jobs (reference/ingest.md#steps).

mod backlog;
mod chat;
mod events;

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, User, kick, twitch};
use serde_json::{Value, json};
use shared::schema::channel_connections;

use lumio_tests::world::{
    connect, connect_to, eventually, inbox, jobs, messages, open_deliveries, published, rows, workers,
};

const TRIGGERS: &str = "extension_triggers";

async fn deliver_twitch(app: &TestApp, event: &twitch::Event, options: &DeliveryOptions) {
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let secret = "stand-in-eventsub-secret";
    let delivery = app.platforms.deliver_twitch_to(&callback, secret, event, options).await;
    assert!(delivery.statuses().iter().all(|status| *status == Some(200)), "{delivery:?}");
}

async fn deliver_kick(app: &TestApp, event: &kick::Event, options: &DeliveryOptions) {
    let callback = format!("{}/v1/webhooks/kick", app.url());
    let delivery = app.platforms.deliver_kick_to(&callback, event, options).await;
    assert!(delivery.statuses().iter().all(|status| *status == Some(200)), "{delivery:?}");
}

fn viewer(app: &TestApp, platform: Platform) -> User {
    app.platforms.create_user(platform, "viewer").0
}

async fn all_handled(app: &TestApp, deliveries: i64) {
    eventually("all deliveries are handled", async || {
        inbox(app).await == deliveries && open_deliveries(app).await == 0
    })
    .await;
}

#[tokio::test]
async fn ingest_stores_publishes_and_triggers_a_repeated_chat_line_once() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let line = twitch::Event::chat_message(&streamer, &viewer(&app, Platform::Twitch), "hello there");

    let thrice = DeliveryOptions { copies: 3, ..DeliveryOptions::default() };
    deliver_twitch(&app, &line, &thrice).await;
    // Another delivery of the same line, with an id and a time of its own.
    let again = DeliveryOptions { age_secs: 60, ..DeliveryOptions::default() };
    deliver_twitch(&app, &line, &again).await;
    all_handled(&app, 2).await;

    eventually("the row is written", async || rows(&app).await > 0).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let stored = messages(&app, owner.account_id).await;
    assert_eq!(stored.len(), 1, "{stored:?}");
    let published = published(&app, &format!("chat:{}", owner.account_id)).await;
    assert_eq!(published.len(), 1, "{published:?}");
    assert_eq!(jobs(&app, TRIGGERS).await, 1);

    let (row, event) = (&stored[0], &published[0]);
    assert_eq!((&event["event_type"], &event["id"]), (&json!("chat:message"), &row["id"]));
    assert_eq!(event["data"]["text"], "hello there");
    for field in [
        "platform",
        "platform_message_id",
        "platform_user_id",
        "username",
        "display_name",
        "color",
        "badges",
        "text",
        "fragments",
        "emotes",
        "reply_to",
        "is_deleted",
        "is_action",
        "account_id",
    ] {
        assert_eq!(event["data"][field], row[field], "{field}");
    }
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn ingest_publishes_to_every_account_of_a_channel_and_no_other() {
    let app = TestApp::start().await;
    let (one, two, stranger) = (app.owner().await, app.owner().await, app.owner().await);
    let streamer = connect(&app, one.account_id, Platform::Kick, "streamer").await;
    connect_to(&app, two.account_id, &streamer, None).await;
    connect(&app, stranger.account_id, Platform::Kick, "somebody").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let line = kick::Event::chat_message(&streamer, &viewer(&app, Platform::Kick), "hi [emote:1:KEKW]");
    deliver_kick(&app, &line, &DeliveryOptions::default()).await;
    all_handled(&app, 1).await;
    eventually("both rows are written", async || rows(&app).await == 2).await;

    let (first, second) = (messages(&app, one.account_id).await, messages(&app, two.account_id).await);
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first[0]["id"], second[0]["id"]);
    assert_eq!(first[0]["emotes"], json!([{ "id": "1", "name": "KEKW" }]));
    assert!(messages(&app, stranger.account_id).await.is_empty());
    assert!(published(&app, &format!("chat:{}", stranger.account_id)).await.is_empty());
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn ingest_completes_irrelevant_deliveries_without_effect() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let viewer = viewer(&app, Platform::Kick);
    let of_no_interest = kick::Event::livestream_metadata(&streamer, "title", "category");
    deliver_kick(&app, &of_no_interest, &DeliveryOptions::default()).await;
    let elsewhere = kick::Event::chat_message(&viewer, &streamer, "hello");
    deliver_kick(&app, &elsewhere, &DeliveryOptions::default()).await;
    all_handled(&app, 2).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!((rows(&app).await, jobs(&app, TRIGGERS).await), (0, 0));
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn ingest_flags_the_connection_of_a_revoked_grant() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let event = twitch::Event::stream_offline(&streamer);
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let mut subscription = twitch::Subscription::enabled(&event, &callback, "stand-in-eventsub-secret");
    subscription.status = "authorization_revoked".into();
    let revocation = twitch::revocation(&subscription, &DeliveryOptions::default());
    assert_eq!(revocation.post(&foundation::http::client().unwrap(), &callback).await.status, Some(200));
    all_handled(&app, 1).await;
    let flagged: bool = channel_connections::table
        .filter(channel_connections::account_id.eq(owner.account_id))
        .select(channel_connections::reconnect_required)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert!(flagged);
    assert_eq!(app.audited_once("connection:flagged").await.metadata["reason"], "revoked");
    let outbox = workers(&app, &[Daemon::Outbox]).await;
    let channel = format!("account:{}", owner.account_id);
    eventually("it is told", async || !published(&app, &channel).await.is_empty()).await;
    assert_eq!(published(&app, &channel).await[0]["event_type"], "connections:updated");
    outbox.stop().await.unwrap();
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn ingest_and_other_daemons_report_liveness_until_they_end() {
    let app = TestApp::start().await;
    let running = workers(&app, &[Daemon::Ingest, Daemon::Outbox, Daemon::Housekeeping]).await;
    let pattern = app.state.redis.key("worker:*");
    let keys = async || -> Vec<String> {
        let mut redis = app.state.redis.get().await.unwrap();
        redis::cmd("KEYS").arg(&pattern).query_async(&mut *redis).await.unwrap()
    };
    eventually("three daemons live", async || keys().await.len() == 3).await;
    for key in keys().await {
        let mut redis = app.state.redis.get().await.unwrap();
        let ttl: i64 = redis::cmd("TTL").arg(&key).query_async(&mut *redis).await.unwrap();
        assert!((1..=30).contains(&ttl), "{key}: {ttl}");
    }
    let scraper = app.anonymous().at(format!("http://{}", running.metrics_address));
    for series in
        ["lumio_jobs_total", "lumio_worker_restarts_total", "lumio_timeseries_partitions_ahead_seconds"]
    {
        eventually(series, async || scraper.get("/metrics").await.text.contains(series)).await;
    }
    running.stop().await.unwrap();
    assert_eq!(keys().await, Vec::<String>::new());
    app.stop().await;
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
