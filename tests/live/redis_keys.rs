//! Redis keys of the chat path. Redis never evicts, so no key may grow with the lines unless it expires
//! (reference/storage.md#redis-keys).

use std::collections::BTreeMap;

use foundation::jobs::{HandleDelivery, Job, RunTriggers, settings};
use live_model::inbox::{self, Inbound};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{Platform, kick};

use lumio_tests::world::{connect, eventually, eventually_none, open_deliveries, rows, workers};

const LINES: usize = 1000;

/// Number of keys of each kind, and the longest time to live of one of them, in seconds; -1: no expiry.
async fn keys(app: &TestApp) -> BTreeMap<String, (usize, i64)> {
    let mut redis = app.state.redis.get().await.unwrap();
    let prefix = app.state.redis.prefix().to_owned();
    let mut kinds: BTreeMap<String, (usize, i64)> = BTreeMap::new();
    let mut cursor: u64 = 0;
    loop {
        let (next, keys): (u64, Vec<String>) = redis::cmd("SCAN")
            .arg(cursor)
            .arg("MATCH")
            .arg(format!("*{prefix}*"))
            .arg("COUNT")
            .arg(1000)
            .query_async(&mut *redis)
            .await
            .unwrap();
        for key in keys {
            let ttl: i64 = redis::cmd("TTL").arg(&key).query_async(&mut *redis).await.unwrap();
            let name = key.trim_start_matches('{').trim_start_matches(&prefix).trim_start_matches(':');
            let kind = match name.split_once("}:i:") {
                Some((queue, _)) => format!("key of {queue}"),
                None => name.split(':').next().unwrap_or_default().to_owned(),
            };
            let known = kinds.entry(kind).or_insert((0, 0));
            known.0 += 1;
            known.1 = if ttl == -1 || known.1 == -1 { -1 } else { known.1.max(ttl) };
        }
        cursor = next;
        if cursor == 0 {
            return kinds;
        }
    }
}

#[tokio::test]
async fn redis_keys_of_a_thousand_lines_are_those_of_their_triggers_and_expire() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let viewer = app.platforms.create_user(Platform::Kick, "viewer").0;
    let now = app.clock.now();
    let deliveries: Vec<Inbound> = (0..LINES)
        .map(|index| Inbound {
            platform: shared::platform::Platform::Kick,
            delivery_id: format!("delivery-{index}"),
            event_type: "chat.message.sent".to_owned(),
            body: kick::Event::chat_message(&channel, &viewer, &format!("line {index}")).payload,
            sent_at: now,
        })
        .collect();
    let mut db = app.databases.postgres.get().await.unwrap();
    let accepted = inbox::accept(&mut db, &deliveries, now).await.unwrap();
    drop(db);
    let jobs: Vec<(HandleDelivery, String)> =
        accepted.iter().map(|id| (HandleDelivery { delivery_id: *id }, id.to_string())).collect();
    assert_eq!(app.state.jobs.enqueue_each(&jobs).await.unwrap(), LINES);
    let running = workers(&app, &[Daemon::Ingest]).await;
    eventually_none("every line is handled", async || open_deliveries(&app).await).await;
    eventually_none("every line is written", async || LINES as i64 - rows(&app).await).await;
    // The last jobs are settled in a batch of their own.
    eventually("the jobs are settled", async || !keys(&app).await.contains_key("key of webhook_inbox")).await;
    let kinds = keys(&app).await;
    assert!(!kinds.contains_key("told"), "a line that says when it was said needs no note: {kinds:?}");
    let (triggers, longest) = kinds["key of extension_triggers"];
    let allowed = settings(RunTriggers::QUEUE).idempotency_ttl.as_secs();
    assert!(allowed <= 3600 && triggers == LINES && (1..=allowed as i64).contains(&longest), "{kinds:?}");
    let others: usize =
        kinds.iter().filter(|(kind, _)| *kind != "key of extension_triggers").map(|(_, kind)| kind.0).sum();
    assert!(others < 40, "{kinds:?}");
    running.stop().await.unwrap();
    app.stop().await;
}
