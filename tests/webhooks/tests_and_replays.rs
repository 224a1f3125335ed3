//! Tests and replays (reference/webhooks.md#tests-and-replays).

use chrono::TimeDelta;
use lumio_tests::both_refused;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    receiver::Reply,
    stage::{DELIVERY, Stage, graphql, id_of, path},
};

fn test_path(endpoint: Uuid) -> String {
    format!("{}/test", path(endpoint))
}

fn replay_path(endpoint: Uuid, delivery: Uuid) -> String {
    format!("{}/deliveries/{delivery}/replay", path(endpoint))
}

#[tokio::test]
async fn test_webhook_endpoint_sends_a_test_before_everything_else() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.receiver.reply("/a", Reply::Status(500));
    stage.emit("waits").await;
    stage.deliver().await;
    stage.hold_back(id).await;
    stage.emit("waits_too").await;
    let tested = stage.owner.post(&test_path(id), json!({})).await;
    let test = tested.expect(202)["data"].clone();
    assert_eq!(tested.body["_links"]["self"], format!("{}/deliveries", path(id)));
    let expected = json!({
        "id": test["id"], "endpoint_id": id, "event_id": test["id"], "event_type": "webhook.test", "status": "pending",
        "attempts": 0, "next_attempt_at": test["created_at"], "last_attempt_at": null, "last_status_code": null,
        "last_error": null, "response_excerpt": null, "duration_ms": null, "occurred_at": test["created_at"],
        "created_at": test["created_at"],
    });
    assert_eq!(test, expected);
    let entry = stage.app.audited_once("webhook_endpoint:tested").await;
    assert_eq!(entry.metadata, json!({ "host": "127.0.0.1", "delivery_id": test["id"] }));
    stage.deliver().await;
    // The endpoint waits for its next attempt; the test does not, and is not repeated.
    let received = stage.receiver.received("/a");
    assert_eq!(received.len(), 2);
    let body = received[1].body();
    assert_eq!(
        (&body["type"], &body["account_id"]),
        (&json!("webhook.test"), &json!(stage.owner.account_id))
    );
    assert_eq!(body["data"], json!({ "endpoint_id": id, "message": "This is a test" }));
    assert_eq!(received[1].header("webhook-id"), test["id"].as_str().unwrap());
    let listed = stage.deliveries(id).await;
    let outcome = listed.iter().find(|delivery| delivery["id"] == test["id"]).expect("the test");
    assert_eq!((&outcome["status"], &outcome["last_error"]), (&json!("failed"), &json!("HTTP status 500")));
    assert_eq!(stage.row(id).await["failure_count"], 1, "a test changes nothing of the endpoint");

    // A disabled endpoint is tested too.
    stage.owner.patch(&path(id), json!({ "is_enabled": false })).await.expect(200);
    stage.receiver.reply("/a", Reply::Status(204));
    let ids = [("endpointId", id)];
    let test = graphql(&stage.owner, "mutation", "testWebhookEndpoint", &ids, DELIVERY).await;
    let test = test.field("testWebhookEndpoint");
    stage.deliver().await;
    assert_eq!(stage.receiver.received("/a").len(), 3);
    let listed = stage.deliveries(id).await;
    let outcome = listed.iter().find(|delivery| delivery["id"] == test["id"]).expect("the test");
    assert_eq!((&outcome["status"], &outcome["last_status_code"]), (&json!("delivered"), &json!(204)));

    let member = stage.app.member_with(stage.owner.account_id, &["settings:read"]).await;
    let stranger = stage.app.owner().await;
    for (caller, status, code, message) in [
        (&member, 403, "FORBIDDEN", "Missing permission: settings:edit"),
        (&stranger, 404, "NOT_FOUND", "Webhook endpoint not found"),
    ] {
        let gql = graphql(caller, "mutation", "testWebhookEndpoint", &ids, DELIVERY).await;
        both_refused(&caller.post(&test_path(id), json!({})).await, &gql, status, code, message);
    }
    for _ in 0..20 {
        stage.owner.post(&test_path(id), json!({})).await.expect(202);
    }
    let gql = graphql(&stage.owner, "mutation", "testWebhookEndpoint", &ids, DELIVERY).await;
    let rest = stage.owner.post(&test_path(id), json!({})).await;
    both_refused(&rest, &gql, 409, "CONFLICT", "Too many tests and replays are waiting");
    stage.stop().await;
}

#[tokio::test]
async fn replay_webhook_delivery_sends_the_same_id_once_more() {
    let mut stage = Stage::new().await;
    let (id, other) = (stage.endpoint("/a", &["*"]).await, stage.endpoint("/b", &["twitch:raid"]).await);
    let event = stage.emit("a").await;
    let waiting = id_of(&stage.deliveries(id).await[0]);
    let ids = |endpoint, delivery| [("endpointId", endpoint), ("deliveryId", delivery)];
    let refused = async |stage: &Stage, ids: [(&str, Uuid); 2], status, code, message: &str| {
        let gql = graphql(&stage.owner, "mutation", "replayWebhookDelivery", &ids, DELIVERY).await;
        let rest = stage.owner.post(&replay_path(ids[0].1, ids[1].1), json!({})).await;
        both_refused(&rest, &gql, status, code, message);
    };
    refused(&stage, ids(id, waiting), 409, "CONFLICT", "Webhook delivery is waiting").await;
    stage.deliver().await;
    refused(&stage, ids(other, waiting), 404, "NOT_FOUND", "Webhook delivery not found").await;
    refused(&stage, ids(Uuid::now_v7(), waiting), 404, "NOT_FOUND", "Webhook endpoint not found").await;
    stage.owner.patch(&path(id), json!({ "is_enabled": false })).await.expect(200);
    refused(&stage, ids(id, waiting), 409, "CONFLICT", "Webhook endpoint is disabled").await;
    stage.owner.patch(&path(id), json!({ "is_enabled": true })).await.expect(200);

    stage.advance(TimeDelta::days(4)).await;
    let replayed = stage.owner.post(&replay_path(id, waiting), json!({})).await;
    let replayed = replayed.expect(202)["data"].clone();
    assert_eq!((&replayed["id"], &replayed["status"]), (&json!(waiting), &json!("pending")));
    let entry = stage.app.audited_once("webhook_delivery:replayed").await;
    assert_eq!(entry.metadata, json!({ "endpoint_id": id, "event_type": "custom:a" }));
    stage.receiver.reply("/a", Reply::Status(503));
    stage.deliver().await;
    let received = stage.receiver.received("/a");
    assert_eq!(stage.receiver.events("/a"), [event.clone(), event.clone()]);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_ne!(received[0].header("webhook-timestamp"), received[1].header("webhook-timestamp"));
    let failed = stage.deliveries(id).await[0].clone();
    assert_eq!((&failed["status"], &failed["attempts"]), (&json!("failed"), &json!(2)));
    assert_eq!(stage.row(id).await["failing_since"], Value::Null, "a replay changes nothing of the endpoint");

    stage.receiver.reply("/a", Reply::Status(200));
    let gql = graphql(&stage.owner, "mutation", "replayWebhookDelivery", &ids(id, waiting), DELIVERY).await;
    let replayed = gql.field("replayWebhookDelivery");
    assert_eq!((&replayed["status"], &replayed["last_status_code"]), (&json!("PENDING"), &Value::Null));
    assert_eq!((&replayed["last_error"], &replayed["duration_ms"]), (&Value::Null, &Value::Null));
    stage.deliver().await;
    let delivered = stage.deliveries(id).await[0].clone();
    assert_eq!((&delivered["status"], &delivered["attempts"]), (&json!("delivered"), &json!(3)));
    assert_eq!(delivered["last_error"], Value::Null);
    let member = stage.app.member_with(stage.owner.account_id, &["settings:read"]).await;
    let rest = member.post(&replay_path(id, waiting), json!({})).await;
    let gql = graphql(&member, "mutation", "replayWebhookDelivery", &ids(id, waiting), DELIVERY).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: settings:edit");
    // The endpoint may have another address by now, and the caller sends the event there.
    let editor = stage.app.service_key(stage.owner.account_id, &["settings:edit"]).await;
    let rest = editor.post(&replay_path(id, waiting), json!({})).await;
    let gql = graphql(&editor, "mutation", "replayWebhookDelivery", &ids(id, waiting), DELIVERY).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: events:read");
    let test = id_of(&editor.post(&test_path(id), json!({})).await.expect(202)["data"]);
    stage.deliver().await;
    editor.post(&replay_path(id, test), json!({})).await.expect(202);
    stage.app.override_feature(stage.owner.account_id, "feature:events", false).await;
    let off = stage.owner.post(&replay_path(id, waiting), json!({})).await;
    off.refused("FEATURE_DISABLED", "Feature is disabled: feature:events");
    stage.stop().await;
}

#[tokio::test]
async fn replay_webhook_delivery_waits_while_the_endpoint_is_disabled() {
    let mut stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    stage.emit("a").await;
    stage.deliver().await;
    let delivery = id_of(&stage.deliveries(id).await[0]);
    stage.owner.post(&replay_path(id, delivery), json!({})).await.expect(202);
    stage.owner.patch(&path(id), json!({ "is_enabled": false })).await.expect(200);
    let test = id_of(&stage.owner.post(&test_path(id), json!({})).await.expect(202)["data"]);
    stage.deliver().await;
    let received = stage.receiver.received("/a");
    assert_eq!(received.len(), 2);
    assert_eq!(received[1].header("webhook-id"), test.to_string());
    assert_eq!(stage.row(id).await["due_at"], Value::Null);
    stage.advance(TimeDelta::hours(1) + TimeDelta::seconds(1)).await;
    stage.deliverer.sweep().await.unwrap();
    let listed = stage.deliveries(id).await;
    let outcome = listed.iter().find(|shown| shown["id"] == json!(delivery)).expect("the delivery");
    let expected = (&json!("failed"), &json!("Not sent within an hour"));
    assert_eq!((&outcome["status"], &outcome["last_error"]), expected);
    stage.stop().await;
}
