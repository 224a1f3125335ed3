//! Redis loses all its data while work waits in it.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::jobs::{Job, RunTriggers, SendMail};
use live_model::{Line, OwnMessages};
use lumio_tests::{RedisServer, SocketRequest, TestApp};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{Platform, twitch};
use serde_json::{Value, json};
use shared::{schema::outbox, secret::Secret};

use super::{Channel, deliver, eventually, eventually_none};
use lumio_tests::mail::{files, folder, invite};
use lumio_tests::world::count;
use lumio_tests::world::{jobs, messages, open_deliveries, stored_events, workers};

/// Longer than two rounds of repeating waiting work.
pub(super) const REPLAY_TIMEOUT: Duration = Duration::from_secs(22);

async fn app_on(redis: &RedisServer) -> TestApp {
    TestApp::builder().with("REDIS_URL", redis.url()).start().await
}

/// The runtime, which calls the server for the actions of handlers.
pub(super) async fn runtime(app: &TestApp) -> Running {
    let mut config = app.config();
    config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
    let engine = sandbox::EngineConfig::default_dir().expect("LUMIO_ENGINE_DIR or a target folder");
    engine.to_str().expect("a readable path").clone_into(&mut config.workers.engine_dir);
    lumio_worker::start_with(config, app.clock.clone(), &[Daemon::ExtensionRuntime])
        .await
        .expect("the runtime starts")
}

/// Waits until a checkpoint of Redis is written: data lost before that is not recovered.
pub(super) async fn is_watched(app: &TestApp) {
    let keys = app.state.redis.key_of_each_server("checkpoint").await.expect("Redis answers");
    eventually("there is a checkpoint", async || {
        let mut redis = app.state.redis.get().await.expect("Redis answers");
        let known: usize =
            redis::cmd("EXISTS").arg(&keys).query_async(&mut *redis).await.expect("Redis answers");
        known == keys.len()
    })
    .await;
}

/// Records a line of the streamer as sent by Lumio.
async fn is_own(app: &TestApp, channel: &Channel, line: &twitch::Event) {
    let streamer = Some(channel.streamer.id.as_str());
    let text = line.event["message"]["text"].as_str().expect("a text");
    let own_line = Line { platform: "twitch", channel_id: &channel.streamer.id, sender_id: streamer, text };
    let own = OwnMessages::new(app.state.redis.clone());
    own.sending(&own_line).await.expect("Redis answers");
    let message_id = line.event["message_id"].as_str().expect("an id");
    own.sent(&own_line, message_id).await.expect("Redis answers");
}

/// Rows of the outbox, relayed or not.
async fn kept(app: &TestApp) -> i64 {
    let mut connection = app.databases.postgres.get().await.expect("a connection");
    outbox::table.count().get_result(&mut *connection).await.expect("a count")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_flushed_runs_lost_jobs_and_repeats_no_finished_ones() {
    let redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let outbox = workers(&app, &[Daemon::Outbox]).await;
    is_watched(&app).await;
    for guest in ["a@example.com", "b@example.com", "c@example.com"] {
        invite(&app, guest, "Night shift").await;
    }
    let queued = async || jobs(&app, SendMail::QUEUE).await == 3;
    eventually("the queue has them", queued).await;
    // Longer than ended jobs are kept.
    tokio::time::sleep(Duration::from_secs(4)).await;
    for _ in 0..2 {
        redis.flush().await;
        assert_eq!(jobs(&app, SendMail::QUEUE).await, 0);
        eventually("the queue has them again", queued).await;
    }
    let mail = workers(&app, &[Daemon::Mail]).await;
    eventually("all are sent", async || count(&app, "mails").await == 0).await;
    eventually("none is kept", async || kept(&app).await == 0).await;
    redis.flush().await;
    tokio::time::sleep(REPLAY_TIMEOUT).await;
    assert_eq!((files(&folder(&app)).len(), jobs(&app, SendMail::QUEUE).await), (3, 0));
    mail.stop().await.expect("the mail daemon stops");
    outbox.stop().await.expect("the relay stops");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_flushed_stores_and_answers_handled_lines_once() {
    let redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let channel = Channel::open(&app).await;
    let account = channel.owner.account_id;
    let command = json!({ "name": "hello", "response": "hi {user}" });
    channel.owner.post("/v1/bot-commands", command).await.expect(201);
    let live = workers(&app, &[Daemon::Ingest, Daemon::Outbox, Daemon::Housekeeping]).await;
    is_watched(&app).await;
    let mut client = SocketRequest::to(app.url()).bearer(channel.owner.token()).connect().await;
    client.subscribe(&format!("chat:{account}")).await;
    client.subscribe(&format!("events:{account}")).await;

    // No runtime runs yet, so triggers wait. An own line triggers nothing, also when Redis has lost that it is an own
    // line.
    for line in 0..10 {
        channel.say(&app, &format!("!hello {line}")).await;
    }
    deliver(&app, &twitch::Event::follow(&channel.streamer, &channel.viewer)).await;
    let emitted = json!({ "event_type": "custom:ping", "data": { "n": 1 } });
    channel.owner.post("/v1/events", emitted).await.expect(201);
    let own = twitch::Event::chat_message(&channel.streamer, &channel.streamer, "!hello own");
    is_own(&app, &channel, &own).await;
    deliver(&app, &own).await;
    eventually_none("all are handled", async || open_deliveries(&app).await).await;
    let waiting = jobs(&app, RunTriggers::QUEUE).await;
    assert_eq!(waiting, 12);
    redis.flush().await;
    assert_eq!(jobs(&app, RunTriggers::QUEUE).await, 0);
    eventually("what they trigger waits again", async || jobs(&app, RunTriggers::QUEUE).await == waiting)
        .await;

    let runtime = runtime(&app).await;
    let sent = || app.platforms.sent_messages(Platform::Twitch).len();
    eventually("every line is answered", async || sent() == 10).await;
    assert_eq!(redis.patterns().await, 0, "sharded channels of a cluster have none");
    eventually("nothing waits", async || jobs(&app, RunTriggers::QUEUE).await == 0).await;
    tokio::time::sleep(REPLAY_TIMEOUT).await;
    assert_eq!(sent(), 10, "each is answered once");
    let stored = messages(&app, account).await;
    let mut texts: Vec<&str> = stored.iter().filter_map(|row| row["text"].as_str()).collect();
    texts.sort_unstable();
    let own_line = (0..10).map(|line| format!("!hello {line}")).chain(["!hello own".to_owned()]);
    assert_eq!(texts, own_line.collect::<Vec<_>>());
    assert_eq!(stored_events(&app, account).await.len(), 2);
    let mut heard: Vec<Value> = Vec::new();
    while let Some(frame) = client.frame_within(Duration::from_millis(500)).await {
        heard.push(frame);
    }
    assert_eq!(heard.len(), 13, "each is told once: {heard:#?}");
    for running in [runtime, live] {
        running.stop().await.expect("the workers stop");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_flushed_repeatedly_loses_and_repeats_no_line() {
    const CHANNELS: usize = 3;
    const LINES: usize = 12;
    let redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let mut channels = Vec::new();
    for _ in 0..CHANNELS {
        let channel = Channel::open(&app).await;
        let command = json!({ "name": "hello", "response": "hi {user}" });
        channel.owner.post("/v1/bot-commands", command).await.expect(201);
        channels.push(channel);
    }
    let live = workers(&app, &[Daemon::Ingest, Daemon::Outbox, Daemon::Housekeeping]).await;
    let runtime = runtime(&app).await;
    is_watched(&app).await;
    let flushes = async {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(rand::random_range(500..1500))).await;
            redis.flush().await;
        }
    };
    let talking = async {
        for line in 0..LINES {
            for channel in &channels {
                channel.say(&app, &format!("!hello {line}")).await;
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    };
    tokio::join!(flushes, talking);
    let sent = || app.platforms.sent_messages(Platform::Twitch).len();
    eventually("every line is answered", async || sent() >= CHANNELS * LINES).await;
    tokio::time::sleep(REPLAY_TIMEOUT).await;
    assert_eq!(sent(), CHANNELS * LINES, "each is answered once");
    for channel in &channels {
        eventually("every line is stored", async || {
            messages(&app, channel.owner.account_id).await.len() == LINES
        })
        .await;
    }
    for running in [runtime, live] {
        running.stop().await.expect("the workers stop");
    }
    app.stop().await;
}
