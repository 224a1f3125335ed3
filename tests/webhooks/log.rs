//! Log of deliveries (reference/webhooks.md#log).

use chrono::TimeDelta;
use foundation::jobs::HousekeepingTask;
use lumio_tests::{both_refused, world::count};
use lumio_worker::housekeeping::{Housekeeper, Progress, TimeBudget};
use serde_json::{Value, json};
use uuid::Uuid;
use worker_core::Context;

use super::{
    receiver::Reply,
    stage::{DELIVERY, Stage, graphql, path},
};

const PAGE: &str = "{ total page limit pages items { id eventType status } }";

fn list_path(endpoint: Uuid) -> String {
    format!("{}/deliveries", path(endpoint))
}

#[tokio::test]
async fn webhook_deliveries_lists_them_newest_first_with_filters() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    let body = "x".repeat(5000);
    stage.receiver.reply("/a", Reply::Full(200, "", body));
    let event = stage.emit("a").await;
    stage.deliver().await;
    let answer = stage.owner.get(&list_path(id)).await;
    let delivered = answer.data()[0].clone();
    let expected = json!({
        "id": delivered["id"], "endpoint_id": id, "event_id": event, "event_type": "custom:a", "status": "delivered",
        "attempts": 1, "next_attempt_at": null, "last_attempt_at": delivered["last_attempt_at"],
        "last_status_code": 200, "last_error": null, "response_excerpt": "x".repeat(4096),
        "duration_ms": delivered["duration_ms"], "occurred_at": delivered["occurred_at"],
        "created_at": delivered["created_at"],
    });
    assert_eq!(delivered, expected);
    // An answer may repeat the event.
    for (permissions, is_shown) in
        [(&["settings:read", "chat:read"], false), (&["settings:read", "events:read"], true)]
    {
        let caller = stage.app.service_key(stage.owner.account_id, permissions).await;
        let shown = caller.get(&list_path(id)).await.data()[0].clone();
        assert_eq!(shown["response_excerpt"].is_string(), is_shown, "{permissions:?}");
        assert_eq!(shown["last_status_code"], 200);
    }
    assert!(delivered["last_attempt_at"].is_string() && delivered["duration_ms"].is_i64(), "{delivered}");

    stage.receiver.reply("/a", Reply::Status(500));
    stage.app.clock.advance(TimeDelta::seconds(1));
    stage.emit("b").await;
    stage.app.clock.advance(TimeDelta::seconds(1));
    stage.emit("a").await;
    stage.deliver().await;
    let listed = async |query: &str| -> (Vec<String>, Value) {
        let answer = stage.owner.get(&format!("{}{query}", list_path(id))).await;
        let text =
            |delivery: &Value| format!("{} {}", delivery["event_type"], delivery["status"]).replace('"', "");
        (answer.data().as_array().unwrap().iter().map(text).collect(), answer.body["_meta"].clone())
    };
    let all = ["custom:a pending", "custom:b pending", "custom:a delivered"];
    let meta = json!({ "total": 3, "page": 1, "limit": 25, "pages": 1 });
    assert_eq!(listed("").await, (all.map(str::to_owned).to_vec(), meta));
    assert_eq!(listed("?status=pending").await.0, all[..2]);
    assert_eq!(listed("?event_type=custom:a").await.0, [all[0], all[2]]);
    assert_eq!(listed("?event_type=webhook.test&status=failed").await.0, [""; 0]);
    let second = listed("?limit=2&page=2").await;
    assert_eq!((second.0, &second.1["pages"]), (vec![all[2].to_owned()], &json!(2)));
    let document = format!(
        "query($id: UUID!) {{ webhookDeliveries(endpointId: $id, status: PENDING, eventType: \"custom:b\") {PAGE} }}"
    );
    let page = stage.owner.graphql(&document, json!({ "id": id })).await.field("webhookDeliveries");
    assert_eq!((&page["total"], &page["items"][0]["event_type"]), (&json!(1), &json!("custom:b")));

    let unknown = stage.owner.get(&format!("{}?event_type=twitch:x", list_path(id))).await;
    let document =
        format!("query($id: UUID!) {{ webhookDeliveries(endpointId: $id, eventType: \"twitch:x\") {PAGE} }}");
    let gql = stage.owner.graphql(&document, json!({ "id": id })).await;
    both_refused(&unknown, &gql, 400, "VALIDATION_ERROR", "Invalid event_type: unknown type twitch:x");
    let limit = stage.owner.get(&format!("{}?limit=101", list_path(id))).await;
    limit.refused("VALIDATION_ERROR", "limit must be between 1 and 100");
    stage.owner.get(&format!("{}?status=lost", list_path(id))).await.expect(400);
    let member = stage.app.member_with(stage.owner.account_id, &["chat:read"]).await;
    let stranger = stage.app.owner().await;
    for (caller, status, code, message) in [
        (&member, 403, "FORBIDDEN", "Missing permission: settings:read"),
        (&stranger, 404, "NOT_FOUND", "Webhook endpoint not found"),
    ] {
        let selection = format!("{{ items {DELIVERY} }}");
        let gql = graphql(caller, "query", "webhookDeliveries", &[("endpointId", id)], &selection).await;
        both_refused(&caller.get(&list_path(id)).await, &gql, status, code, message);
    }
    stage.stop().await;
}

/// Inserts deliveries of an endpoint (`$1`) that have ended, one a second.
fn ended(number: u32) -> String {
    format!(
        "INSERT INTO webhook_deliveries
            (id, account_id, endpoint_id, event_id, event_type, occurred_at, status, expires_at, created_at)
         SELECT gen_random_uuid(), account_id, id, gen_random_uuid(), 'custom:a', now(), 'delivered', now(),
            now() - n * interval '1 second'
         FROM webhook_endpoints CROSS JOIN generate_series(1, {number}) AS n WHERE id = $1"
    )
}

#[tokio::test]
async fn log_keeps_thirty_days_and_the_newest_deliveries() {
    let stage = Stage::new().await;
    let (busy, calm) = (stage.endpoint("/a", &["*"]).await, stage.endpoint("/b", &["twitch:raid"]).await);
    stage.execute(&ended(20_010), busy).await;
    stage.execute(&ended(5), calm).await;
    // The oldest one waits.
    let wait = "UPDATE webhook_deliveries SET status = 'pending'
        WHERE id = (SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY created_at LIMIT 1)";
    stage.execute(wait, busy).await;
    // A list ends after 10,000 deliveries.
    let last = stage.owner.get(&format!("{}?limit=100&page=101", list_path(busy))).await;
    assert_eq!((last.data(), &last.body["_meta"]["total"]), (&json!([]), &json!(10_000)));

    stage.deliverer.trim().await.unwrap();
    let of = async |endpoint: Uuid| {
        count(&stage.app, &format!("webhook_deliveries WHERE endpoint_id = '{endpoint}'")).await
    };
    assert_eq!((of(busy).await, of(calm).await), (20_000 + 1, 5));
    // It is trimmed again after a new delivery.
    stage.execute(&ended(10), busy).await;
    stage.deliverer.trim().await.unwrap();
    assert_eq!(of(busy).await, 20_000 + 1 + 10);
    stage.emit("new").await;
    stage.deliverer.trim().await.unwrap();
    assert_eq!(of(busy).await, 20_000 + 1);

    let context = Context::new(stage.app.config(), stage.app.clock.clone()).unwrap();
    let house = Housekeeper::new(&context).unwrap();
    let task = HousekeepingTask::ForgetHandled;
    stage.app.clock.advance(TimeDelta::days(29));
    assert_eq!(house.take(task, &mut TimeBudget::of(100)).await.unwrap(), Progress::Completed);
    assert_eq!(of(calm).await, 5);
    stage.app.clock.advance(TimeDelta::days(1));
    assert_eq!(house.take(task, &mut TimeBudget::of(100)).await.unwrap(), Progress::Completed);
    assert_eq!((of(busy).await, of(calm).await), (0, 0));
    stage.stop().await;
}
