//! Order of a channel's events, and removals that precede their messages or meet failures (reference/ingest.md#order).

use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::{
    events::{Channel, Event, Removal, RemovalAction},
    jobs::{HandleDelivery, Job, MarkRemoval},
};
use live_model::{
    ChatMessage, RowBuffer,
    inbox::{self, Inbound},
};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, User, kick, twitch};
use serde_json::{Value, json};
use shared::{
    schema::{outbox, webhook_inbox},
    secret::Secret,
};
use uuid::Uuid;

use lumio_tests::world::{
    connect, eventually, eventually_none, jobs, messages, open_deliveries, published, rows, workers,
};

const TRIGGERS: &str = "extension_triggers";

async fn deliver(app: &TestApp, event: &twitch::Event) {
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let options = DeliveryOptions::default();
    let secret = "stand-in-eventsub-secret";
    let delivery = app.platforms.deliver_twitch_to(&callback, secret, event, &options).await;
    assert_eq!(delivery.statuses(), [Some(200)]);
}

fn moderation(channel: &User, subscription_type: &'static str, more: Value) -> twitch::Event {
    let mut event = json!({ "broadcaster_user_id": channel.id });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let condition = json!({ "broadcaster_user_id": channel.id });
    twitch::Event { subscription_type, version: "1", condition, event }
}

async fn published_types(app: &TestApp, account_id: Uuid) -> Vec<String> {
    let published = published(app, &format!("chat:{account_id}")).await;
    published.iter().map(|event| event["event_type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn order_of_a_channels_lines_is_kept_by_one_worker_and_by_two() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let viewer = app.platforms.create_user(Platform::Twitch, "viewer").0;
    let mut expected = Vec::new();
    for index in 0..60 {
        deliver(&app, &twitch::Event::chat_message(&channel, &viewer, &format!("{index}"))).await;
        expected.push(index.to_string());
    }
    // Both workers find a backlog and may start with any delivery.
    let one = workers(&app, &[Daemon::Ingest]).await;
    let two = workers(&app, &[Daemon::Ingest]).await;
    eventually_none("what waited is handled", async || open_deliveries(&app).await).await;
    for index in 60..90 {
        deliver(&app, &twitch::Event::chat_message(&channel, &viewer, &format!("{index}"))).await;
        expected.push(index.to_string());
    }
    eventually_none("the rest is handled", async || open_deliveries(&app).await).await;
    let texts: Vec<String> = published(&app, &format!("chat:{}", owner.account_id))
        .await
        .iter()
        .map(|event| event["data"]["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts, expected);
    one.stop().await.unwrap();
    two.stop().await.unwrap();
    app.stop().await;
}

/// Accepts lines of a Kick channel into the inbox, a millisecond apart; returns the ids of their deliveries.
async fn accept_kick_lines(app: &TestApp, channel: &User, lines: std::ops::Range<usize>) -> Vec<Uuid> {
    let viewer =
        app.platforms.create_user(Platform::Kick, &format!("{}-viewer{}", channel.login, lines.start)).0;
    let now = app.clock.now();
    let deliveries: Vec<Inbound> = lines
        .map(|line| Inbound {
            platform: shared::platform::Platform::Kick,
            delivery_id: format!("{}-{line}", channel.id),
            event_type: "chat.message.sent".to_owned(),
            body: kick::Event::chat_message(channel, &viewer, &line.to_string()).payload,
            sent_at: now + chrono::Duration::milliseconds(i64::try_from(line).unwrap()),
        })
        .collect();
    let mut db = app.databases.postgres.get().await.unwrap();
    inbox::accept(&mut db, &deliveries, now).await.unwrap();
    let ids = webhook_inbox::table
        .filter(webhook_inbox::delivery_id.eq_any(deliveries.iter().map(|delivery| &delivery.delivery_id)))
        .order(webhook_inbox::sent_at)
        .select(webhook_inbox::id);
    ids.load(&mut *db).await.unwrap()
}

async fn enqueue(app: &TestApp, deliveries: &[Uuid]) {
    let jobs: Vec<(HandleDelivery, String)> =
        deliveries.iter().map(|id| (HandleDelivery { delivery_id: *id }, id.to_string())).collect();
    assert_eq!(app.state.jobs.enqueue_each(&jobs).await.unwrap(), deliveries.len());
}

async fn published_texts(app: &TestApp, account_id: Uuid) -> Vec<String> {
    let published = published(app, &format!("chat:{account_id}")).await;
    published.iter().map(|event| event["data"]["text"].as_str().unwrap().to_owned()).collect()
}

fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|number| number.to_string()).collect()
}

#[tokio::test]
async fn order_puts_an_earlier_delivery_with_a_late_job_first() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let deliveries = accept_kick_lines(&app, &channel, 0..3).await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    // Without the sweep the first two have no job.
    enqueue(&app, &deliveries[2..]).await;
    eventually_none("all are handled", async || open_deliveries(&app).await).await;
    assert_eq!(published_texts(&app, owner.account_id).await, numbers(0..3));
    // Their jobs find nothing to do.
    enqueue(&app, &deliveries[..2]).await;
    eventually("the jobs are done", async || jobs(&app, HandleDelivery::QUEUE).await == 0).await;
    assert_eq!(published_texts(&app, owner.account_id).await, numbers(0..3));
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn order_of_a_channel_survives_a_dead_holder_without_delaying_others() {
    const LINES: usize = 200;
    let app = TestApp::start().await;
    let (busy, quiet) = (app.owner().await, app.owner().await);
    let stuck = connect(&app, busy.account_id, Platform::Kick, "busy").await;
    let free = connect(&app, quiet.account_id, Platform::Kick, "quiet").await;
    // State that a killed process leaves during its lease.
    let lease_key = app.state.redis.key(format!("turn:kick:{}", stuck.id));
    let mut redis = app.state.redis.get().await.unwrap();
    let () = redis::cmd("SET")
        .arg(&lease_key)
        .arg("dead")
        .arg("PX")
        .arg(60_000)
        .query_async(&mut *redis)
        .await
        .unwrap();
    enqueue(&app, &accept_kick_lines(&app, &stuck, 0..LINES).await).await;
    let began = Instant::now();
    let one = workers(&app, &[Daemon::Ingest]).await;
    enqueue(&app, &accept_kick_lines(&app, &free, 0..1).await).await;
    eventually("the other channel is served", async || {
        published_texts(&app, quiet.account_id).await == numbers(0..1)
    })
    .await;
    let published = published_texts(&app, busy.account_id).await;
    // A silent holder is skipped after ten seconds, which may already be over on a busy machine.
    assert!(
        published.is_empty() || began.elapsed() > Duration::from_secs(10),
        "it is not its turn: {published:?}"
    );
    let () = redis::cmd("DEL").arg(&lease_key).query_async(&mut *redis).await.unwrap();
    drop(redis);
    let two = workers(&app, &[Daemon::Ingest]).await;
    let took = eventually_none("all are handled", async || open_deliveries(&app).await).await;
    eprintln!("{LINES} lines of one channel, two copies: {took:?}");
    // The log keeps the latest.
    let published = published_texts(&app, busy.account_id).await;
    assert_eq!(published, numbers(LINES - published.len()..LINES));
    eventually("the jobs are done", async || jobs(&app, HandleDelivery::QUEUE).await == 0).await;
    one.stop().await.unwrap();
    two.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn order_delays_a_channel_only_briefly_for_a_failing_delivery() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let deliveries = accept_kick_lines(&app, &channel, 0..5).await;
    let rename = async |from: &str, to: &str| {
        let mut db = app.databases.postgres.get().await.unwrap();
        diesel::sql_query(format!("ALTER TABLE {from} RENAME TO {to}")).execute(&mut *db).await.unwrap();
    };
    // The second is a delivery that needs a missing table.
    let viewer = app.platforms.create_user(Platform::Kick, "follower").0;
    let mut db = app.databases.postgres.get().await.unwrap();
    diesel::update(webhook_inbox::table.find(deliveries[1]))
        .set((
            webhook_inbox::event_type.eq("channel.followed"),
            webhook_inbox::body.eq(kick::Event::follow(&channel, &viewer).payload),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    rename("account_feature_overrides", "feature_overrides_away").await;
    enqueue(&app, &deliveries).await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    eventually("the others are handled", async || open_deliveries(&app).await == 1).await;
    assert_eq!(published_texts(&app, owner.account_id).await, ["0", "2", "3", "4"]);
    rename("feature_overrides_away", "account_feature_overrides").await;
    eventually_none("its own job tries again", async || open_deliveries(&app).await).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn order_withholds_a_message_that_arrives_after_its_deletion() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let viewer = |login: &str| app.platforms.create_user(Platform::Twitch, login).0;
    let (one, two, three) = (viewer("one"), viewer("two"), viewer("three"));
    let running = workers(&app, &[Daemon::Ingest]).await;
    let handled = async || {
        eventually_none("everything is handled", async || open_deliveries(&app).await).await;
    };
    // Created before their removals by the platform's times.
    let lines = [(&one, "deleted"), (&two, "banned"), (&three, "cleared")]
        .map(|(user, text)| twitch::Event::chat_message(&channel, user, text));
    let message_id = lines[0].event["message_id"].clone();
    let deletion = moderation(&channel, "channel.chat.message_delete", json!({ "message_id": message_id }));
    deliver(&app, &deletion).await;
    handled().await;
    let late = DeliveryOptions { age_secs: 30, ..DeliveryOptions::default() };
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let deliver_late = async |line: &twitch::Event| {
        let secret = "stand-in-eventsub-secret";
        let delivery = app.platforms.deliver_twitch_to(&callback, secret, line, &late).await;
        assert_eq!(delivery.statuses(), [Some(200)]);
    };
    deliver_late(&lines[0]).await;
    let target = json!({ "target_user_id": two.id, "target_user_login": "two", "target_user_name": "two" });
    deliver(&app, &moderation(&channel, "channel.chat.clear_user_messages", target)).await;
    handled().await;
    deliver_late(&lines[1]).await;
    handled().await;
    deliver(&app, &moderation(&channel, "channel.chat.clear", json!({}))).await;
    handled().await;
    deliver_late(&lines[2]).await;
    handled().await;
    assert_eq!(
        published_types(&app, owner.account_id).await,
        ["chat:delete_message", "chat:clear_user", "chat:clear"]
    );
    eventually("the rows are written", async || rows(&app).await == 3).await;
    let stored = messages(&app, owner.account_id).await;
    assert!(stored.iter().all(|row| row["is_deleted"] == true), "{stored:?}");
    assert_eq!(jobs(&app, TRIGGERS).await, 0);
    // A later message is published.
    deliver(&app, &twitch::Event::chat_message(&channel, &two, "again")).await;
    handled().await;
    assert_eq!(published_types(&app, owner.account_id).await.last().unwrap(), "chat:message");
    assert_eq!(jobs(&app, TRIGGERS).await, 1);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn order_completes_a_removal_after_an_outage_and_a_killed_worker() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let viewer = app.platforms.create_user(Platform::Kick, "viewer").0;
    let callback = format!("{}/v1/webhooks/kick", app.url());
    let deliver = async |event: &kick::Event| {
        let delivery = app.platforms.deliver_kick_to(&callback, event, &DeliveryOptions::default()).await;
        assert_eq!(delivery.statuses(), [Some(200)]);
    };
    let healthy = workers(&app, &[Daemon::Ingest]).await;
    deliver(&kick::Event::chat_message(&channel, &viewer, "stored")).await;
    eventually("it is written", async || rows(&app).await == 1).await;
    healthy.stop().await.unwrap();

    let mut config = app.config();
    config.databases.timescaledb = Secret::new("postgres://nobody@127.0.0.1:1/none");
    config.databases.pool_timeout = Duration::from_millis(200);
    let cut_off =
        lumio_worker::start_with(config, app.clock.clone(), &[Daemon::Ingest, Daemon::Outbox]).await.unwrap();
    deliver(&kick::Event::chat_message(&channel, &viewer, "buffered")).await;
    deliver(&kick::Event::moderation_banned(&channel, &channel, &viewer, Some(10), "spam")).await;
    eventually_none("both are handled", async || open_deliveries(&app).await).await;
    // Redis loses its record of the removal, and the worker is killed.
    drop(cut_off);
    let notes = app.state.redis.key(format!("removed:{}", owner.account_id));
    let mut redis = app.state.redis.get().await.unwrap();
    let () = redis::cmd("DEL").arg(notes).query_async(&mut *redis).await.unwrap();
    drop(redis);
    let buffer = RowBuffer::<ChatMessage>::new(app.state.redis.clone());
    assert_eq!(buffer.backlog().await.unwrap(), 1);

    let healthy = workers(&app, &[Daemon::Ingest, Daemon::Outbox]).await;
    let deleted = async || -> Vec<bool> {
        let stored = messages(&app, owner.account_id).await;
        stored.iter().map(|row| row["is_deleted"] == true).collect()
    };
    lumio_tests::world::eventually_within(Duration::from_secs(90), "both messages are removed", async || {
        deleted().await == [true, true]
    })
    .await;
    assert_eq!(
        published_types(&app, owner.account_id).await,
        ["chat:message", "chat:message", "chat:clear_user"],
        "told once"
    );
    healthy.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn order_completes_a_removal_left_by_a_dead_api_through_the_outbox() {
    let app = TestApp::start().await;
    let account_id = app.owner().await.account_id;
    let now = app.clock.now();
    let channel = connect(&app, account_id, Platform::Twitch, "streamer").await;
    let viewer = app.platforms.create_user(Platform::Twitch, "viewer").0;
    let running = workers(&app, &[Daemon::Ingest]).await;
    deliver(&app, &twitch::Event::chat_message(&channel, &viewer, "before")).await;
    eventually("it is written", async || rows(&app).await == 1).await;
    let removal = Removal::User {
        platform_user_id: viewer.id.clone(),
        action: RemovalAction::Timeout,
        duration_secs: Some(1),
        moderator_platform_user_id: None,
        moderator_user_id: None,
    };
    let at = now + chrono::Duration::seconds(20);
    let event = Event::new(Channel::Chat(account_id), removal.event_type(), removal.data("twitch"), at);
    let job = MarkRemoval { account_id, platform: "twitch".into(), removal, event, is_published: false };
    let mut db = app.databases.postgres.get().await.unwrap();
    // As the transaction of a moderation action leaves it; twice, as after a restart.
    for _ in 0..2 {
        foundation::outbox::add(&mut db, &job, &format!("removal:{}", job.event.id)).await.unwrap();
    }
    drop(db);
    let outbox_worker = workers(&app, &[Daemon::Outbox]).await;
    eventually("it is removed", async || messages(&app, account_id).await[0]["is_deleted"] == true).await;
    eventually("the outbox is empty", async || {
        let mut db = app.databases.postgres.get().await.unwrap();
        outbox::table.count().get_result::<i64>(&mut *db).await.unwrap() == 0
    })
    .await;
    assert_eq!(published_types(&app, account_id).await, ["chat:message", "chat:clear_user"]);
    // The time-out ends, and later messages stay, also when the job runs again.
    app.clock.advance(chrono::Duration::seconds(60));
    app.state.jobs.enqueue(&job, "again").await.unwrap();
    let buffer = RowBuffer::<ChatMessage>::new(app.state.redis.clone());
    let row = messages(&app, account_id).await.remove(0);
    let mut message: ChatMessage = serde_json::from_value(row).unwrap();
    message.id = shared::id::new();
    message.platform_message_id = "after-the-time-out".into();
    message.is_deleted = false;
    message.sent_at = app.clock.now();
    buffer.push(&[message]).await.unwrap();
    eventually("it is written", async || rows(&app).await == 2).await;
    app.state.jobs.enqueue(&job, "and again").await.unwrap();
    eventually("the jobs are done", async || jobs(&app, "chat_removals").await == 0).await;
    let stored = messages(&app, account_id).await;
    let after = stored.iter().find(|row| row["platform_message_id"] == "after-the-time-out").unwrap();
    assert_eq!(after["is_deleted"], false);
    outbox_worker.stop().await.unwrap();
    running.stop().await.unwrap();
    app.stop().await;
}
