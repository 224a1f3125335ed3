//! Deliveries that wait for a job, for workers or for the database of rows (reference/ingest.md#sweep).

use std::time::Duration;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use live_model::{ChatMessage, RowBuffer};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, kick};
use shared::{id, schema::webhook_inbox, secret::Secret};

use lumio_tests::world::{
    connect, eventually, eventually_none, jobs, messages, open_deliveries, published, rows, workers,
};

use super::{TRIGGERS, all_handled, deliver_kick, viewer};

#[tokio::test]
async fn ingest_handles_a_delivery_left_without_a_job_within_seconds() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest, Daemon::Housekeeping]).await;
    let line = kick::Event::chat_message(&streamer, &viewer(&app, Platform::Kick), "left behind");
    let now = app.clock.now();
    insert_into(webhook_inbox::table)
        .values((
            webhook_inbox::id.eq(id::new()),
            webhook_inbox::platform.eq("kick"),
            webhook_inbox::delivery_id.eq("01LEFTBEHIND"),
            webhook_inbox::event_type.eq(line.event_type),
            webhook_inbox::body.eq(&line.payload),
            webhook_inbox::sent_at.eq(now),
            webhook_inbox::received_at.eq(now),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    eventually_none("the delivery is handled", async || open_deliveries(&app).await).await;
    eventually("its row is written", async || rows(&app).await == 1).await;
    assert_eq!(messages(&app, owner.account_id).await[0]["text"], "left behind");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn ingest_handles_deliveries_that_waited_for_workers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let viewer = viewer(&app, Platform::Kick);
    for line in 0..20 {
        let line = kick::Event::chat_message(&streamer, &viewer, &format!("line {line}"));
        deliver_kick(&app, &line, &DeliveryOptions::default()).await;
    }
    assert_eq!(open_deliveries(&app).await, 20);
    // Two copies share the work; the one that stops early loses none of it.
    let (first, second) = (workers(&app, &[Daemon::Ingest]).await, workers(&app, &[Daemon::Ingest]).await);
    first.stop().await.unwrap();
    all_handled(&app, 20).await;
    eventually("all rows are written", async || rows(&app).await == 20).await;
    assert_eq!(published(&app, &format!("chat:{}", owner.account_id)).await.len(), 20);
    assert_eq!(jobs(&app, TRIGGERS).await, 20);
    second.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn ingest_publishes_lines_and_buffers_rows_while_timescaledb_is_away() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Kick, "streamer").await;
    let mut config = app.config();
    config.databases.timescaledb = Secret::new("postgres://nobody@127.0.0.1:1/none");
    config.databases.pool_timeout = Duration::from_millis(200);
    let cut_off = lumio_worker::start_with(config, app.clock.clone(), &[Daemon::Ingest]).await.unwrap();
    let line = kick::Event::chat_message(&streamer, &viewer(&app, Platform::Kick), "in the dark");
    deliver_kick(&app, &line, &DeliveryOptions::default()).await;
    all_handled(&app, 1).await;
    assert_eq!(published(&app, &format!("chat:{}", owner.account_id)).await.len(), 1);
    let buffer = RowBuffer::<ChatMessage>::new(app.state.redis.clone());
    assert_eq!((buffer.backlog().await.unwrap(), rows(&app).await), (1, 0));
    cut_off.stop().await.unwrap();

    let healthy = workers(&app, &[Daemon::Ingest]).await;
    eventually("the row is written after all", async || rows(&app).await == 1).await;
    eventually("nothing waits", async || buffer.backlog().await.unwrap() == 0).await;
    healthy.stop().await.unwrap();
    app.stop().await;
}
