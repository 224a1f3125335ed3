//! Webhook by which the payment provider reports the status of payouts (reference/billing.md#payout-webhook).

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hmac::{Hmac, KeyInit, Mac};
use lumio_tests::{Answer, TestApp};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;
use shared::schema::{developer_payouts, notifications};
use uuid::Uuid;

use super::payouts::request;

const PATH: &str = "/v1/webhooks/payouts";
const SECRET: &str = "payouts-secret-of-this-test";

async fn app() -> TestApp {
    TestApp::builder().with("LUMIO_PAYOUTS_WEBHOOK_SECRET", SECRET).start().await
}

/// Signature of a body with a timestamp `age` seconds ago.
fn signature(app: &TestApp, secret: &str, body: &str, age: i64) -> String {
    let time = (app.state.clock.now() - Duration::seconds(age)).timestamp();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{time}.{body}").as_bytes());
    format!("t={time},v1={}", hex::encode(mac.finalize().into_bytes()))
}

async fn post(app: &TestApp, signature: &str, body: &str) -> Answer {
    let anonymous = app.anonymous();
    let request = anonymous.request(Method::POST, PATH).header("X-Payouts-Signature", signature);
    anonymous.send(request.body(body.to_owned())).await
}

async fn report(app: &TestApp, payout: Uuid, status: &str) -> Answer {
    let body = json!({ "payout_id": payout, "status": status }).to_string();
    post(app, &signature(app, SECRET, &body, 0), &body).await
}

async fn status(app: &TestApp, payout: Uuid) -> String {
    developer_payouts::table
        .find(payout)
        .select(developer_payouts::status)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn receive_payout_webhook_changes_the_status_like_an_operator() {
    let app = app().await;
    let (payout, developer) = request(&app, 123_405).await;
    report(&app, payout, "processing").await.expect(200);
    assert_eq!(status(&app, payout).await, "processing");
    report(&app, payout, "paid").await.expect(200);
    assert_eq!(status(&app, payout).await, "paid");
    let notified: Vec<(Uuid, String)> = notifications::table
        .order(notifications::id)
        .select((notifications::user_id, notifications::message))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(notified[1], (developer, "Your payout of 1234.05 EUR is now paid.".to_owned()));
    let audited = app.audited("payout:status_changed").await;
    assert_eq!((audited.len(), audited[1].scope.as_str(), audited[1].actor_id), (2, "system", None));
    assert_eq!(
        (&audited[1].metadata["from"], &audited[1].metadata["to"]),
        (&json!("processing"), &json!("paid"))
    );
    app.stop().await;
}

#[tokio::test]
async fn receive_payout_webhook_ignores_repeated_late_and_unknown_reports() {
    let app = app().await;
    let (payout, _) = request(&app, 100).await;
    for late in ["paid", "paid", "processing", "failed", "pending"] {
        report(&app, payout, late).await.expect(200);
        assert_eq!(status(&app, payout).await, "paid", "{late}");
    }
    report(&app, Uuid::now_v7(), "paid").await.expect(200);
    assert_eq!(app.audited("payout:status_changed").await.len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn receive_payout_webhook_refuses_wrong_signatures_and_bodies() {
    let app = app().await;
    let (payout, _) = request(&app, 100).await;
    let body = json!({ "payout_id": payout, "status": "paid" }).to_string();
    let sound = signature(&app, SECRET, &body, 0);
    let (time, digest) = sound.split_once(',').unwrap();
    let bad = "Invalid webhook signature";
    let refused = async |signature: &str, body: &str, message: &str| {
        let answer = post(&app, signature, body).await;
        assert_eq!(answer.status, 401, "{signature}: {}", answer.text);
        answer.refused("UNAUTHORIZED", message);
    };
    refused(&signature(&app, "another secret of theirs", &body, 0), &body, bad).await;
    refused(&sound, &body.replace("paid", "failed"), bad).await;
    refused(&sound, &body[..body.len() - 1], bad).await;
    refused(&format!("t=1,{digest}"), &body, bad).await;
    for odd in ["x", "t=1", time, digest, "t=x,v1=00", "t=1,v1=zz"] {
        refused(odd, &body, bad).await;
    }
    for age in [601, -610] {
        let stale = signature(&app, SECRET, &body, age);
        refused(&stale, &body, "The delivery is older than 10 minutes").await;
    }
    app.anonymous().post(PATH, json!({})).await.refused("UNAUTHORIZED", bad);

    let large =
        format!("{{\"payout_id\":\"{payout}\",\"status\":\"paid\",\"x\":\"{}\"}}", "x".repeat(256 * 1024));
    let answer = post(&app, &signature(&app, SECRET, &large, 0), &large).await;
    assert_eq!(answer.status, 400);
    answer.refused("BAD_REQUEST", "Request body too large");
    for wrong in ["", "[]", "{}", "not json", &json!({ "payout_id": payout, "status": "late" }).to_string()] {
        let answer = post(&app, &signature(&app, SECRET, wrong, 0), wrong).await;
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text);
    }
    assert_eq!(status(&app, payout).await, "pending");
    assert!(app.audited("payout:status_changed").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn receive_payout_webhook_refuses_all_without_a_secret_and_is_undocumented() {
    let app = TestApp::start().await;
    let (payout, _) = request(&app, 100).await;
    let body = json!({ "payout_id": payout, "status": "paid" }).to_string();
    let answer = post(&app, &signature(&app, "", &body, 0), &body).await;
    answer.refused("UNAUTHORIZED", "Invalid webhook signature");
    assert_eq!(status(&app, payout).await, "pending");
    assert_eq!(lumio_api::openapi::document()["paths"][PATH], Value::Null);
    app.stop().await;
}
