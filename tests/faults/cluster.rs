//! A master of a Redis Cluster is lost under load. `scripts/drill cluster` measures how long lines wait meanwhile.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use foundation::jobs::{HandleDelivery, Job};
use lumio_tests::{RedisCluster, SocketRequest, TestApp};
use lumio_worker::Daemon;
use platforms_stand_in::Platform;
use serde_json::json;

use super::{
    Channel, eventually,
    redis::{REPLAY_TIMEOUT, is_watched, runtime},
};
use lumio_tests::world::{messages, workers};

const CHANNELS: usize = 6;
const LINES: usize = 60;

/// Key of the queue that every line passes through; its master is the one that hurts most.
fn busiest_key(app: &TestApp) -> String {
    format!("{{{}:{}}}:s", app.state.config.redis.prefix, HandleDelivery::QUEUE)
}

async fn channels(app: &TestApp) -> Vec<Channel> {
    let mut channels = Vec::new();
    for _ in 0..CHANNELS {
        let channel = Channel::open(app).await;
        let command = json!({ "name": "hello", "response": "hi {user}" });
        channel.owner.post("/v1/bot-commands", command).await.expect(201);
        channels.push(channel);
    }
    channels
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cluster_without_a_master_loses_and_repeats_no_line() {
    loses_and_repeats_no_line(RedisCluster::kill_master).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cluster_with_a_silent_master_loses_and_repeats_no_line() {
    loses_and_repeats_no_line(|cluster, master| cluster.freeze_master(master)).await;
}

async fn loses_and_repeats_no_line(lose_master: impl FnOnce(&mut RedisCluster, usize)) {
    let mut cluster = RedisCluster::start().await;
    let app = TestApp::builder().with("REDIS_URL", cluster.url()).start().await;
    let channels = channels(&app).await;
    let live = workers(&app, &[Daemon::Ingest, Daemon::Outbox, Daemon::Housekeeping]).await;
    let runtime = runtime(&app).await;
    is_watched(&app).await;
    let first = &channels[0];
    let mut socket = SocketRequest::to(app.url()).bearer(first.owner.token()).connect().await;
    socket.subscribe(&format!("chat:{}", first.owner.account_id)).await;
    let sent = || app.platforms.sent_messages(Platform::Twitch).len();

    let talking = async {
        for line in 0..LINES {
            for channel in &channels {
                channel.say(&app, &format!("!hello {line}")).await;
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    };
    let failover = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        let master = cluster.master_of(&busiest_key(&app)).await;
        lose_master(&mut cluster, master);
        Instant::now()
    };
    let ((), lost_at) = tokio::join!(talking, failover);

    let accepted = CHANNELS * LINES;
    eventually("every accepted line is answered", async || sent() >= accepted).await;
    eprintln!("every line was answered {:?} after the loss", lost_at.elapsed());
    for channel in &channels {
        eventually("every accepted line is stored", async || {
            messages(&app, channel.owner.account_id).await.len() == LINES
        })
        .await;
    }
    tokio::time::sleep(REPLAY_TIMEOUT).await;
    assert_eq!(sent(), accepted, "each is answered once");
    // An event that the lost master did not replicate may arrive twice, with one id.
    let mut heard = BTreeSet::new();
    while let Some(frame) = socket.frame_within(Duration::from_millis(500)).await {
        heard.extend(frame["data"]["text"].as_str().map(str::to_owned));
    }
    let expected: BTreeSet<String> = (0..LINES).map(|line| format!("!hello {line}")).collect();
    assert_eq!(heard, expected, "the socket misses none");
    for running in [runtime, live] {
        running.stop().await.expect("the workers stop");
    }
    app.stop().await;
}
