//! Orders of shops (reference/ingest.md#orders-of-shops).

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use foundation::jobs::{HandleDelivery, Job};
use hmac::{Hmac, KeyInit, Mac};
use lumio_tests::{Answer, Person, TestApp};
use lumio_worker::{Daemon, Running};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;
use shared::{
    id,
    schema::{integration_configs, webhook_inbox},
    secret::Secret,
};

use lumio_tests::world::{
    eventually, eventually_none, inbox, jobs, open_deliveries, published, stored_events, workers,
};

const PATH: &str = "/v1/webhooks/shopify";
const SECRET: &str = "the-shop-application-secret";
const SHOP: &str = "ada.myshopify.com";
const FEATURE: &str = "integration:shopify";

async fn app() -> TestApp {
    TestApp::builder().with("LUMIO_SHOPIFY_WEBHOOK_SECRET", SECRET).start().await
}

/// An owner who has connected the shop.
async fn owner(app: &TestApp) -> Person {
    let owner = app.owner().await;
    app.switch(FEATURE, true).await;
    insert_into(integration_configs::table)
        .values((
            integration_configs::id.eq(id::new()),
            integration_configs::account_id.eq(owner.account_id),
            integration_configs::integration.eq("shopify"),
            integration_configs::external_id.eq(SHOP),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    owner
}

fn order(id: i64) -> String {
    json!({
        "id": id, "order_number": 1001, "currency": "EUR", "current_total_price": "12.34", "email": "a@example.com",
        "customer": { "id": 7, "first_name": "Ada", "last_name": "Lovelace", "phone": "123" },
        "shipping_address": { "address1": "Street 1" }, "created_at": "2020-01-01T00:00:00Z",
        "line_items": [{ "quantity": 2 }, { "quantity": 1 }],
    })
    .to_string()
}

/// An order that was created at this time, or without a time.
fn order_of(id: i64, created_at: Option<chrono::DateTime<chrono::Utc>>) -> String {
    let mut body: Value = serde_json::from_str(&order(id)).unwrap();
    body["created_at"] = json!(created_at.map(shared::clock::rfc3339));
    body.to_string()
}

fn signature(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    STANDARD.encode(mac.finalize().into_bytes())
}

/// Posts a delivery with its headers, some of them changed; an empty one is left out.
async fn post(app: &TestApp, body: &str, webhook: &str, changed: &[(&str, &str)]) -> Answer {
    let signature = signature(SECRET, body);
    let now = shared::clock::rfc3339(app.state.clock.now());
    let usual = [
        ("X-Shopify-Hmac-SHA256", signature.as_str()),
        ("X-Shopify-Shop-Domain", SHOP),
        ("X-Shopify-Topic", "orders/create"),
        ("X-Shopify-Webhook-Id", webhook),
        ("X-Shopify-Triggered-At", now.as_str()),
    ];
    let anonymous = app.anonymous();
    let mut request = anonymous.request(Method::POST, PATH).body(body.to_owned());
    for (name, value) in usual {
        let other = changed.iter().find(|(changed, _)| *changed == name);
        let value = other.map_or(value, |(_, value)| value);
        if !value.is_empty() {
            request = request.header(name, value);
        }
    }
    anonymous.send(request).await
}

#[tokio::test]
async fn receive_shopify_webhook_makes_one_event_of_an_order() {
    let app = app().await;
    let (owner, other) = (owner(&app).await, app.owner().await);
    let channel = format!("events:{}", owner.account_id);
    let running = workers(&app, &[Daemon::Ingest]).await;
    // Delivered twice under one id, and again under another: a shop may subscribe to both topics.
    post(&app, &order(820), "w1", &[]).await.expect(200);
    post(&app, &order(820), "w1", &[]).await.expect(200);
    post(&app, &order(820), "w2", &[("X-Shopify-Topic", "orders/paid")]).await.expect(200);
    assert_eq!(inbox(&app).await, 2);

    eventually_none("both deliveries are handled", async || open_deliveries(&app).await).await;
    let events = published(&app, &channel).await;
    assert_eq!((events.len(), &events[0]["event_type"]), (1, &json!("event:new")));
    let event = &events[0]["data"];
    assert_eq!(
        event["data"],
        json!({
            "order_id": "820", "order_number": 1001, "user_name": "Ada Lovelace", "user_id": "7", "amount": 1234,
            "currency": "EUR", "item_count": 3,
        })
    );
    assert_eq!((&event["event_type"], &event["platform"]), (&json!("shopify:order"), &json!("shopify")));
    assert_eq!((&event["amount"], &event["currency"]), (&json!(1234), &json!("EUR")));
    assert_eq!((&event["platform_user_id"], &event["display_name"]), (&json!("7"), &json!("Ada Lovelace")));
    post(&app, &order(821), "w3", &[]).await.expect(200);
    eventually("both orders are told", async || published(&app, &channel).await.len() == 2).await;
    eventually("both rows are written", async || stored_events(&app, owner.account_id).await.len() == 2)
        .await;
    assert!(stored_events(&app, other.account_id).await.is_empty());
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn receive_shopify_webhook_recognises_an_order_reported_hours_later() {
    let app = app().await;
    let owner = owner(&app).await;
    let channel = format!("events:{}", owner.account_id);
    let running = workers(&app, &[Daemon::Ingest]).await;
    let created_at = app.state.clock.now() - chrono::Duration::minutes(1);
    let orders = [order_of(820, Some(created_at)), order_of(821, None)];
    for (index, body) in orders.iter().enumerate() {
        post(&app, body, &format!("created {index}"), &[]).await.expect(200);
    }
    eventually("both rows are written", async || stored_events(&app, owner.account_id).await.len() == 2)
        .await;
    let row = stored_events(&app, owner.account_id).await.remove(0);
    let occurred_at = row["occurred_at"].as_str().unwrap();
    assert_eq!(chrono::DateTime::parse_from_rfc3339(occurred_at).unwrap(), created_at);
    let triggers = jobs(&app, "extension_triggers").await;
    // No record with a short lifetime contains it.
    forget_all(&app).await;
    for hours in [2, 48] {
        app.clock.advance(chrono::Duration::hours(hours));
        for (index, body) in orders.iter().enumerate() {
            post(&app, body, &format!("paid {hours} {index}"), &[("X-Shopify-Topic", "orders/paid")])
                .await
                .expect(200);
        }
        eventually_none("they are handled", async || open_deliveries(&app).await).await;
    }
    assert_eq!(published(&app, &channel).await, Vec::<Value>::new(), "forgotten, and not told again");
    assert_eq!(jobs(&app, "extension_triggers").await, triggers);
    running.stop().await.unwrap();
    assert_eq!(stored_events(&app, owner.account_id).await.len(), 2);
    app.stop().await;
}

#[tokio::test]
async fn receive_shopify_webhook_recognises_an_order_with_or_without_its_creation_time() {
    let app = app().await;
    let owner = owner(&app).await;
    let channel = format!("events:{}", owner.account_id);
    let running = workers(&app, &[Daemon::Ingest]).await;
    let created_at = app.state.clock.now() - chrono::Duration::minutes(1);
    let (says, is_silent) = (Some(created_at), None);
    for (id, deliveries) in [(820, [is_silent, says]), (821, [says, is_silent])] {
        for (index, created_at) in deliveries.into_iter().enumerate() {
            let topic = ["orders/create", "orders/paid"][index];
            let webhook = format!("{id} {topic}");
            post(&app, &order_of(id, created_at), &webhook, &[("X-Shopify-Topic", topic)]).await.expect(200);
            eventually_none("it is handled", async || open_deliveries(&app).await).await;
        }
    }
    assert_eq!(inbox(&app).await, 4);
    assert_eq!(published(&app, &channel).await.len(), 2, "each order once");
    assert_eq!(jobs(&app, "extension_triggers").await, 2);
    eventually("both rows are written", async || stored_events(&app, owner.account_id).await.len() == 2)
        .await;
    running.stop().await.unwrap();
    assert_eq!(stored_events(&app, owner.account_id).await.len(), 2);
    app.stop().await;
}

/// Number of delivery jobs with this outcome.
fn ended(worker: &Running, outcome: &str) -> u64 {
    let metrics = worker.context.metrics.render().unwrap();
    let parts = ["lumio_jobs_total{", &format!("outcome=\"{outcome}\""), HandleDelivery::QUEUE];
    let line = metrics.lines().find(|line| parts.iter().all(|part| line.contains(part)));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_default()
}

#[tokio::test]
async fn receive_shopify_webhook_waits_for_timescaledb_without_using_attempts() {
    let app = app().await;
    let owner = owner(&app).await;
    let channel = format!("events:{}", owner.account_id);
    let mut config = app.config();
    config.databases.timescaledb = Secret::new("postgres://nobody@127.0.0.1:1/none");
    config.databases.pool_timeout = Duration::from_secs(1);
    let cut_off = lumio_worker::start_with(config, app.clock.clone(), &[Daemon::Ingest]).await.unwrap();
    // Created years ago, so it may be stored already, which cannot be checked now.
    post(&app, &order(820), "w1", &[("X-Shopify-Topic", "orders/paid")]).await.expect(200);
    eventually("it is put back and comes again", async || ended(&cut_off, "put_back") >= 2).await;
    assert_eq!((ended(&cut_off, "retried"), open_deliveries(&app).await), (0, 1));
    assert!(published(&app, &channel).await.is_empty());
    // An order created just now was not published before, and does not wait.
    let created_at = app.state.clock.now();
    post(&app, &order_of(821, Some(created_at)), "w2", &[]).await.expect(200);
    eventually("it is told", async || published(&app, &channel).await.len() == 1).await;
    // The wait is limited.
    app.clock.advance(chrono::Duration::hours(12));
    eventually("attempts count", async || ended(&cut_off, "retried") >= 1).await;
    drop(cut_off);

    let healthy = workers(&app, &[Daemon::Ingest]).await;
    eventually("it is told after all", async || published(&app, &channel).await.len() == 2).await;
    eventually("both rows are written", async || stored_events(&app, owner.account_id).await.len() == 2)
        .await;
    assert_eq!(open_deliveries(&app).await, 0);
    healthy.stop().await.unwrap();
    app.stop().await;
}

/// Deletes the records of published events and the logs, as after some days.
async fn forget_all(app: &TestApp) {
    let mut redis = app.state.redis.get().await.unwrap();
    for kind in ["told", "log"] {
        let pattern = app.state.redis.key(format!("{kind}:*"));
        let keys: Vec<String> = redis::cmd("KEYS").arg(pattern).query_async(&mut *redis).await.unwrap();
        assert!(!keys.is_empty(), "{kind}");
        let () = redis::cmd("DEL").arg(keys).query_async(&mut *redis).await.unwrap();
    }
}

#[tokio::test]
async fn receive_shopify_webhook_keeps_only_the_catalogued_fields_of_the_buyer() {
    let app = app().await;
    owner(&app).await;
    post(&app, &order(820), "w1", &[]).await.expect(200);
    let body: Value = webhook_inbox::table
        .select(webhook_inbox::body)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let mut keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "amount",
            "created_at",
            "currency",
            "item_count",
            "order_id",
            "order_number",
            "shop",
            "user_id",
            "user_name",
        ]
    );
    app.stop().await;
}

#[tokio::test]
async fn receive_shopify_webhook_refuses_unverifiable_deliveries() {
    let app = app().await;
    owner(&app).await;
    let body = order(820);
    let foreign = signature("another secret", &body);
    let whole = signature(SECRET, &body);
    for (what, sent, signed) in [
        ("forged", body.as_str(), foreign.as_str()),
        ("unsigned", body.as_str(), ""),
        ("no Base64", body.as_str(), "!!!"),
        ("cut on the way", &body[..body.len() - 2], whole.as_str()),
        ("changed on the way", &body.replace("12.34", "99.99"), whole.as_str()),
    ] {
        let answer = post(&app, sent, "w1", &[("X-Shopify-Hmac-SHA256", signed)]).await;
        assert_eq!(answer.status, 401, "{what}: {}", answer.text);
        answer.refused("UNAUTHORIZED", "Invalid webhook signature");
    }
    for seconds in [-601, 601] {
        let at = shared::clock::rfc3339(app.state.clock.now() + chrono::Duration::seconds(seconds));
        let answer = post(&app, &body, "w1", &[("X-Shopify-Triggered-At", &at)]).await;
        assert_eq!(answer.status, 401, "{seconds}");
        answer.refused("UNAUTHORIZED", "The delivery is older than 10 minutes");
    }
    let large = format!("{{\"id\":1,\"x\":\"{}\"}}", "x".repeat(256 * 1024));
    post(&app, &large, "w1", &[]).await.refused("BAD_REQUEST", "Request body too large");
    for (what, sent) in [("cut before it was signed", &body[..40]), ("no object", "[]"), ("no order", "{}")] {
        assert_eq!(post(&app, sent, "w1", &[]).await.status, 400, "{what}");
    }
    for (name, value) in [
        ("X-Shopify-Webhook-Id", ""),
        ("X-Shopify-Webhook-Id", &"x".repeat(129)),
        ("X-Shopify-Shop-Domain", ""),
        ("X-Shopify-Triggered-At", "yesterday"),
    ] {
        let answer = post(&app, &body, "w1", &[(name, value)]).await;
        assert_eq!(answer.status, 400, "{name}: {}", answer.text);
    }
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_shopify_webhook_accepts_unknown_topics_and_shops_without_effect() {
    let app = app().await;
    owner(&app).await;
    let body = order(820);
    post(&app, &body, "w1", &[("X-Shopify-Topic", "orders/delete")]).await.expect(200);
    post(&app, &body, "w2", &[("X-Shopify-Shop-Domain", "other.myshopify.com")]).await.expect(200);
    assert_eq!(inbox(&app).await, 0);
    post(&app, &body, "w3", &[("X-Shopify-Shop-Domain", "ADA.myshopify.com")]).await.expect(200);
    assert_eq!(inbox(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn receive_shopify_webhook_refuses_an_account_without_the_integration() {
    let app = app().await;
    let owner = owner(&app).await;
    app.override_feature(owner.account_id, FEATURE, false).await;
    let answer = post(&app, &order(820), "w1", &[]).await;
    assert_eq!(answer.status, 403);
    answer.refused("FEATURE_DISABLED", "Feature is disabled: integration:shopify");
    // A caller who cannot sign gets no information.
    let forged = post(&app, &order(820), "w1", &[("X-Shopify-Hmac-SHA256", "AAAA")]).await;
    forged.refused("UNAUTHORIZED", "Invalid webhook signature");
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_shopify_webhook_refuses_everything_without_a_secret() {
    let app = TestApp::start().await;
    owner(&app).await;
    let answer =
        post(&app, &order(820), "w1", &[("X-Shopify-Hmac-SHA256", &signature("", &order(820)))]).await;
    answer.refused("UNAUTHORIZED", "Invalid webhook signature");
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}
