//! Redis loses all that it holds while work waits in it.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{RedisServer, SocketRequest, TestApp};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{Platform, twitch};
use serde_json::{Value, json};
use shared::{
    db::schema::outbox,
    ingest::{Line, OwnMessages},
    jobs::{Job, RunTriggers, SendMail},
    secret::Secret,
};

use super::{Channel, deliver, eventually, eventually_none};
use crate::{
    community::mail::{files, folder, invite},
    live::world::{jobs, messages, open_deliveries, stored_events, workers},
    refresh::world::count,
};

/// Longer than it takes until what waited has come again twice.
const COME_TWICE: Duration = Duration::from_secs(22);

async fn app_on(redis: &RedisServer) -> TestApp {
    TestApp::builder().with("REDIS_URL", redis.url()).start().await
}

/// The runtime, which asks the server for what handlers want.
async fn runtime(app: &TestApp) -> Running {
    let mut config = app.config();
    config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
    let engine = sandbox::EngineConfig::default_dir().expect("LUMIO_ENGINE_DIR or a target folder");
    engine.to_str().expect("a readable path").clone_into(&mut config.workers.engine_dir);
    lumio_worker::start_with(config, app.clock.clone(), &[Daemon::ExtensionRuntime])
        .await
        .expect("the runtime starts")
}

/// Waits until it is written down what Redis holds: what it loses before that nobody misses.
async fn is_watched(app: &TestApp) {
    let key = app.state.redis.key("checkpoint");
    eventually("there is a checkpoint", async || {
        let mut redis = app.state.redis.get().await.expect("Redis answers");
        redis::cmd("EXISTS").arg(&key).query_async(&mut *redis).await.expect("Redis answers")
    })
    .await;
}

/// Has a line of the streamer be one that was sent by us.
async fn is_own(app: &TestApp, channel: &Channel, line: &twitch::Event) {
    let streamer = Some(channel.streamer.id.as_str());
    let text = line.event["message"]["text"].as_str().expect("a text");
    let said = Line { platform: "twitch", channel_id: &channel.streamer.id, sender_id: streamer, text };
    let own = OwnMessages::new(app.state.redis.clone());
    own.sending(&said).await.expect("Redis answers");
    let message_id = line.event["message_id"].as_str().expect("an id");
    own.sent(&said, message_id).await.expect("Redis answers");
}

/// Rows of the outbox, whether a queue has them or not.
async fn kept(app: &TestApp) -> i64 {
    let mut connection = app.state.databases.postgres.get().await.expect("a connection");
    outbox::table.count().get_result(&mut *connection).await.expect("a count")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_that_redis_lost_run_and_those_that_ran_do_not_run_again() {
    let redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let outbox = workers(&app, &[Daemon::Outbox]).await;
    is_watched(&app).await;
    for guest in ["a@example.com", "b@example.com", "c@example.com"] {
        invite(&app, guest, "Night shift").await;
    }
    let queued = async || jobs(&app, SendMail::QUEUE).await == 3;
    eventually("the queue has them", queued).await;
    // Longer than what has ended is kept.
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
    tokio::time::sleep(COME_TWICE).await;
    assert_eq!((files(&folder(&app)).len(), jobs(&app, SendMail::QUEUE).await), (3, 0));
    mail.stop().await.expect("the mail daemon stops");
    outbox.stop().await.expect("the relay stops");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handled_lines_and_events_that_redis_lost_are_stored_and_answered_once() {
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

    // No runtime runs yet: what they trigger waits. An own line triggers nothing, also when nobody knows any more that it
    // is one.
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
    tokio::time::sleep(COME_TWICE).await;
    assert_eq!(sent(), 10, "each is answered once");
    let stored = messages(&app, account).await;
    let mut texts: Vec<&str> = stored.iter().filter_map(|row| row["text"].as_str()).collect();
    texts.sort_unstable();
    let said = (0..10).map(|line| format!("!hello {line}")).chain(["!hello own".to_owned()]);
    assert_eq!(texts, said.collect::<Vec<_>>());
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
async fn flushed_again_and_again_nothing_said_is_lost_or_answered_twice() {
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
    tokio::time::sleep(COME_TWICE).await;
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
