//! Data of people who chat (reference/webhooks.md#privacy).

use lumio_tests::eventually;
use serde_json::{Value, json};

use super::{
    receiver::Reply,
    stage::{Stage, emit},
};

#[tokio::test]
async fn privacy_of_an_erased_person_reaches_the_log_and_what_waits() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    let follow = json!({ "user_name": "Ada", "user_id": "4711470001", "followed_at": null });
    stage.receiver.reply("/a", Reply::Full(500, "", "twitch has no viewer 4711470001".to_owned()));
    emit(&stage.owner, "twitch:follower", follow.clone()).await;
    stage.deliver().await;
    stage.hold_back(id).await;
    emit(&stage.owner, "twitch:follower", follow).await;
    assert_eq!(stage.deliveries(id).await[1]["response_excerpt"], "twitch has no viewer 4711470001");

    let staff = stage.app.admin_with(&["admin:privacy-erase"]).await;
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    staff.post("/v1/admin/privacy/chat/erase", subject).await.expect(200);
    assert_eq!(stage.deliveries(id).await[1]["response_excerpt"], "twitch has no viewer [erased]");
    stage
        .execute(
            "UPDATE webhook_endpoints SET retry_at = NULL, due_at = now() - interval '1 day' WHERE id = $1",
            id,
        )
        .await;
    stage.deliver().await;
    assert_eq!(stage.receiver.received("/a").len(), 1, "nothing of the person is sent");
    for delivery in stage.deliveries(id).await {
        assert_eq!((&delivery["status"], &delivery["duration_ms"]), (&json!("failed"), &Value::Null));
        assert_eq!(delivery["last_error"], "The event is no longer stored");
    }
    assert_eq!(stage.shown(id).await["is_enabled"], true);
    stage.stop().await;
}

#[tokio::test]
async fn privacy_of_a_person_who_is_erased_during_an_attempt_reaches_its_answer() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    let follow = json!({ "user_name": "Ada", "user_id": "4711470001", "followed_at": null });
    stage.receiver.reply("/a", Reply::Late(500, "twitch has no viewer 4711470001".to_owned()));
    emit(&stage.owner, "twitch:follower", follow).await;
    let deliverer = stage.deliverer.clone();
    let sending = tokio::spawn(async move { deliverer.deliver_due().await });
    eventually("the request is sent", async || stage.receiver.received("/a").len() == 1).await;
    let staff = stage.app.admin_with(&["admin:privacy-erase"]).await;
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    staff.post("/v1/admin/privacy/chat/erase", subject).await.expect(200);
    stage.receiver.release();
    assert_eq!(sending.await.unwrap().unwrap(), 1);
    let delivery = stage.deliveries(id).await[0].clone();
    // The retry finds no event any more; the answer of the attempt before is not stored.
    assert_eq!((&delivery["attempts"], &delivery["last_status_code"]), (&json!(1), &json!(500)));
    assert_eq!(delivery["response_excerpt"], Value::Null);
    stage.stop().await;
}
