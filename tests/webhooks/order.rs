//! Order of the deliveries of an endpoint (reference/webhooks.md#order).

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{
    receiver::Reply,
    stage::{Stage, deliver, deliverer, path},
};

#[tokio::test]
async fn order_is_kept_while_the_first_delivery_is_tried_again() {
    let mut stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Status(500));
    let mut events = vec![stage.emit("first").await];
    stage.deliver().await;
    stage.hold_back(id).await;
    for name in ["second", "third"] {
        stage.app.clock.advance(TimeDelta::milliseconds(10));
        events.push(stage.emit(name).await);
        stage.deliver().await;
    }
    assert_eq!(stage.receiver.events("/a"), events[..1], "later ones wait for the first");
    let listed = stage.deliveries(id).await;
    let waits: Vec<bool> = listed.iter().map(|delivery| delivery["next_attempt_at"] == Value::Null).collect();
    assert_eq!(waits, [true, true, false]);
    stage.receiver.reply("/a", Reply::Status(200));
    stage.advance(TimeDelta::hours(2)).await;
    stage.deliver().await;
    let received = stage.receiver.events("/a");
    assert_eq!(received[1..], events, "the first comes again, then the others");
    assert_eq!(stage.row(id).await["due_at"], Value::Null, "nothing is due");
    stage.stop().await;
}

/// Two copies and many events: each is received once and in its order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn order_is_kept_by_two_copies_that_send_nothing_twice() {
    let stage = Stage::new().await;
    stage.endpoint("/a", &["*"]).await;
    stage.endpoint("/b", &["*"]).await;
    let other = deliverer(&stage.app);
    let mut events = Vec::new();
    for number in 0..20 {
        stage.app.clock.advance(TimeDelta::milliseconds(1));
        events.push(stage.emit(&format!("n{number}")).await);
        if number % 7 == 0 {
            tokio::join!(deliver(&stage.deliverer), deliver(&other));
        }
    }
    tokio::join!(deliver(&stage.deliverer), deliver(&other));
    for path in ["/a", "/b"] {
        assert_eq!(stage.receiver.events(path), events, "{path}");
    }
    stage.stop().await;
}

/// A copy does not take an endpoint that another one has, until the lease has ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn order_has_one_sender_of_an_endpoint_until_its_lease_ends() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Held);
    stage.emit("a").await;
    let other = deliverer(&stage.app);
    let sending = tokio::spawn({
        let deliverer = stage.deliverer.clone();
        async move { deliverer.deliver_due().await }
    });
    let is_sent = async || stage.receiver.received("/a").len() == 1;
    lumio_tests::eventually("the request is sent", is_sent).await;
    assert_eq!(other.deliver_due().await.unwrap(), 0, "another copy has the lease");
    // The lease ends although its claim lives, and the same copy claims the endpoint again: the former claim writes
    // nothing of its outcome.
    let end = "UPDATE webhook_endpoints SET lease_until = now() - interval '1 second' WHERE id = $1";
    assert_eq!(stage.execute(end, id).await, 1);
    stage.receiver.reply("/a", Reply::Status(204));
    assert_eq!(stage.deliverer.deliver_due().await.unwrap(), 1);
    stage.receiver.release();
    assert_eq!(sending.await.unwrap().unwrap(), 1);
    let received = stage.receiver.received("/a");
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    let delivery = stage.deliveries(id).await[0].clone();
    assert_eq!((&delivery["attempts"], &delivery["last_status_code"]), (&json!(1), &json!(204)));
    stage.stop().await;
}

#[tokio::test]
async fn order_continues_when_a_disabled_endpoint_is_enabled() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Status(500));
    let first = stage.emit("first").await;
    stage.deliver().await;
    stage.hold_back(id).await;
    stage.owner.patch(&path(id), json!({ "is_enabled": false })).await.expect(200);
    stage.emit("missed").await;
    stage.receiver.reply("/a", Reply::Status(200));
    stage.deliver().await;
    assert_eq!(stage.receiver.received("/a").len(), 1, "nothing is sent while it is disabled");
    stage.owner.patch(&path(id), json!({ "is_enabled": true })).await.expect(200);
    let second = stage.emit("second").await;
    stage.deliver().await;
    assert_eq!(stage.receiver.events("/a"), [first.clone(), first, second]);
    stage.stop().await;
}
