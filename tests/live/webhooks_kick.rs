//! Deliveries of Kick (reference/platforms.md#kick-webhooks).

use lumio_tests::TestApp;
use platforms_stand_in::{
    DeliveryOptions, Failure, Platform, WebhookRequest,
    kick::{self, Event},
};

use lumio_tests::world::inbox;

const PATH: &str = "/v1/webhooks/kick";

fn chat_message(app: &TestApp) -> Event {
    let (streamer, _) = app.platforms.create_user(Platform::Kick, "streamer");
    let (viewer, _) = app.platforms.create_user(Platform::Kick, "viewer");
    Event::chat_message(&streamer, &viewer, "hello")
}

fn signed(app: &TestApp, event: &Event, options: &DeliveryOptions) -> WebhookRequest {
    kick::notification(app.platforms.kick_key(), "01SUBSCRIPTION", event, options)
}

/// Posts a delivery with some headers changed; returns status and text.
async fn post(app: &TestApp, delivery: &WebhookRequest, changed: &[(&str, &str)]) -> (u16, String) {
    let mut request = app.anonymous().request(reqwest::Method::POST, PATH).body(delivery.body.clone());
    for (name, value) in &delivery.headers {
        let other = changed.iter().find(|(changed, _)| changed == name);
        request = request.header(*name, other.map_or(value.as_str(), |(_, value)| value));
    }
    let answer = app.anonymous().send(request).await;
    (answer.status, answer.text)
}

#[tokio::test]
async fn receive_kick_webhook_stores_a_signed_delivery_once_before_it_returns() {
    let app = TestApp::start().await;
    let delivery = signed(&app, &chat_message(&app), &DeliveryOptions::default());
    for _ in 0..3 {
        assert_eq!(post(&app, &delivery, &[]).await.0, 200);
    }
    assert_eq!(inbox(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn receive_kick_webhook_refuses_unverifiable_deliveries() {
    let app = TestApp::start().await;
    let event = chat_message(&app);
    let refused = [
        ("forged", 401, DeliveryOptions { forge_signature: true, ..DeliveryOptions::default() }),
        ("cut on the way", 401, DeliveryOptions { truncate_to: Some(40), ..DeliveryOptions::default() }),
        ("stale", 401, DeliveryOptions { age_secs: 610, ..DeliveryOptions::default() }),
        (
            "not JSON",
            400,
            DeliveryOptions { truncate_before_signing_to: Some(40), ..DeliveryOptions::default() },
        ),
    ];
    for (what, status, options) in refused {
        let (answered, text) = post(&app, &signed(&app, &event, &options), &[]).await;
        assert_eq!(answered, status, "{what}: {text}");
    }
    let delivery = signed(&app, &event, &DeliveryOptions::default());
    for header in ["Kick-Event-Signature", "Kick-Event-Message-Id", "Kick-Event-Message-Timestamp"] {
        assert_eq!(post(&app, &delivery, &[(header, "AAAA")]).await.0, 401, "{header}");
    }
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_kick_webhook_refuses_a_type_that_the_body_does_not_have() {
    let app = TestApp::start().await;
    let delivery = signed(&app, &chat_message(&app), &DeliveryOptions::default());
    for claimed in ["channel.followed", "moderation.banned", "kicks.gifted", "livestream.status.updated"] {
        let (status, text) = post(&app, &delivery, &[("Kick-Event-Type", claimed)]).await;
        assert_eq!(status, 400, "{claimed}: {text}");
    }
    // An unknown event must not make Kick end the subscription.
    assert_eq!(post(&app, &delivery, &[("Kick-Event-Type", "channel.renamed")]).await.0, 200);
    assert_eq!(inbox(&app).await, 0);
    // None of these blocked the real one.
    assert_eq!(post(&app, &delivery, &[]).await.0, 200);
    assert_eq!(inbox(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn receive_kick_webhook_fails_without_the_public_key() {
    let app = TestApp::start().await;
    let delivery = signed(&app, &chat_message(&app), &DeliveryOptions::default());
    app.platforms.fail_next_at(Platform::Kick, "public-key", Failure::ServerError);
    let (status, text) = post(&app, &delivery, &[]).await;
    assert_eq!(status, 500, "{text}");
    assert!(!text.contains("key"), "{text}");
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_kick_webhook_accepts_every_documented_event() {
    let app = TestApp::start().await;
    let (streamer, _) = app.platforms.create_user(Platform::Kick, "streamer");
    let (viewer, _) = app.platforms.create_user(Platform::Kick, "viewer");
    let events = [
        Event::chat_message(&streamer, &viewer, "hello"),
        Event::follow(&streamer, &viewer),
        Event::subscription_new(&streamer, &viewer),
        Event::subscription_renewal(&streamer, &viewer, 3),
        Event::subscription_gifts(&streamer, None, std::slice::from_ref(&viewer)),
        Event::livestream_status(&streamer, true, "title"),
        Event::livestream_metadata(&streamer, "title", "category"),
        Event::moderation_banned(&streamer, &streamer, &viewer, None, "spam"),
        Event::kicks_gifted(&streamer, &viewer, 100, "thanks"),
    ];
    for event in &events {
        let (status, text) = post(&app, &signed(&app, event, &DeliveryOptions::default()), &[]).await;
        assert_eq!(status, 200, "{}: {text}", event.event_type);
    }
    assert_eq!(inbox(&app).await, i64::try_from(events.len()).unwrap());
    app.stop().await;
}
