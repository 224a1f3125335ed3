//! Refusals of what a budget stops (reference/usage.md#stops).

use api_core::token::TokenKind;
use chrono::TimeDelta;
use lumio_tests::{Answer, Caller, eventually, world::connect};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::clock::rfc3339;
use usage_model::Period;

use super::stage::{Stage, install, key_id};

const LIMITS: &str = "{ limits { name } }";

#[tokio::test]
async fn stops_of_requests_refuse_keys_and_tokens_of_extensions_but_no_session() {
    let mut stage = Stage::new().await;
    let account = stage.owner.account_id;
    let key = stage.app.service_key(account, &["plan:read"]).await;
    let personal = stage.app.personal_key(&stage.owner, &["plan:read"]).await;
    let installed = install(&stage.app, account, &json!({}), &json!({}), "").await;
    let surface =
        stage.app.surface_token(TokenKind::Extension, account, &installed.id.to_string(), None).await;
    let popout = stage.app.popout(&stage.owner, &["plan:read"]).await;
    let other = stage.app.owner().await;
    let of_other = stage.app.service_key(other.account_id, &["plan:read"]).await;
    let budget = stage.budget(&json!({ "unit": "requests", "period": "hour", "maximum": 3 })).await;
    for _ in 0..3 {
        key.get("/v1/limits").await.expect(200);
    }
    stage.settle().await;
    stage.read_stops().await;

    let end = Period::Hour.end(stage.app.clock.now());
    let refused = key.get("/v1/limits").await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    refused.refused("RATE_LIMIT_EXCEEDED", "Usage budget reached");
    let details = json!({ "budget_id": budget["id"], "unit": "requests", "resets_at": rfc3339(end) });
    assert_eq!(refused.body["details"], details);
    let wait: i64 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");
    key.graphql(LIMITS, json!({})).await.refused("RATE_LIMIT_EXCEEDED", "Usage budget reached");
    for caller in [&personal, &surface] {
        caller.get("/v1/limits").await.refused("RATE_LIMIT_EXCEEDED", "Usage budget reached");
    }
    for caller in [&stage.owner.caller, &popout, &of_other] {
        caller.get("/v1/limits").await.expect(200);
    }
    // What is refused is not counted. A larger maximum, the end of the budget and that of the period allow it again.
    stage.settle().await;
    let shown = stage.owner.get("/v1/usage/budgets").await.data()[0].clone();
    assert_eq!(
        shown["used"],
        json!(1 + 3 + 2),
        "the budget, three of the key, and those that were not refused"
    );
    assert_eq!(shown["stopped_until"], json!(rfc3339(end)));
    stage.budget(&json!({ "unit": "requests", "period": "hour", "maximum": 100 })).await;
    key.get("/v1/limits").await.expect(200);
    let small = stage.budget(&json!({ "unit": "requests", "period": "hour", "maximum": 1 })).await;
    key.get("/v1/limits").await.refused_with("RATE_LIMIT_EXCEEDED");
    stage.owner.delete(&format!("/v1/usage/budgets/{}", small["id"].as_str().unwrap())).await.expect(204);
    key.get("/v1/limits").await.expect(200);
    stage.budget(&json!({ "unit": "requests", "period": "hour", "maximum": 1 })).await;
    key.get("/v1/limits").await.refused_with("RATE_LIMIT_EXCEEDED");
    stage.advance(TimeDelta::hours(1)).await;
    key.get("/v1/limits").await.expect(200);
    stage.stop().await;
}

#[tokio::test]
async fn stops_of_one_key_refuse_no_other_and_a_quiet_budget_refuses_nothing() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    let first = stage.app.service_key(account, &["plan:read"]).await;
    let first_id = key_id(&stage.app, "account_service_keys").await;
    let second = stage.app.service_key(account, &["plan:read"]).await;
    stage.budget(&json!({ "unit": "requests", "period": "day", "maximum": 1, "key_id": first_id })).await;
    let quiet = json!({ "unit": "requests", "period": "month", "maximum": 1, "is_stopping": false });
    stage.budget(&quiet).await;
    for key in [&first, &second] {
        key.get("/v1/limits").await.expect(200);
    }
    stage.settle().await;
    // The server reads the stops by itself.
    eventually("the stop is read", async || first.get("/v1/limits").await.status == 429).await;
    second.get("/v1/limits").await.expect(200);
    let entries = stage.app.audited("usage_budget:reached").await;
    let mut stopped: Vec<&Value> = entries.iter().map(|entry| &entry.metadata["is_stopped"]).collect();
    stopped.sort_by_key(|is_stopped| is_stopped.to_string());
    assert_eq!(stopped, [&json!(false), &json!(true)]);
    stage.stop().await;
}

async fn send(caller: &Caller, text: &str) -> Answer {
    caller.post("/v1/chat/send", json!({ "platform": "twitch", "message": text })).await
}

#[tokio::test]
async fn stops_of_messages_count_those_that_the_platform_takes() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    connect(&stage.app, account, Platform::Twitch, "streamer").await;
    let key = stage.app.service_key(account, &["chat:write"]).await;
    let id = key_id(&stage.app, "account_service_keys").await;
    assert_eq!(send(&key, "one").await.data()["sent"], true);
    assert_eq!(send(&stage.owner, "two").await.data()["sent"], true);
    stage.app.platforms.drop_next_message(Platform::Twitch, "held by the filter");
    assert_eq!(send(&key, "refused").await.data()["sent"], false);
    stage.settle().await;
    assert_eq!(stage.sums(account, "key", id).await.messages, 1);
    assert_eq!(stage.sums(account, "account", account).await.messages, 2);
    assert_eq!(stage.app.platforms.sent_messages(Platform::Twitch).len(), 2);

    stage.budget(&json!({ "unit": "messages", "period": "day", "maximum": 2 })).await;
    for caller in [&key, &stage.owner.caller] {
        let refused = send(caller, "three").await;
        assert_eq!(refused.status, 429, "{}", refused.text);
        refused.refused("RATE_LIMIT_EXCEEDED", "Usage budget reached");
        assert_eq!(refused.body["details"]["unit"], "messages");
    }
    assert_eq!(stage.app.platforms.sent_messages(Platform::Twitch).len(), 2);
    stage.stop().await;
}

/// Uploads a picture. One of the same content takes no storage again.
async fn upload(caller: &Caller, (name, picture): (&str, &[u8])) -> Answer {
    const BOUNDARY: &str = "lumio-usage-boundary";
    let part = |head: &str| format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n");
    let mut body = part("name=\"purpose\"").into_bytes();
    body.extend(b"overlay_asset\r\n");
    body.extend(part(&format!("name=\"file\"; filename=\"{name}\"")).bytes());
    body.extend_from_slice(picture);
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    caller.post_raw("/v1/uploads", &format!("multipart/form-data; boundary={BOUNDARY}"), body).await
}

#[tokio::test]
async fn stops_of_stored_bytes_refuse_uploads() {
    let stage = Stage::new().await;
    let budget = stage.budget(&json!({ "unit": "stored_bytes", "period": "day", "maximum": 1 })).await;
    let first: (&str, &[u8]) = ("pixel.png", include_bytes!("../fixtures/media/pixel.png"));
    let second: (&str, &[u8]) = ("pixel.gif", include_bytes!("../fixtures/media/pixel.gif"));
    upload(&stage.owner, first).await.expect(201);
    stage.measure().await;
    let refused = upload(&stage.owner, second).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    refused.refused("PLAN_LIMIT_REACHED", "Usage budget of stored bytes reached");
    assert_eq!(refused.body["details"], json!({ "limit": 1 }));
    stage.owner.delete(&format!("/v1/usage/budgets/{}", budget["id"].as_str().unwrap())).await.expect(204);
    upload(&stage.owner, second).await.expect(201);
    stage.stop().await;
}
