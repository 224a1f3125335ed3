//! Way of the counts from a process to the hours (reference/usage.md#counting).

use std::{collections::BTreeMap, time::Duration};

use chrono::TimeDelta;
use foundation::{redis::Redis, telemetry::Metrics};
use lumio_tests::{Network, TestApp, Weather, eventually, redis_server_url, world::count};
use shared::{config::Environment, secret::Secret};
use usage_model::{Actor, Consumer, Counter, Meter, batches};
use uuid::Uuid;

use super::stage::{Stage, Sums, install, recount};

/// Shards of the counts.
const SHARDS: [u8; 4] = [0, 1, 2, 3];

/// Hash and id of the waiting counts of every shard that has some.
pub(super) async fn waiting(app: &TestApp) -> Vec<(u8, String, BTreeMap<String, i64>)> {
    let redis = &app.state.redis;
    let mut found = Vec::new();
    for shard in SHARDS {
        let (id, open): (Option<String>, BTreeMap<String, i64>) = redis::pipe()
            .get(redis.key(format_args!("usage:{shard}:open_id")))
            .hgetall(redis.key(format_args!("usage:{shard}:open")))
            .query_async(&mut *redis.get().await.unwrap())
            .await
            .unwrap();
        found.extend(id.map(|id| (shard, id, open)));
    }
    found
}

/// Offers counts as a batch, as a daemon that was killed before the removal leaves them.
async fn offer(app: &TestApp, batches: &[(u8, String, BTreeMap<String, i64>)]) {
    let redis = &app.state.redis;
    for (shard, id, counts) in batches {
        let fields: Vec<(&String, &i64)> = counts.iter().collect();
        redis::pipe()
            .set(redis.key(format_args!("usage:{shard}:batch_id")), id)
            .hset_multiple(redis.key(format_args!("usage:{shard}:batch")), &fields)
            .query_async::<()>(&mut *redis.get().await.unwrap())
            .await
            .unwrap();
    }
}

pub(super) async fn drain(stage: &Stage) -> batches::Drained {
    let (redis, now) = (&stage.app.state.redis, stage.app.clock.now());
    batches::drain(redis, &mut stage.app.databases.postgres.get().await.unwrap(), now).await.expect("a drain")
}

#[tokio::test]
async fn drain_adds_a_batch_once_however_often_it_is_offered() {
    let stage = Stage::new().await;
    let (account, extension) = (stage.owner.account_id, Uuid::now_v7());
    let consumer = Consumer::extension(account, extension);
    stage.count(consumer, Counter::Fetches, 3).await;
    stage.count(consumer, Counter::HandlerUs, 40).await;
    stage.count(Consumer::account(account), Counter::Messages, 2).await;
    let batch = waiting(&stage.app).await;
    assert_eq!(batch.len(), 1, "one thread has one shard");
    let drained = drain(&stage).await;
    assert_eq!((drained.added, drained.repeated, drained.entries), (1, 0, 2));
    assert!(drain(&stage).await.is_empty());
    let expected = Sums { fetches: 3, handler_us: 40, messages: 2, ..Sums::default() };
    let extension_sums = Sums { messages: 0, ..expected };
    let check = async || {
        assert_eq!(stage.sums(account, "account", account).await, expected);
        assert_eq!(stage.sums(account, "extension", extension).await, extension_sums);
        assert_eq!(recount(&stage.app).await, (expected, expected));
    };
    check().await;

    // A daemon that dies after the commit, two daemons with one batch, a Redis that has lost its last writes.
    offer(&stage.app, &batch).await;
    let (first, second) = tokio::join!(drain(&stage), drain(&stage));
    assert_eq!((first.added + second.added, first.repeated + second.repeated >= 1), (0, true));
    check().await;
    // Two daemons that find a new batch at the same time.
    stage.count(consumer, Counter::Fetches, 1).await;
    let (first, second) = tokio::join!(drain(&stage), drain(&stage));
    assert_eq!(first.added + second.added, 1);
    assert_eq!(stage.sums(account, "extension", extension).await.fetches, 4);
    assert_eq!(waiting(&stage.app).await.len(), 0);
    stage.stop().await;
}

#[tokio::test]
async fn drain_drops_what_is_of_no_account_and_of_no_install() {
    let stage = Stage::new().await;
    let (account, gone) = (stage.owner.account_id, Uuid::now_v7());
    let installed = install(&stage.app, account, &serde_json::json!({}), &serde_json::json!({}), "").await;
    let stranger = stage.app.owner().await.account_id;
    for consumer in [
        Consumer::install(account, installed.id),
        // The install of another account, and one that is gone: only the account is counted.
        Consumer::install(stranger, installed.id),
        Consumer::install(account, gone),
        // A dissolved account.
        Consumer { account_id: gone, actor: Actor::Key(gone) },
    ] {
        stage.count(consumer, Counter::Messages, 1).await;
    }
    stage.settle().await;
    let messages =
        async |account: Uuid, kind: &str, subject: Uuid| stage.sums(account, kind, subject).await.messages;
    assert_eq!(messages(account, "account", account).await, 2);
    assert_eq!(messages(account, "extension", installed.extension_id).await, 1);
    assert_eq!(messages(stranger, "account", stranger).await, 1);
    assert_eq!(count(&stage.app, "usage_hours WHERE subject_kind <> 'account'").await, 1);
    let (hours, batches) = recount(&stage.app).await;
    assert_eq!((hours.messages, batches.messages), (3, 4));
    stage.stop().await;
}

#[tokio::test]
async fn counting_keeps_the_hour_of_a_count_that_is_stored_later() {
    let mut stage = Stage::new().await;
    let consumer = Consumer::account(stage.owner.account_id);
    stage.count(consumer, Counter::Messages, 1).await;
    stage.advance(TimeDelta::hours(1)).await;
    let message = stage.app.state.meter.count(consumer, Counter::Messages, 1);
    stage.advance(TimeDelta::hours(1)).await;
    stage.app.state.meter.take_back(&message).stored().await;
    stage.count(consumer, Counter::Messages, 5).await;
    stage.settle().await;
    let of = |messages: i64| format!("usage_hours WHERE subject_kind = 'account' AND messages = {messages}");
    assert_eq!(count(&stage.app, &of(1)).await, 1);
    assert_eq!(count(&stage.app, &of(5)).await, 1);
    assert_eq!(count(&stage.app, "usage_hours WHERE subject_kind = 'account' AND messages > 0").await, 2);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counting_makes_an_addition_whose_answer_is_lost_once() {
    // The server keeps its connection, and waits on a loaded machine.
    let builder = TestApp::builder().with("LUMIO_REDIS_POOL_TIMEOUT_MS", 20_000);
    let app = builder.with("REDIS_URL", redis_server_url()).start().await;
    let stage = Stage::of(app).await;
    let network = Network::to(&redis_server_url()).await;
    let mut config = stage.app.config().redis;
    config.url = Secret::new(network.url(config.url.expose()));
    let metrics = Metrics::new("t", Environment::Development).unwrap();
    let redis = Redis::new(&config).unwrap();
    let meter = Meter::new(redis, stage.app.clock.clone(), &metrics).unwrap();
    let count_messages =
        |number: i64| drop(meter.count(Consumer::account(stage.owner.account_id), Counter::Messages, number));
    let messages = async || {
        let shards = waiting(&stage.app).await;
        shards.iter().flat_map(|(_, _, counts)| counts.values()).sum::<i64>()
    };
    count_messages(1);
    eventually("the first addition is made", async || messages().await == 1).await;
    // The answer is as slow as the addition, and cut while it is on its way.
    network.set_weather(Weather::Slow(Duration::from_millis(1500)));
    count_messages(2);
    eventually("the second addition is made", async || messages().await == 3).await;
    network.set_weather(Weather::Cut);
    let has_failed = || {
        let rendered = metrics.render().expect("the metrics");
        let mut lines = rendered.lines();
        lines.any(|line| line.starts_with("lumio_usage_addition_failures_total") && !line.ends_with(" 0"))
    };
    eventually("its answer is lost", async || has_failed()).await;
    count_messages(4);
    network.set_weather(Weather::Fair);
    eventually("the third addition is made", async || messages().await >= 7).await;
    assert_eq!(messages().await, 7, "the second one is repeated and made once");
    stage.settle().await;
    let account = stage.owner.account_id;
    let expected = Sums { messages: 7, ..Sums::default() };
    assert_eq!(stage.sums(account, "account", account).await, expected);
    assert_eq!(recount(&stage.app).await, (expected, expected));
    stage.stop().await;
}
