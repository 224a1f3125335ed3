//! Deliveries of Trovo.

use lumio_tests::{Network, TestApp, Weather};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, User, trovo_chat::chat_of};
use serde_json::{Value, json};

use lumio_tests::world::{connect, eventually, inbox, messages, workers};

const PATH: &str = "/v1/webhooks/trovo";

async fn deliver(app: &TestApp, channel: &User, chats: &[Value], options: &DeliveryOptions) -> Vec<u16> {
    let callback = format!("{}{PATH}", app.url());
    let delivery = app.platforms.deliver_trovo_to(&callback, channel, chats, options).await;
    delivery.statuses().into_iter().map(|status| status.expect("an answer")).collect()
}

#[tokio::test]
async fn receive_trovo_webhook_stores_a_signed_delivery_once() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = connect(&app, owner.account_id, Platform::Trovo, "streamer").await;
    let viewer = app.platforms.create_user(Platform::Trovo, "viewer").0;
    let chats = [chat_of(0, &viewer, "hello"), chat_of(5003, &viewer, "just followed")];
    let thrice = DeliveryOptions { copies: 3, ..DeliveryOptions::default() };
    assert_eq!(deliver(&app, &channel, &chats, &thrice).await, [200, 200, 200]);
    assert_eq!(inbox(&app).await, 2);
    let running = workers(&app, &[Daemon::Ingest, Daemon::Housekeeping]).await;
    eventually("the line is stored", async || messages(&app, owner.account_id).await.len() == 1).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn receive_trovo_webhook_refuses_unverifiable_deliveries() {
    let app = TestApp::start().await;
    let (channel, _) = app.platforms.create_user(Platform::Trovo, "streamer");
    let chats = [chat_of(0, &channel, "hello")];
    let refused = [
        ("forged", 401, DeliveryOptions { forge_signature: true, ..DeliveryOptions::default() }),
        ("cut on the way", 401, DeliveryOptions { truncate_to: Some(40), ..DeliveryOptions::default() }),
        (
            "not JSON",
            400,
            DeliveryOptions { truncate_before_signing_to: Some(40), ..DeliveryOptions::default() },
        ),
        ("empty", 400, DeliveryOptions { truncate_before_signing_to: Some(0), ..DeliveryOptions::default() }),
    ];
    for (what, status, options) in refused {
        assert_eq!(deliver(&app, &channel, &chats, &options).await, [status], "{what}");
    }
    let mut stale = chats.clone();
    stale[0]["send_time"] = json!(app.clock.now().timestamp() - 700);
    let options = DeliveryOptions::default();
    assert_eq!(deliver(&app, &channel, &stale, &options).await, [401], "stale");
    assert_eq!(deliver(&app, &channel, &[json!({ "content": "no type" })], &options).await, [400], "odd");
    let long = [chat_of(0, &channel, &"x".repeat(256 * 1024))];
    assert_eq!(deliver(&app, &channel, &long, &options).await, [400], "too long");
    let unsigned = app.anonymous().post(PATH, json!({})).await;
    assert_eq!((unsigned.status, unsigned.error().0.as_str()), (401, "UNAUTHORIZED"));
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_trovo_webhook_answers_a_large_delivery_in_time_while_redis_is_silent() {
    let direct = TestApp::start().await;
    let url = direct.config().redis.url.expose().to_owned();
    direct.stop().await;
    let network = Network::to(&url).await;
    let app = TestApp::builder().with("REDIS_URL", network.url(&url)).start().await;
    let owner = app.owner().await;
    let channel = connect(&app, owner.account_id, Platform::Trovo, "streamer").await;
    let viewer = app.platforms.create_user(Platform::Trovo, "viewer").0;
    let chats: Vec<Value> = (0..200).map(|line| chat_of(0, &viewer, &format!("line {line}"))).collect();
    network.set_weather(Weather::Silent);
    // One wait for all jobs of the delivery, not one for each: the platform times out after ten seconds.
    assert_eq!(deliver(&app, &channel, &chats, &DeliveryOptions::default()).await, [200]);
    assert_eq!(inbox(&app).await, 200);
    network.set_weather(Weather::Fair);
    let running = workers(&app, &[Daemon::Ingest, Daemon::Housekeeping]).await;
    eventually("every line is stored", async || messages(&app, owner.account_id).await.len() == 200).await;
    running.stop().await.unwrap();
    app.stop().await;
}
