//! Polling of the live status of channels, and the events that it publishes
//! (reference/connections.md#channel-status).

use chrono::{DateTime, TimeDelta, Utc};
use connection_model::status::{self, BroadcastState, Seen};
use diesel_async::{AsyncConnection, RunQueryDsl};
use lumio_tests::{Person, SocketRequest, TestApp};
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, OnAir, Platform};
use serde_json::{Value, json};
use shared::platform::Platform as Slug;
use uuid::Uuid;

use super::world::{connect, own_app, system_app};
use lumio_tests::world::{eventually, workers};

const DAEMONS: [Daemon; 2] = [Daemon::Outbox, Daemon::Connections];

async fn shown(owner: &Person, platform: &str) -> Value {
    let listed = owner.get("/v1/channel-status").await;
    let rows = listed.data().as_array().unwrap();
    rows.iter().find(|row| row["platform"] == platform).cloned().unwrap_or_default()
}

fn on_air(platform: Platform, id: &str, viewers: u64, started_at: DateTime<Utc>) -> OnAir {
    let (id, title, category) = (id.to_owned(), "Late show".to_owned(), "Chess".to_owned());
    OnAir { platform, id, title, category, viewers, started_at }
}

/// Ends the wait for the next poll of a platform.
async fn next_round(app: &TestApp, platform: Platform) {
    let key = app.state.redis.key(format_args!("channel_status:turn:{}", platform.slug()));
    let mut redis = app.state.redis.get().await.unwrap();
    let () = redis::cmd("DEL").arg(key).query_async(&mut *redis).await.unwrap();
}

async fn record(app: &TestApp, seen: Seen) {
    let mut connection = app.databases.postgres.get().await.unwrap();
    connection
        .transaction(async |connection| status::record(connection, Slug::Twitch, &[seen]).await)
        .await
        .unwrap();
}

/// Updates in the outbox, oldest first.
async fn published(app: &TestApp, account: Uuid) -> Vec<Value> {
    use diesel::{ExpressionMethods, QueryDsl};
    use shared::schema::outbox::dsl;
    let payloads: Vec<Value> = dsl::outbox
        .filter(dsl::queue.eq("live_events"))
        .order(dsl::id)
        .select(dsl::payload)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let events = payloads.into_iter().map(|payload| payload["event"].clone());
    events
        .filter(|event| {
            event["event_type"] == "channel_status:updated" && event["channel"] == format!("events:{account}")
        })
        .map(|event| event["data"].clone())
        .collect()
}

#[tokio::test]
async fn on_air_is_polled_on_every_platform_and_published() {
    let app = TestApp::builder().with("LUMIO_CREDENTIAL_MODE_YOUTUBE", "account").start().await;
    for platform in [Platform::Kick, Platform::Trovo] {
        system_app(&app, platform, "channel", &format!("{}-app", platform.slug())).await;
    }
    let owner = app.owner().await;
    own_app(&app, owner.account_id, Platform::Youtube, "channel", "own-google-app").await;
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("events:{}", owner.account_id)).await;
    let began = app.clock.now() - TimeDelta::hours(1);
    for platform in [Platform::Twitch, Platform::Kick, Platform::Trovo] {
        let (user, _) = connect(&app, &owner, platform, "streamer").await;
        app.platforms.go_live(on_air(platform, &user.id, 41, began));
    }
    connect(&app, &owner, Platform::Youtube, "streamer").await;
    let mut connection = app.databases.postgres.get().await.unwrap();
    let broadcast = Seen {
        broadcast_id: Some("video-1".into()),
        live_chat_id: Some("chat-1".into()),
        ..Seen::new(owner.account_id, BroadcastState::Live, app.clock.now() - TimeDelta::minutes(1))
    };
    status::record(&mut connection, Slug::Youtube, &[broadcast]).await.unwrap();
    drop(connection);
    app.platforms.go_live(on_air(Platform::Youtube, "video-1", 41, began));

    let running = workers(&app, &DAEMONS).await;
    for platform in ["twitch", "kick", "trovo", "youtube"] {
        eventually("its viewers are known", async || shown(&owner, platform).await["viewer_count"] == 41)
            .await;
        let row = shown(&owner, platform).await;
        assert_eq!(
            (&row["is_online"], &row["broadcast_status"], &row["stream_title"]),
            (&json!(true), &json!("live"), &json!("Late show")),
            "{platform}"
        );
        assert!(row["started_at"].is_string(), "{platform}: {row}");
        let category = if platform == "youtube" { Value::Null } else { json!("Chess") };
        assert_eq!(row["category"], category, "{platform}");
    }
    let youtube = shown(&owner, "youtube").await;
    assert_eq!(
        (&youtube["live_chat_id"], &youtube["like_count"], &youtube["total_views"]),
        (&json!("chat-1"), &json!(7), &json!(410))
    );
    let mut received = Vec::new();
    while received.len() < 4 {
        let frame = socket.frame().await;
        assert_eq!(frame["event_type"], "channel_status:updated", "{frame}");
        if frame["data"]["viewer_count"] == 41 {
            received.push(frame["data"].clone());
        }
    }
    for data in received {
        assert_eq!(data, shown(&owner, data["platform"].as_str().unwrap()).await);
    }
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn on_air_ends_when_the_platform_reports_it_or_omits_the_channel() {
    let app = TestApp::start().await;
    system_app(&app, Platform::Trovo, "channel", "trovo-app").await;
    let owner = app.owner().await;
    let began = app.clock.now() - TimeDelta::hours(1);
    let mut users = Vec::new();
    for platform in [Platform::Twitch, Platform::Trovo] {
        let (user, _) = connect(&app, &owner, platform, "streamer").await;
        app.platforms.go_live(on_air(platform, &user.id, 5, began));
        users.push((platform, user.id));
    }
    let running = workers(&app, &DAEMONS).await;
    for platform in ["twitch", "trovo"] {
        eventually("it is on air", async || shown(&owner, platform).await["is_online"] == true).await;
    }
    for (platform, id) in &users {
        app.platforms.go_off_air(*platform, id);
        next_round(&app, *platform).await;
    }
    eventually("Trovo says so", async || shown(&owner, "trovo").await["is_online"] == false).await;
    let off = shown(&owner, "trovo").await;
    assert_eq!((&off["viewer_count"], &off["broadcast_status"]), (&Value::Null, &Value::Null));
    assert_eq!((&off["stream_title"], &off["started_at"]), (&json!("Late show"), &Value::Null));
    assert_eq!(shown(&owner, "twitch").await["is_online"], true, "its list may be behind");
    app.clock.advance(TimeDelta::minutes(6));
    next_round(&app, Platform::Twitch).await;
    eventually("Twitch is long silent", async || shown(&owner, "twitch").await["is_online"] == false).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn on_air_polling_respects_retry_after() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (user, _) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    app.platforms.go_live(on_air(Platform::Twitch, &user.id, 5, app.clock.now()));
    let limited = Failure::RateLimited { retry_after: std::time::Duration::from_secs(1800) };
    app.platforms.fail_next_at(Platform::Twitch, "/helix/streams", limited);
    let running = workers(&app, &DAEMONS).await;
    let key = app.state.redis.key(format_args!("channel_status:turn:twitch"));
    let left = async || -> i64 {
        let mut redis = app.state.redis.get().await.unwrap();
        redis::cmd("TTL").arg(&key).query_async(&mut *redis).await.unwrap()
    };
    eventually("it rests", async || left().await > 1000).await;
    assert_eq!(shown(&owner, "twitch").await["is_online"], false);
    next_round(&app, Platform::Twitch).await;
    eventually("it is asked again", async || shown(&owner, "twitch").await["is_online"] == true).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn on_air_publishes_changes_only_and_ignores_older_reports() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, &owner, Platform::Twitch, "streamer").await;
    let (account, now) = (owner.account_id, app.clock.now());
    let live = |viewers: i64, after: i64| Seen {
        stream_title: Some("Late show".into()),
        viewer_count: Some(viewers),
        ..Seen::new(account, BroadcastState::Live, now + TimeDelta::seconds(after))
    };
    record(&app, Seen::new(account, BroadcastState::Offline, now)).await;
    assert_eq!(published(&app, account).await, Vec::<Value>::new(), "that nothing is on air is no news");
    record(&app, live(5, 1)).await;
    record(&app, live(5, 2)).await;
    assert_eq!(published(&app, account).await.len(), 1, "nothing changed");
    record(&app, live(9, 1)).await;
    assert_eq!(shown(&owner, "twitch").await["viewer_count"], 5, "it is older");
    record(&app, Seen::new(account, BroadcastState::Live, now + TimeDelta::seconds(3))).await;
    assert_eq!(shown(&owner, "twitch").await["viewer_count"], 5, "what is not told stays");
    record(&app, live(9, 4)).await;
    record(&app, Seen::new(account, BroadcastState::Offline, now + TimeDelta::seconds(5))).await;
    let updates = published(&app, account).await;
    let counts: Vec<&Value> = updates.iter().map(|data| &data["viewer_count"]).collect();
    assert_eq!(counts, [&json!(5), &json!(9), &Value::Null]);
    assert_eq!(updates[2], shown(&owner, "twitch").await);

    let stranger = app.owner().await;
    record(&app, Seen::new(stranger.account_id, BroadcastState::Live, now)).await;
    assert_eq!(
        published(&app, stranger.account_id).await,
        Vec::<Value>::new(),
        "no channel is connected there"
    );
    app.stop().await;
}

#[tokio::test]
async fn on_air_deletes_and_publishes_ended_broadcasts() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    own_app(&app, owner.account_id, Platform::Youtube, "channel", "own-google-app").await;
    connect(&app, &owner, Platform::Youtube, "streamer").await;
    let (account, now) = (owner.account_id, app.clock.now());
    let broadcast = |id: &str, state| Seen {
        broadcast_id: Some(id.to_owned()),
        scheduled_start: Some(now),
        ..Seen::new(account, state, now)
    };
    let seen = [broadcast("a", BroadcastState::Live), broadcast("b", BroadcastState::Upcoming)];
    let mut connection = app.databases.postgres.get().await.unwrap();
    status::record(&mut connection, Slug::Youtube, &seen).await.unwrap();
    assert_eq!(owner.get("/v1/channel-status").await.data().as_array().unwrap().len(), 2);
    status::forget(&mut connection, Slug::Youtube, account, &["b".into()], now).await.unwrap();
    drop(connection);
    let left = shown(&owner, "youtube").await;
    assert_eq!((&left["broadcast_id"], &left["broadcast_status"]), (&json!("b"), &json!("upcoming")));
    let last = published(&app, account).await.pop().unwrap();
    assert_eq!(
        (&last["broadcast_id"], &last["is_online"], &last["broadcast_status"]),
        (&json!("a"), &json!(false), &Value::Null)
    );
    app.stop().await;
}
