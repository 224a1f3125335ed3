//! What becomes of deliveries: rows, events on the log, jobs.

use std::time::Duration;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, User, kick, twitch};
use serde_json::{Value, json};
use shared::{
    db::schema::{channel_connections, webhook_inbox},
    id,
    ingest::{ChatMessage, Line, OwnMessages, RowBuffer, inbox::Inbound},
    secret::Secret,
};

use super::world::{
    connect, connect_to, eventually, eventually_none, inbox, jobs, messages, open_deliveries, rows,
    stored_events, told, workers,
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
async fn a_chat_line_is_stored_told_and_triggers_once_however_often_it_comes() {
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
    let told = told(&app, &format!("chat:{}", owner.account_id)).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(jobs(&app, TRIGGERS).await, 1);

    let (row, event) = (&stored[0], &told[0]);
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
async fn every_account_of_a_channel_hears_of_it_and_no_other() {
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
    assert!(told(&app, &format!("chat:{}", stranger.account_id)).await.is_empty());
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn follows_raids_and_streams_become_events() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let viewer = viewer(&app, Platform::Twitch);
    let events = [
        twitch::Event::follow(&streamer, &viewer),
        twitch::Event::raid(&viewer, &streamer, 42),
        twitch::Event::subscribe(&streamer, &viewer, 1000, false),
        twitch::Event::cheer(&streamer, None, 100, "cheer100"),
        twitch::Event::stream_online(&streamer),
        twitch::Event::stream_offline(&streamer),
    ];
    for event in &events {
        deliver_twitch(&app, event, &DeliveryOptions { copies: 2, ..DeliveryOptions::default() }).await;
    }
    all_handled(&app, 6).await;
    eventually("all rows are written", async || rows(&app).await == 6).await;

    let mut types: Vec<String> =
        stored_events(&app, owner.account_id).await.iter().map(|row| text(&row["event_type"])).collect();
    types.sort_unstable();
    assert_eq!(
        types,
        [
            "twitch:cheer",
            "twitch:follower",
            "twitch:raid",
            "twitch:stream_offline",
            "twitch:stream_online",
            "twitch:subscribe",
        ]
    );
    let mut told: Vec<String> = told(&app, &format!("events:{}", owner.account_id))
        .await
        .iter()
        .map(|event| text(&event["event_type"]))
        .collect();
    told.sort_unstable();
    let mut expected = vec!["event:new"; 6];
    expected.extend(["stream:offline", "stream:online"]);
    assert_eq!(told, expected);
    assert_eq!(jobs(&app, TRIGGERS).await, 6);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn deliveries_of_unconnected_channels_and_of_no_interest_are_done_without_effect() {
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
async fn a_delivery_whose_process_died_before_it_made_the_job_is_handled_within_seconds() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest, Daemon::Housekeeping]).await;
    let line = kick::Event::chat_message(&streamer, &viewer(&app, Platform::Kick), "left behind");
    let now = app.clock.now();
    insert_into(webhook_inbox::table)
        .values((
            webhook_inbox::id.eq(id::new()),
            webhook_inbox::platform.eq("kick"),
            webhook_inbox::delivery_id.eq("01LEFTBEHIND"),
            webhook_inbox::event_type.eq(line.event_type),
            webhook_inbox::body.eq(&line.payload),
            webhook_inbox::sent_at.eq(now),
            webhook_inbox::received_at.eq(now),
        ))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    eventually_none("the delivery is handled", async || open_deliveries(&app).await).await;
    eventually("its row is written", async || rows(&app).await == 1).await;
    assert_eq!(messages(&app, owner.account_id).await[0]["text"], "left behind");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn deliveries_wait_for_workers_and_workers_for_deliveries() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let viewer = viewer(&app, Platform::Kick);
    for line in 0..20 {
        let line = kick::Event::chat_message(&streamer, &viewer, &format!("line {line}"));
        deliver_kick(&app, &line, &DeliveryOptions::default()).await;
    }
    assert_eq!(open_deliveries(&app).await, 20);
    // Two copies share the work; the one that stops early takes nothing with it.
    let (first, second) = (workers(&app, &[Daemon::Ingest]).await, workers(&app, &[Daemon::Ingest]).await);
    first.stop().await.unwrap();
    all_handled(&app, 20).await;
    eventually("all rows are written", async || rows(&app).await == 20).await;
    assert_eq!(told(&app, &format!("chat:{}", owner.account_id)).await.len(), 20);
    assert_eq!(jobs(&app, TRIGGERS).await, 20);
    second.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn while_the_time_series_database_is_away_lines_are_told_and_rows_wait() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let mut config = app.config();
    config.databases.timescaledb = Secret::new("postgres://nobody@127.0.0.1:1/none");
    config.databases.pool_timeout = Duration::from_millis(200);
    let cut_off = lumio_worker::start_with(config, app.clock.clone(), &[Daemon::Ingest]).await.unwrap();
    let line = kick::Event::chat_message(&streamer, &viewer(&app, Platform::Kick), "in the dark");
    deliver_kick(&app, &line, &DeliveryOptions::default()).await;
    all_handled(&app, 1).await;
    assert_eq!(told(&app, &format!("chat:{}", owner.account_id)).await.len(), 1);
    let buffer = RowBuffer::<ChatMessage>::new(app.state.redis.clone());
    assert_eq!((buffer.backlog().await.unwrap(), rows(&app).await), (1, 0));
    cut_off.stop().await.unwrap();

    let healthy = workers(&app, &[Daemon::Ingest]).await;
    eventually("the row is written after all", async || rows(&app).await == 1).await;
    eventually("nothing waits", async || buffer.backlog().await.unwrap() == 0).await;
    healthy.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn what_we_sent_ourselves_is_shown_and_triggers_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let own = twitch::Event::chat_message(&streamer, &streamer, "!ping");
    let message_id = text(&own.event["message_id"]);
    let own_messages = OwnMessages::new(app.state.redis.clone());
    let line =
        Line { platform: "twitch", channel_id: &streamer.id, sender_id: Some(&streamer.id), text: "!ping" };
    own_messages.sending(&line).await.unwrap();
    assert!(own_messages.contain(&line, "another").await.unwrap(), "known by its text until its id is known");
    own_messages.sent(&line, &message_id).await.unwrap();
    deliver_twitch(&app, &own, &DeliveryOptions::default()).await;
    all_handled(&app, 1).await;
    eventually("it is written", async || rows(&app).await == 1).await;
    assert_eq!(jobs(&app, TRIGGERS).await, 0);
    // The streamer's own hand is another matter.
    let typed = twitch::Event::chat_message(&streamer, &streamer, "!ping");
    deliver_twitch(&app, &typed, &DeliveryOptions::default()).await;
    all_handled(&app, 2).await;
    assert_eq!(jobs(&app, TRIGGERS).await, 1);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn where_the_bot_is_switched_off_nothing_is_triggered() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    diesel::update(channel_connections::table)
        .set(channel_connections::bot_enabled.eq(false))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let running = workers(&app, &[Daemon::Ingest]).await;
    let line = kick::Event::chat_message(&streamer, &viewer(&app, Platform::Kick), "hello");
    deliver_kick(&app, &line, &DeliveryOptions::default()).await;
    all_handled(&app, 1).await;
    assert_eq!(told(&app, &format!("chat:{}", owner.account_id)).await.len(), 1);
    assert_eq!(jobs(&app, TRIGGERS).await, 0);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn a_ban_on_the_platform_removes_what_was_said() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let viewer = viewer(&app, Platform::Kick);
    let running = workers(&app, &[Daemon::Ingest]).await;
    deliver_kick(
        &app,
        &kick::Event::chat_message(&streamer, &viewer, "buy now"),
        &DeliveryOptions::default(),
    )
    .await;
    eventually("it is written", async || rows(&app).await == 1).await;
    let banned = kick::Event::moderation_banned(&streamer, &streamer, &viewer, Some(10), "spam");
    deliver_kick(&app, &banned, &DeliveryOptions::default()).await;
    all_handled(&app, 2).await;
    eventually("it is marked", async || messages(&app, owner.account_id).await[0]["is_deleted"] == true)
        .await;
    let told = told(&app, &format!("chat:{}", owner.account_id)).await;
    assert_eq!(told[1]["event_type"], "chat:clear_user");
    assert_eq!(
        told[1]["data"],
        json!({
            "platform": "kick", "platform_user_id": viewer.id, "action": "timeout", "duration_secs": 600,
            "moderator_id": null, "moderator_platform_user_id": streamer.id,
        })
    );
    running.stop().await.unwrap();
    app.stop().await;
}

/// A raid without an id of its own, as one transport tells it.
fn told_raid(
    streamer: &User,
    delivery: &str,
    transport: &Value,
    sent_at: chrono::DateTime<chrono::Utc>,
) -> Inbound {
    Inbound {
        platform: shared::platforms::Platform::Twitch,
        delivery_id: delivery.to_owned(),
        event_type: "channel.raid".to_owned(),
        body: json!({
            "subscription": { "type": "channel.raid", "transport": transport },
            "event": {
                "from_broadcaster_user_id": "42", "from_broadcaster_user_login": "raider",
                "from_broadcaster_user_name": "Raider", "to_broadcaster_user_id": streamer.id,
                "to_broadcaster_user_login": streamer.login, "to_broadcaster_user_name": streamer.display_name,
                "viewers": 7,
            },
        }),
        sent_at,
    }
}

#[tokio::test]
async fn equal_events_are_two_unless_two_transports_told_one() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let webhook = json!({ "method": "webhook", "callback": "https://api.example" });
    let socket = |session: &str| json!({ "method": "websocket", "session_id": session });
    let now = app.clock.now();
    let tell_as = async |is_reopened: bool, delivery: &str, transport: &Value, after_secs: i64| {
        let told = told_raid(&streamer, delivery, transport, now + chrono::Duration::seconds(after_secs));
        let mut connection = app.state.databases.postgres.get().await.unwrap();
        let accepted =
            shared::ingest::inbox::accept(&mut connection, &[told], app.clock.now()).await.unwrap();
        let reopened = diesel::update(webhook_inbox::table.find(accepted[0]));
        let reopened = reopened.set(webhook_inbox::is_reopened.eq(is_reopened));
        assert_eq!(reopened.execute(&mut *connection).await.unwrap(), 1);
        let job = shared::jobs::HandleDelivery { delivery_id: accepted[0] };
        assert!(app.state.jobs.enqueue(&job, &accepted[0].to_string()).await.unwrap());
        eventually_none("the delivery is handled", async || open_deliveries(&app).await).await;
    };
    let tell = async |delivery: &str, transport: &Value, after_secs: i64| {
        tell_as(false, delivery, transport, after_secs).await;
    };
    let ids = async || -> std::collections::BTreeSet<String> {
        let told = told(&app, &format!("events:{}", owner.account_id)).await;
        told.iter().map(|event| text(&event["id"])).collect()
    };
    tell("a", &webhook, 0).await;
    tell_as(true, "again, because Redis lost its data", &webhook, 1).await;
    tell("b", &webhook, 2).await;
    assert_eq!(ids().await.len(), 2, "one transport tells each thing once, so it happened twice");
    // What a socket tells of the first is the first.
    tell("c", &socket("s1"), 1).await;
    assert_eq!(ids().await.len(), 2);
    // Long afterwards it is another, whoever tells.
    tell("d", &socket("s1"), 30).await;
    assert_eq!(ids().await.len(), 3);
    running.stop().await.unwrap();
    assert_eq!(
        stored_events(&app, owner.account_id).await.len(),
        3,
        "while Redis is made good, equals are one"
    );
    app.stop().await;
}

#[tokio::test]
async fn a_revoked_grant_flags_the_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let event = twitch::Event::stream_offline(&streamer);
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let mut subscription = twitch::Subscription::enabled(&event, &callback, "stand-in-eventsub-secret");
    subscription.status = "authorization_revoked".into();
    let revocation = twitch::revocation(&subscription, &DeliveryOptions::default());
    assert_eq!(revocation.post(&shared::http::client().unwrap(), &callback).await.status, Some(200));
    all_handled(&app, 1).await;
    let flagged: bool = channel_connections::table
        .filter(channel_connections::account_id.eq(owner.account_id))
        .select(channel_connections::reconnect_required)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert!(flagged);
    assert_eq!(app.audited_once("connection:flagged").await.metadata["reason"], "revoked");
    let outbox = workers(&app, &[Daemon::Outbox]).await;
    let channel = format!("account:{}", owner.account_id);
    eventually("it is told", async || !told(&app, &channel).await.is_empty()).await;
    assert_eq!(told(&app, &channel).await[0]["event_type"], "connections:updated");
    outbox.stop().await.unwrap();
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn a_daemon_shows_signs_of_life_and_takes_them_away_when_it_ends() {
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
