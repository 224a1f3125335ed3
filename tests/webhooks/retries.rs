//! Retries over three days, and endpoints that the service disables (reference/webhooks.md#retries).

use chrono::{DateTime, TimeDelta, Utc};
use lumio_tests::{eventually, world::count};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    receiver::Reply,
    stage::{Stage, path},
};

#[track_caller]
fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().expect("a time").parse().expect("a time")
}

impl Stage {
    /// Advances to the time at which an endpoint is due, and sends; returns false when it is due no more.
    async fn retry(&mut self, endpoint: Uuid) -> bool {
        let due_at = self.row(endpoint).await["due_at"].clone();
        if due_at.is_null() {
            return false;
        }
        let wait = time(&due_at) - self.app.clock.now();
        self.advance(wait.max(TimeDelta::zero()) + TimeDelta::milliseconds(1)).await;
        self.deliverer.deliver_due().await.unwrap();
        true
    }
}

#[tokio::test]
async fn retries_end_after_three_days() {
    let mut stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Status(503));
    stage.emit("a").await;
    let begin = stage.app.clock.now();
    let mut delays = Vec::new();
    while stage.retry(id).await {
        assert!(delays.len() < 100, "{delays:?}");
        let delivery = stage.deliveries(id).await[0].clone();
        assert_eq!(
            (&delivery["last_status_code"], &delivery["last_error"]),
            (&json!(503), &json!("HTTP status 503"))
        );
        if delivery["status"] == "pending" {
            delays.push(time(&delivery["next_attempt_at"]) - time(&delivery["last_attempt_at"]));
        }
    }
    let delivery = stage.deliveries(id).await[0].clone();
    let attempts = stage.receiver.received("/a").len();
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("failed"), &json!(attempts)));
    assert_eq!(delivery["next_attempt_at"], Value::Null);
    // The delay doubles from 5 s to 4 h, and is shortened by up to one half.
    for (number, delay) in delays.iter().enumerate() {
        let max_delay = TimeDelta::seconds((5 << number.min(20)).min(14_400));
        assert!((max_delay / 2..=max_delay).contains(delay), "{number}: {delay}");
    }
    let took = time(&delivery["last_attempt_at"]) - begin;
    assert!((TimeDelta::hours(67)..TimeDelta::days(3)).contains(&took), "{took}");
    let ids: std::collections::BTreeSet<String> =
        stage.receiver.received("/a").iter().map(|request| request.header("webhook-id").to_owned()).collect();
    assert_eq!(ids.len(), 1);

    // The next event is not tried before the endpoint is, and its success ends the failures.
    let next = stage.emit("b").await;
    stage.receiver.reply("/a", Reply::Status(200));
    assert!(stage.retry(id).await);
    assert_eq!(stage.receiver.events("/a").last(), Some(&next));
    let row = stage.row(id).await;
    assert_eq!(
        (&row["failure_count"], &row["failing_since"], &row["retry_at"]),
        (&json!(0), &json!(null), &json!(null))
    );
    stage.stop().await;
}

#[tokio::test]
async fn retries_fail_deliveries_that_never_had_an_attempt() {
    let mut stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.emit("a").await;
    stage.owner.patch(&path(id), json!({ "is_enabled": false })).await.expect(200);
    stage.advance(TimeDelta::days(3) - TimeDelta::minutes(1)).await;
    stage.deliverer.sweep().await.unwrap();
    assert_eq!(stage.deliveries(id).await[0]["status"], "pending");
    stage.advance(TimeDelta::minutes(1)).await;
    stage.deliverer.sweep().await.unwrap();
    let delivery = stage.deliveries(id).await[0].clone();
    assert_eq!(
        (&delivery["status"], &delivery["last_error"], &delivery["attempts"]),
        (&json!("failed"), &json!("Not sent within three days"), &json!(0))
    );
    stage.owner.patch(&path(id), json!({ "is_enabled": true })).await.expect(200);
    stage.deliver().await;
    assert_eq!(stage.receiver.received("/a").len(), 0);
    stage.stop().await;
}

#[tokio::test]
async fn retries_of_five_days_disable_the_endpoint_with_a_notification() {
    let mut stage = Stage::new().await;
    let editor = stage.app.member_with(stage.owner.account_id, &["settings:edit"]).await;
    let reader = stage.app.member_with(stage.owner.account_id, &["settings:read"]).await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Status(500));
    let begin = stage.app.clock.now();
    let mut day = 0;
    while stage.shown(id).await["is_enabled"] == true {
        assert!(day < 8, "it is never disabled");
        if stage.app.clock.now() - begin >= TimeDelta::days(day) {
            stage.emit("a").await;
            day += 1;
        }
        assert!(stage.retry(id).await);
    }
    let shown = stage.shown(id).await;
    assert_eq!(shown["disabled_reason"], "failing");
    let failing = stage.app.clock.now() - time(&shown["failing_since"]);
    assert!((TimeDelta::days(5)..TimeDelta::days(5) + TimeDelta::hours(5)).contains(&failing), "{failing}");
    let entry = stage.app.audited_once("webhook_endpoint:disabled").await;
    assert_eq!(entry.metadata, json!({ "host": "127.0.0.1", "reason": "failing" }));
    assert_eq!((entry.account_id, entry.actor_id), (Some(stage.owner.account_id), None));
    for (person, notices) in [(&stage.owner, 1), (&editor, 1), (&reader, 0)] {
        let of = format!(
            "notifications WHERE user_id = '{}' AND notification_type = 'webhook_disabled'",
            person.user_id
        );
        assert_eq!(count(&stage.app, &of).await, notices);
    }
    let listed = stage.owner.get("/v1/notifications").await;
    let notice = listed.expect(200)["data"]["items"][0].clone();
    assert_eq!(notice["title"], "Webhook of Test account disabled");
    assert_eq!(notice["data"]["endpointId"], json!(id));

    // It gets nothing until it is enabled, and then begins without failures.
    let sent = stage.receiver.received("/a").len();
    stage.emit("missed").await;
    stage.deliver().await;
    assert_eq!(stage.receiver.received("/a").len(), sent);
    let enabled = stage.owner.patch(&path(id), json!({ "is_enabled": true })).await.data().clone();
    assert_eq!((&enabled["disabled_reason"], &enabled["failing_since"]), (&Value::Null, &Value::Null));
    stage.stop().await;
}

#[tokio::test]
async fn retries_of_an_endpoint_with_few_events_do_not_disable_it() {
    let mut stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Status(500));
    for _ in 0..2 {
        stage.emit("a").await;
        while stage.retry(id).await {}
        // No attempt for more than a day.
        stage.advance(TimeDelta::days(4)).await;
    }
    let shown = stage.shown(id).await;
    assert_eq!((&shown["is_enabled"], &shown["disabled_reason"]), (&json!(true), &Value::Null));
    stage.stop().await;
}

#[tokio::test]
async fn retries_end_when_the_receiver_is_gone() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Status(410));
    stage.emit("a").await;
    stage.app.clock.advance(TimeDelta::milliseconds(10));
    stage.emit("b").await;
    stage.deliver().await;
    assert_eq!(stage.receiver.received("/a").len(), 1);
    let shown = stage.shown(id).await;
    assert_eq!((&shown["is_enabled"], &shown["disabled_reason"]), (&json!(false), &json!("gone")));
    let statuses: Vec<Value> =
        stage.deliveries(id).await.iter().map(|delivery| delivery["status"].clone()).collect();
    assert_eq!(statuses, ["pending", "failed"]);
    let entry = stage.app.audited_once("webhook_endpoint:disabled").await;
    assert_eq!(entry.metadata["reason"], "gone");
    stage.stop().await;
}

#[tokio::test]
async fn retries_of_a_former_address_change_nothing_of_the_endpoint() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/old", &["*"]).await;
    stage.receiver.reply("/old", Reply::Late(410, String::new()));
    let event = stage.emit("a").await;
    let deliverer = stage.deliverer.clone();
    let sending = tokio::spawn(async move { deliverer.deliver_due().await });
    eventually("the request is sent", async || stage.receiver.received("/old").len() == 1).await;
    stage.owner.patch(&path(id), json!({ "url": stage.receiver.url("/new") })).await.expect(200);
    stage.receiver.release();
    assert_eq!(sending.await.unwrap().unwrap(), 1);
    assert_eq!(stage.receiver.events("/new"), [event]);
    let delivery = stage.deliveries(id).await[0].clone();
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("delivered"), &json!(2)));
    let shown = stage.shown(id).await;
    assert_eq!((&shown["is_enabled"], &shown["failing_since"]), (&json!(true), &Value::Null));
    stage.stop().await;
}
