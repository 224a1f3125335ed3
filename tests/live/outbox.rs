//! Jobs that follow a commit.

use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::{AsyncConnection, RunQueryDsl};
use foundation::{
    jobs::{HandleDelivery, Job},
    outbox,
};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use serde_json::json;
use shared::{id, schema::outbox::dsl};

use lumio_tests::world::{eventually, jobs, workers};

/// Number of rows that are in no queue yet.
async fn waiting(app: &TestApp) -> i64 {
    let waiting = dsl::outbox.filter(dsl::relayed_at.is_null()).count();
    waiting.get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn outbox_relays_a_job_once_its_transaction_has_committed() {
    let app = TestApp::start().await;
    // Two relays: each row is relayed by one of them.
    let running = [workers(&app, &[Daemon::Outbox]).await, workers(&app, &[Daemon::Outbox]).await];
    let mut db = app.databases.postgres.get().await.unwrap();
    let rolled_back: Result<(), shared::Error> = db
        .transaction(async |connection| {
            outbox::add(connection, &HandleDelivery { delivery_id: id::new() }, "rolled-back").await?;
            Err(shared::Error::Internal("changed my mind".into()))
        })
        .await;
    assert!(rolled_back.is_err());
    db.transaction(async |connection| {
        for index in 0..50 {
            let job = HandleDelivery { delivery_id: id::new() };
            outbox::add(connection, &job, &format!("committed-{index}")).await?;
        }
        Ok::<_, shared::Error>(())
    })
    .await
    .unwrap();
    drop(db);
    eventually("the queue has all", async || waiting(&app).await == 0).await;
    assert_eq!(jobs(&app, HandleDelivery::QUEUE).await, 50);
    for running in running {
        running.stop().await.unwrap();
    }
    app.stop().await;
}

#[tokio::test]
async fn outbox_keeps_rows_of_an_unknown_queue_without_blocking_others() {
    let app = TestApp::start().await;
    let mut db = app.databases.postgres.get().await.unwrap();
    let unknown = (0..300).map(|_| {
        let queue = dsl::queue.eq("of_a_newer_version");
        (dsl::id.eq(id::new()), queue, dsl::payload.eq(json!({})), dsl::idempotency_key.eq("k"))
    });
    insert_into(dsl::outbox).values(unknown.collect::<Vec<_>>()).execute(&mut *db).await.unwrap();
    outbox::add(&mut db, &HandleDelivery { delivery_id: id::new() }, "known").await.unwrap();
    drop(db);
    let running = workers(&app, &[Daemon::Outbox]).await;
    eventually("the known one is handed on", async || jobs(&app, HandleDelivery::QUEUE).await == 1).await;
    eventually("the others wait", async || waiting(&app).await == 300).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn outbox_sets_aside_jobs_that_the_queue_refuses() {
    let app = TestApp::start().await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for _ in 0..3 {
        outbox::add(&mut db, &HandleDelivery { delivery_id: id::new() }, &"k".repeat(10_000)).await.unwrap();
    }
    // PostgreSQL stores deeper values than a reader takes.
    let deep = format!(
        "INSERT INTO outbox (id, queue, payload, idempotency_key)
         VALUES (gen_random_uuid(), '{}', (repeat('[', 200) || repeat(']', 200))::jsonb, 'deep')",
        HandleDelivery::QUEUE
    );
    sql_query(deep).execute(&mut *db).await.unwrap();
    outbox::add(&mut db, &HandleDelivery { delivery_id: id::new() }, "good").await.unwrap();
    let running = workers(&app, &[Daemon::Outbox]).await;
    eventually("the good one is handed on", async || jobs(&app, HandleDelivery::QUEUE).await == 1).await;
    eventually("the others are left", async || waiting(&app).await == 4).await;
    let of = async |reason: &str| {
        let refused = dsl::outbox.filter(dsl::relayed_at.is_null()).filter(dsl::refusal.like(reason));
        refused.count().get_result::<i64>(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
    };
    assert_eq!((of("%idempotency key%").await, of("it cannot be read:%").await), (3, 1));
    drop(db);
    running.stop().await.unwrap();
    app.stop().await;
}
