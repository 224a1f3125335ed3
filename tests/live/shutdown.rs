//! A terminated worker ends within the drain, and others finish its work (reference/jobs.md#drain).

use std::time::{Duration, Instant};

use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use foundation::jobs::{HandleDelivery, Job};
use lumio_tests::{Program, TestApp};
use lumio_worker::{DRAIN_TIMEOUT, Daemon};
use platforms_stand_in::{DeliveryOptions, Platform, kick};

use lumio_tests::world::{connect, eventually, eventually_none, messages, open_deliveries, workers};

const LINES: usize = 20;

#[derive(QueryableByName)]
struct Waiting {
    #[diesel(sql_type = BigInt)]
    waiting: i64,
}

/// Number of statements that wait for a lock.
async fn waiting(app: &TestApp) -> i64 {
    let sql = "SELECT count(*) AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).get_result::<Waiting>(&mut *db).await.unwrap().waiting
}

async fn queue_stats(app: &TestApp) -> queue::Stats {
    let config = &app.state.config.redis;
    let queues = queue::Connection::open(config.url.expose(), &config.prefix).unwrap();
    queues.stats(HandleDelivery::QUEUE).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_amid_jobs_ends_in_time_and_returns_them_to_the_queue() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let (viewer, _token) = app.platforms.create_user(Platform::Kick, "viewer");
    let callback = format!("{}/v1/webhooks/kick", app.url());
    for line in 0..LINES {
        let line = kick::Event::chat_message(&streamer, &viewer, &format!("line {line}"));
        app.platforms.deliver_kick_to(&callback, &line, &DeliveryOptions::default()).await;
    }
    assert_eq!(open_deliveries(&app).await, LINES as i64);
    // Queries of the channel wait for as long as this lock is held.
    let mut holder = AsyncPgConnection::establish(&app.database.url).await.unwrap();
    holder.batch_execute("BEGIN; LOCK TABLE channel_connections IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let mut worker = Program::start("lumio-worker", &["ingest"], &app.variables());
    eventually("it is amid jobs", async || waiting(&app).await > 0).await;
    let published = Instant::now();
    worker.terminate();
    let status = worker.ended().await;
    assert!(status.success(), "it ends in good order: {status}");
    assert!(published.elapsed() < DRAIN_TIMEOUT, "{:?}", published.elapsed());
    let stats = queue_stats(&app).await;
    assert_eq!((stats.running, stats.dead), (0, 0), "nothing waits for a lease to run out");
    assert_eq!(stats.ready + stats.delayed, LINES as u64);
    holder.batch_execute("ROLLBACK").await.unwrap();

    let running = workers(&app, &[Daemon::Ingest]).await;
    eventually_none("all are handled", async || open_deliveries(&app).await).await;
    eventually("each line is stored once", async || messages(&app, owner.account_id).await.len() == LINES)
        .await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(messages(&app, owner.account_id).await.len(), LINES);
    running.stop().await.unwrap();
    app.stop().await;
}
