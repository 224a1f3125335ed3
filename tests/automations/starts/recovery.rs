//! Starts beside a Redis that loses its data.

use super::*;
use lumio_tests::RedisServer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_survive_a_lost_redis_once_each() {
    let redis = RedisServer::start().await;
    let app = TestApp::builder().with("REDIS_URL", redis.url()).start().await;
    let stage = Stage::on(app, &[Daemon::Ingest, Daemon::Outbox, Daemon::Housekeeping]).await;
    is_watched(&stage.app).await;
    let (automation, _) = stage.automate("chat_command", json!({ "command": "hello" })).await;
    let (emitted, _) = stage.automate("event", json!({ "event_types": ["custom:ping"] })).await;
    let waiting = async || jobs(&stage.app, StartAutomations::QUEUE).await;
    for line in 0..3 {
        let line = format!("!hello {line}");
        deliver(&stage.app, &twitch::Event::chat_message(&stage.streamer, &stage.viewer, &line)).await;
    }
    let event = json!({ "event_type": "custom:ping", "data": {}, "is_test": false });
    stage.owner.post("/v1/events", event).await.expect(201);
    eventually("four starts wait", async || waiting().await == 4).await;
    redis.flush().await;
    assert_eq!(waiting().await, 0);
    eventually("they wait again", async || waiting().await == 4).await;
    let automations = workers_of(&stage.app, &[Daemon::Automations]).await;
    eventually("each line starts a run", async || stage.runs_of(automation).await == 3).await;
    eventually("the event starts a run", async || stage.runs_of(emitted).await == 1).await;
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(stage.runs().await.len(), 4, "each once");
    automations.stop().await.unwrap();
    stage.stop().await;
}

/// Waits until a checkpoint of Redis is written: data lost before that is not recovered.
async fn is_watched(app: &TestApp) {
    let keys = app.state.redis.key_of_each_server("checkpoint").await.expect("Redis answers");
    eventually("there is a checkpoint", async || {
        let mut redis = app.state.redis.get().await.expect("Redis answers");
        let known: usize =
            redis::cmd("EXISTS").arg(&keys).query_async(&mut *redis).await.expect("Redis answers");
        known == keys.len()
    })
    .await;
}
