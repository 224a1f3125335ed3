//! Renewal of event subscriptions that a platform has ended, with or without a notice.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, arrives};
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, OnAir, Platform, User, twitch};
use shared::schema::webhook_subscriptions;
use uuid::Uuid;

use super::world::{connect, id_of, system_app};
use lumio_tests::world::{eventually, eventually_none, open_deliveries, workers};

const DAEMONS: [Daemon; 3] = [Daemon::Outbox, Daemon::Connections, Daemon::Ingest];

/// Ids of the recorded subscriptions of a connection.
async fn recorded(app: &TestApp, connection_id: Uuid) -> Vec<String> {
    webhook_subscriptions::table
        .filter(webhook_subscriptions::connection_id.eq(connection_id))
        .filter(webhook_subscriptions::refusal.is_null())
        .order(webhook_subscriptions::event_type)
        .select(webhook_subscriptions::event_type)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// Ends the wait for the next run of a periodic task.
async fn end_wait(app: &TestApp, lease_name: &str) {
    let key = app.state.redis.key(lease_name);
    let mut redis = app.state.redis.get().await.unwrap();
    let () = redis::cmd("DEL").arg(key).query_async(&mut *redis).await.unwrap();
}

#[tokio::test]
async fn deliveries_that_kick_drops_silently_are_requested_again() {
    let app = TestApp::start().await;
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Kick, "streamer").await;
    let connection_id = id_of(&connection);
    let running = workers(&app, &DAEMONS).await;
    let at_kick = || app.platforms.kick_subscriptions();
    eventually("every event is asked for", async || recorded(&app, connection_id).await.len() == 7).await;
    let before: Vec<String> = at_kick().into_iter().map(|one| one.id).collect();
    assert_eq!(before.len(), 7);

    let dropped = ["chat.message.sent", "channel.followed"];
    app.platforms.drop_kick_subscriptions(&dropped);
    // Kick is unavailable at first.
    app.platforms.fail_next_at(Platform::Kick, "/events/subscriptions", Failure::ServerError);
    end_wait(&app, "subscriptions:turn").await;
    eventually("what was dropped is there again", async || at_kick().len() == 7).await;
    eventually("and noted", async || recorded(&app, connection_id).await.len() == 7).await;
    let kept = at_kick().iter().filter(|one| before.contains(&one.id)).count();
    assert_eq!(kept, 5, "what stood is not asked for anew");
    let metrics = app.anonymous().at(format!("http://{}", running.metrics_address)).get("/metrics").await;
    let counted = metrics.text.lines().find(|line| {
        line.starts_with("lumio_webhook_subscriptions_total{") && line.contains(r#"outcome="dropped""#)
    });
    assert!(counted.is_some_and(|line| line.ends_with(" 2")), "{counted:?}");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn deliveries_that_are_requested_while_kick_replies_are_not_requested_twice() {
    let app = TestApp::start().await;
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Kick, "streamer").await;
    let connection_id = id_of(&connection);
    // Another copy has compared in this hour.
    let key = app.state.redis.key("subscriptions:turn");
    let set = redis::cmd("SET").arg(key).arg("another").to_owned();
    let () = set.query_async(&mut *app.state.redis.get().await.unwrap()).await.unwrap();
    let running = workers(&app, &DAEMONS).await;
    let at_kick = || app.platforms.kick_subscriptions();
    eventually("every event is asked for", async || recorded(&app, connection_id).await.len() == 7).await;

    app.platforms.drop_kick_subscriptions(&["chat.message.sent", "channel.followed"]);
    let delay = Duration::from_secs(3);
    app.platforms.fail_next_at(Platform::Kick, "/events/subscriptions", Failure::Slow(delay));
    end_wait(&app, "subscriptions:turn").await;
    eventually("Kick is asked", async || !app.platforms.has_planned_failure()).await;
    // Another copy has requested the first one anew, and recorded it.
    let anew = webhook_subscriptions::table
        .filter(webhook_subscriptions::connection_id.eq(connection_id))
        .filter(webhook_subscriptions::event_type.eq("chat.message.sent"));
    diesel::update(anew)
        .set(webhook_subscriptions::platform_subscription_id.eq("anew"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    eventually("the other is there again", async || at_kick().len() == 6).await;
    eventually("and noted", async || recorded(&app, connection_id).await.len() == 7).await;
    assert!(at_kick().iter().all(|one| one.event_type != "chat.message.sent"), "it is not requested twice");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn deliveries_that_twitch_ends_are_requested_again_immediately() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let running = workers(&app, &DAEMONS).await;
    let (user, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let connection_id = id_of(&connection);
    let wanted = platforms::twitch::EventSubTopic::all_of(&user.id).len();
    eventually("every topic is asked for", async || recorded(&app, connection_id).await.len() == wanted)
        .await;
    let follows = || {
        let all = app.platforms.eventsub_subscriptions();
        all.into_iter().filter(|one| one.subscription_type == "channel.follow").count()
    };
    assert_eq!(follows(), 1);
    report_end(&app, &user, "notification_failures_exceeded").await;
    eventually("it is asked for again", async || follows() == 2).await;
    eventually("and noted", async || recorded(&app, connection_id).await.len() == wanted).await;
    // A subscription type that Twitch has removed is not requested again.
    report_end(&app, &user, "version_removed").await;
    eventually_none("the word is heard", async || open_deliveries(&app).await).await;
    assert_eq!(follows(), 2);
    running.stop().await.unwrap();
    app.stop().await;
}

/// Delivers the notice of Twitch that it ended the subscription to follows.
async fn report_end(app: &TestApp, channel: &User, status: &str) {
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let event = twitch::Event::follow(channel, channel);
    let mut subscription = twitch::Subscription::enabled(&event, &callback, "stand-in-eventsub-secret");
    subscription.status = status.into();
    let revocation = twitch::revocation(&subscription, &platforms_stand_in::DeliveryOptions::default());
    let answer = revocation.post(&foundation::http::client().unwrap(), &callback).await;
    assert_eq!(answer.status, Some(200));
}

#[tokio::test]
async fn deliveries_of_a_hanging_platform_block_no_other_and_no_shutdown() {
    let app = TestApp::start().await;
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    let owner = app.owner().await;
    for platform in [Platform::Twitch, Platform::Kick] {
        let (user, _) = connect(&app, &owner, platform, "streamer").await;
        app.platforms.go_live(OnAir {
            platform,
            id: user.id,
            title: "Late show".to_owned(),
            category: "Chess".to_owned(),
            viewers: 41,
            started_at: app.clock.now() - chrono::Duration::hours(1),
        });
    }
    // Twitch comes first in the list and does not answer.
    let hang = Duration::from_secs(600);
    for _ in 0..20 {
        app.platforms.fail_next_at(Platform::Twitch, "/streams", Failure::Slow(hang));
    }
    let running = workers(&app, &[Daemon::Connections]).await;
    let viewers = async |platform: &str| {
        let listed = owner.get("/v1/channel-status").await;
        let rows = listed.data().as_array().unwrap().clone();
        rows.into_iter().find(|row| row["platform"] == platform).map(|row| row["viewer_count"].clone())
    };
    // Twitch hangs for longer than this timeout.
    eventually("Kick's viewers are known", async || viewers("kick").await == Some(41.into())).await;
    assert_ne!(viewers("twitch").await, Some(41.into()));
    arrives("the worker's end", running.stop()).await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn deliveries_of_a_disabled_platform_continue_for_existing_connections() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let (channel, _) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    app.switch("platform:twitch", false).await;
    let path = "/v1/connections/channel/twitch/authorize";
    other.post(path, serde_json::json!({})).await.refused_with("FEATURE_DISABLED");
    let viewer = app.platforms.create_user(Platform::Twitch, "viewer").0;
    let line = twitch::Event::chat_message(&channel, &viewer, "still here");
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let options = platforms_stand_in::DeliveryOptions::default();
    let secret = "stand-in-eventsub-secret";
    let delivery = app.platforms.deliver_twitch_to(&callback, secret, &line, &options).await;
    assert_eq!(delivery.statuses(), [Some(200)]);
    eventually_none("the line is handled", async || open_deliveries(&app).await).await;
    let published = lumio_tests::world::published(&app, &format!("chat:{}", owner.account_id)).await;
    assert_eq!(published.len(), 1);
    assert_eq!(lumio_tests::world::jobs(&app, "extension_triggers").await, 1);
    running.stop().await.unwrap();
    app.stop().await;
}
