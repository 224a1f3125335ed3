//! Events that arrive while a channel catches up with its log.

use std::time::Duration;

use foundation::events::{Channel, Event, MIN_KEPT_EVENTS};
use lumio_tests::{RedisServer, TestApp, on_cluster};
use serde_json::json;

use super::{number_of, publish, socket};

/// More than the queue of a socket.
const HELD: usize = 1500;

/// Waits until the hub has lost its subscription and is subscribed to a topic again.
async fn is_heard_again(app: &TestApp, topic: &str) {
    const LOST: &str = "lumio_websocket_redis_reconnects_total";
    for _ in 0..20_000 {
        let figures = app.state.metrics.render().unwrap();
        let was_lost = figures.lines().any(|line| line.starts_with(LOST) && line.ends_with(" 1"));
        let listeners: (String, usize) = redis::cmd("PUBSUB")
            .arg(if on_cluster() { "SHARDNUMSUB" } else { "NUMSUB" })
            .arg(topic)
            .query_async(&mut *app.state.redis.get().await.unwrap())
            .await
            .unwrap();
        if was_lost && listeners.1 > 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("the hub never listens again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_events_beyond_the_queue_of_a_socket_all_arrive_in_order() {
    let redis = RedisServer::start().await;
    let app = TestApp::builder().with("REDIS_URL", redis.url()).start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let topic = app.state.events.topic(&channel.to_string());
    let mut client = socket(&app, &owner).await;
    client.subscribe(&channel.to_string()).await;
    publish(&app, channel, 0).await;
    assert_eq!(number_of(&client.frame().await), 0);

    // A gap of nearly as many events as the log holds: catching up with it takes a while.
    let mut gap = redis::pipe();
    for n in 1..MIN_KEPT_EVENTS - 10 {
        let event = Event::new(channel, "test:event", json!({ "n": n }), app.clock.now());
        gap.cmd("XADD")
            .arg(app.state.redis.key(format_args!("log:{channel}")))
            .arg("*")
            .arg("id")
            .arg(event.id.to_string())
            .arg("m")
            .arg(serde_json::to_string(&event).unwrap())
            .ignore();
    }
    // Events that workers publish without the log are held meanwhile: they have no position to order them by
    // (reference/realtime.md#event-log).
    let mut held = redis::pipe();
    for n in MIN_KEPT_EVENTS - 10..MIN_KEPT_EVENTS - 10 + HELD {
        let bare = json!({ "event_type": "test:event", "data": { "n": n } });
        held.cmd(app.state.redis.publish_command()).arg(&topic).arg(bare.to_string()).ignore();
    }
    gap.query_async::<()>(&mut *app.state.redis.get().await.unwrap()).await.unwrap();
    redis.cut_subscribers().await;
    is_heard_again(&app, &topic).await;
    held.query_async::<()>(&mut *app.state.redis.get().await.unwrap()).await.unwrap();

    for n in 1..MIN_KEPT_EVENTS - 10 + HELD {
        assert_eq!(number_of(&client.frame().await), n, "nothing is lost, repeated or out of order");
    }
    client.is_quiet().await;
}
