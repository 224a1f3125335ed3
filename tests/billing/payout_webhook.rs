//! What the payment provider tells of payouts (specification A §4.1).

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hmac::{Hmac, KeyInit, Mac};
use lumio_tests::{Answer, TestApp};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;
use shared::db::schema::{developer_payouts, notifications};
use uuid::Uuid;

use super::payouts::request;

const PATH: &str = "/v1/webhooks/payouts";
const SECRET: &str = "payouts-secret-of-this-test";

async fn app() -> TestApp {
    TestApp::builder().with("LUMIO_PAYOUTS_WEBHOOK_SECRET", SECRET).start().await
}

/// A signature over a body, as of a time that many seconds ago.
fn signature(app: &TestApp, secret: &str, body: &str, age: i64) -> String {
    let time = (app.state.clock.now() - Duration::seconds(age)).timestamp();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{time}.{body}").as_bytes());
    format!("t={time},v1={}", hex::encode(mac.finalize().into_bytes()))
}

async fn post(app: &TestApp, signature: &str, body: &str) -> Answer {
    let nobody = app.anonymous();
    let request = nobody.request(Method::POST, PATH).header("X-Payouts-Signature", signature);
    nobody.send(request.body(body.to_owned())).await
}

async fn tell(app: &TestApp, payout: Uuid, status: &str) -> Answer {
    let body = json!({ "payout_id": payout, "status": status }).to_string();
    post(app, &signature(app, SECRET, &body, 0), &body).await
}

async fn status(app: &TestApp, payout: Uuid) -> String {
    developer_payouts::table
        .find(payout)
        .select(developer_payouts::status)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn news_move_the_payout_as_an_operator_would() {
    let app = app().await;
    let (payout, developer) = request(&app, 123_405).await;
    tell(&app, payout, "processing").await.expect(200);
    assert_eq!(status(&app, payout).await, "processing");
    tell(&app, payout, "paid").await.expect(200);
    assert_eq!(status(&app, payout).await, "paid");
    let told: Vec<(Uuid, String)> = notifications::table
        .order(notifications::id)
        .select((notifications::user_id, notifications::message))
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(told[1], (developer, "Your payout of 1234.05 EUR is now paid.".to_owned()));
    let audited = app.audited("payout:status_changed").await;
    assert_eq!((audited.len(), audited[1].scope.as_str(), audited[1].actor_id), (2, "system", None));
    assert_eq!(
        (&audited[1].metadata["from"], &audited[1].metadata["to"]),
        (&json!("processing"), &json!("paid"))
    );
    app.stop().await;
}

#[tokio::test]
async fn news_that_come_again_late_or_of_another_payout_change_nothing() {
    let app = app().await;
    let (payout, _) = request(&app, 100).await;
    for late in ["paid", "paid", "processing", "failed", "pending"] {
        tell(&app, payout, late).await.expect(200);
        assert_eq!(status(&app, payout).await, "paid", "{late}");
    }
    tell(&app, Uuid::now_v7(), "paid").await.expect(200);
    assert_eq!(app.audited("payout:status_changed").await.len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn what_cannot_be_believed_is_refused_and_moves_nothing() {
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
async fn without_a_secret_nothing_is_believed_and_no_document_tells_of_the_route() {
    let app = TestApp::start().await;
    let (payout, _) = request(&app, 100).await;
    let body = json!({ "payout_id": payout, "status": "paid" }).to_string();
    let answer = post(&app, &signature(&app, "", &body, 0), &body).await;
    answer.refused("UNAUTHORIZED", "Invalid webhook signature");
    assert_eq!(status(&app, payout).await, "pending");
    assert_eq!(lumio_api::openapi::document()["paths"][PATH], Value::Null);
    app.stop().await;
}
