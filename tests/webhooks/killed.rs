//! `kill -9` of the daemons that add deliveries and send them (reference/webhooks.md#delivery).

use std::time::Duration;

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use lumio_tests::{
    Program, TestApp, is_slow,
    world::{connect, count, eventually, eventually_none, open_deliveries},
};
use platforms_stand_in::{DeliveryOptions, Platform, twitch};

use super::stage::Stage;

/// Number of statements that wait for a lock on the table of deliveries.
async fn waiting(app: &TestApp) -> i64 {
    let locks = "pg_locks WHERE NOT granted AND relation = 'webhook_deliveries'::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    count(app, locks).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_sender_repeats_at_most_the_delivery_in_progress() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    let mut events = Vec::new();
    for name in ["first", "second", "third"] {
        events.push(stage.emit(name).await);
        // The processes have the clock of the machine.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    // Between answer and record: rows of deliveries can be read and not written.
    let mut lock = AsyncPgConnection::establish(&stage.app.database.url).await.expect("a connection");
    lock.batch_execute("BEGIN; LOCK TABLE webhook_deliveries IN SHARE ROW EXCLUSIVE MODE").await.unwrap();
    let start = || Program::start("lumio-worker", &["webhooks"], &stage.app.variables());
    let mut worker = start();
    eventually("the first is received", async || stage.receiver.received("/a").len() == 1).await;
    eventually("its record waits", async || waiting(&stage.app).await > 0).await;
    worker.kill();
    lock.batch_execute("ROLLBACK").await.unwrap();
    eventually("the server notices the death", async || waiting(&stage.app).await == 0).await;
    assert_eq!(count(&stage.app, "webhook_deliveries WHERE attempts > 0").await, 0);
    let end = "UPDATE webhook_endpoints SET lease_until = now() - interval '1 second' WHERE id = $1";
    assert_eq!(stage.execute(end, id).await, 1);

    let mut survivor = start();
    let left = async || count(&stage.app, "webhook_deliveries WHERE status = 'pending'").await;
    eventually_none("everything is delivered", left).await;
    let received = stage.receiver.received("/a");
    assert_eq!(stage.receiver.events("/a")[1..], events);
    assert_eq!(stage.receiver.events("/a").len(), 4);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_eq!(count(&stage.app, "webhook_deliveries WHERE attempts = 1 AND status = 'delivered'").await, 3);
    survivor.terminate();
    assert!(survivor.ended().await.success());
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_writers_of_events_lose_and_double_no_delivery() {
    let kills: usize = if is_slow() { 12 } else { 3 };
    let stage = Stage::new().await;
    let (app, account) = (&stage.app, stage.owner.account_id);
    let streamer = connect(app, account, Platform::Twitch, "streamer").await;
    stage.endpoint("/a", &["*", "chat:message"]).await;
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let secret = app.config().platforms.twitch_eventsub_secret.expect("a secret");
    let start = || Program::start("lumio-worker", &["ingest"], &app.variables());
    let mut expected = 0;
    for kill in 0..kills {
        let mut worker = start();
        for number in 0..4 {
            let viewer = app.platforms.create_user(Platform::Twitch, &format!("v{kill}x{number}")).0;
            for event in [
                twitch::Event::follow(&streamer, &viewer),
                twitch::Event::chat_message(&streamer, &viewer, "hello"),
            ] {
                let once = DeliveryOptions::default();
                let sent = app.platforms.deliver_twitch_to(&callback, secret.expose(), &event, &once).await;
                assert_eq!(sent.statuses(), [Some(200)]);
                expected += 1;
            }
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(200..1500))).await;
        worker.kill();
    }
    let mut survivor = start();
    let open = async || open_deliveries(app).await;
    eventually_none("everything is handled", open).await;
    eventually("every delivery is added", async || count(app, "webhook_deliveries").await >= expected).await;
    assert_eq!(count(app, "webhook_deliveries").await, expected);
    let events = "(SELECT DISTINCT event_id FROM webhook_deliveries) AS found";
    assert_eq!(count(app, events).await, expected);
    stage.deliver().await;
    assert_eq!(stage.receiver.received("/a").len(), usize::try_from(expected).unwrap());
    survivor.terminate();
    assert!(survivor.ended().await.success());
    stage.stop().await;
}
