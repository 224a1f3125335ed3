//! The database of rows over time away: the rest of the API is served, rows wait within a bound, and what is beyond it
//! is shed and counted.

use std::time::Duration;

use foundation::redis::Redis;
use live_model::{ChatMessage, MAX_BACKLOG_ROWS, RowBuffer};
use lumio_tests::{PostgresServer, TestApp};
use lumio_worker::{Daemon, Running};
use platform_daemons::ingest::WRITERS;
use redis::{AsyncCommands, streams::StreamPendingReply};

use super::{Channel, eventually, eventually_none, health, is_database_error};
use lumio_tests::world::{messages, open_deliveries, published, workers};

async fn app_beside(timeseries: &PostgresServer) -> TestApp {
    TestApp::builder()
        .with("LUMIO_TIMESCALEDB_URL", timeseries.url())
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
        .start()
        .await
}

/// Number of chat rows with this outcome.
async fn counted(app: &TestApp, worker: &Running, outcome: &str) -> u64 {
    let metrics = app.anonymous().at(format!("http://{}", worker.metrics_address)).get("/metrics").await;
    let parts = ["lumio_ingest_rows_total", r#"table="chat_messages""#, &format!(r#"outcome="{outcome}""#)];
    let line = metrics.text.lines().find(|line| parts.iter().all(|part| line.contains(part)));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_default()
}

/// Number of writers that hold rows of a stream.
async fn holders(redis: &Redis, stream: &str) -> usize {
    let mut connection = redis.get().await.expect("Redis answers");
    let reply: StreamPendingReply = connection.xpending(stream, "writers").await.expect("the writers' group");
    if let StreamPendingReply::Data(pending) = reply { pending.consumers.len() } else { 0 }
}

/// Fills the stream of waiting rows beyond its bound with entries that are no rows.
async fn fill(redis: &Redis, stream: &str) {
    const STEP: usize = 10_000;
    let mut connection = redis.get().await.expect("Redis answers");
    for _ in 0..(MAX_BACKLOG_ROWS / STEP + 2) {
        let mut pipeline = redis::pipe();
        for _ in 0..STEP {
            pipeline.cmd("XADD").arg(stream).arg("*").arg("filler").arg(1).ignore();
        }
        pipeline.query_async::<()>(&mut *connection).await.expect("Redis takes them");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timeseries_database_away_leaves_the_rest_served_and_bounds_waiting_rows() {
    let mut timeseries = PostgresServer::start().await;
    let app = app_beside(&timeseries).await;
    let channel = Channel::open(&app).await;
    let (owner, account) = (&channel.owner, channel.owner.account_id);
    let worker = workers(&app, &[Daemon::Ingest]).await;
    channel.say(&app, "before").await;
    eventually("it is stored", async || messages(&app, account).await.len() == 1).await;

    timeseries.kill();
    eventually("health tells", async || {
        health(&app, "timescaledb").await == ("degraded".into(), "unhealthy".into())
    })
    .await;
    // Data of the primary database is read and written as before.
    assert_eq!(health(&app, "postgres").await.1, "healthy");
    owner.get("/v1/accounts").await.expect(200);
    let role = serde_json::json!({ "name": "Meanwhile", "permissions": ["chat:read"] });
    owner.post("/v1/roles", role).await.expect(201);
    is_database_error(&owner.get("/v1/chat/messages").await);
    // Deliveries are accepted and published; their rows wait. A writer takes others until it has some that it cannot
    // write.
    let buffer = RowBuffer::<ChatMessage>::new(app.state.redis.clone());
    let mut waiting = 0;
    while waiting < 10 || holders(&app.state.redis, &buffer.stream()).await < WRITERS {
        assert!(waiting < 100, "some writer never holds a row");
        assert_eq!(channel.say(&app, &format!("meanwhile {waiting}")).await, 1, "accepted at once");
        waiting += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let chat = format!("chat:{account}");
    eventually("they are told", async || published(&app, &chat).await.len() == 1 + waiting).await;
    eventually_none("they are handled", async || open_deliveries(&app).await).await;
    assert_eq!(buffer.backlog().await.unwrap(), waiting as u64);

    // Beyond the bound new rows are shed without another effect.
    fill(&app.state.redis, &buffer.stream()).await;
    assert_eq!(counted(&app, &worker, "shed").await, 0);
    channel.say(&app, "too much").await;
    eventually("it is shed", async || counted(&app, &worker, "shed").await == 1).await;
    eventually("it is told", async || published(&app, &chat).await.len() == 2 + waiting).await;

    timeseries.restart().await;
    eventually("what waited is stored", async || messages(&app, account).await.len() == 1 + waiting).await;
    eventually("nothing waits", async || buffer.backlog().await.unwrap() == 0).await;
    channel.say(&app, "after").await;
    eventually("it is stored", async || messages(&app, account).await.len() == 2 + waiting).await;
    let texts = messages(&app, account).await;
    assert!(texts.iter().all(|row| row["text"] != "too much"));
    eventually("health tells", async || health(&app, "timescaledb").await.0 == "healthy").await;
    worker.stop().await.unwrap();
    app.stop().await;
}
