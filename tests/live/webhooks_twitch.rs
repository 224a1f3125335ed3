//! Deliveries of Twitch EventSub.

use lumio_tests::TestApp;
use platform_access::PlatformAccess as _;
use platforms::twitch::{EventSubTopic, NewEventSubSubscription};
use platforms_stand_in::{
    DeliveryOptions, Platform,
    twitch::{self, Event, Subscription},
};
use shared::secret::Secret;

use lumio_tests::world::inbox;

const PATH: &str = "/v1/webhooks/twitch";
const SECRET: &str = "stand-in-eventsub-secret";

fn follow(app: &TestApp) -> Event {
    let (streamer, _) = app.platforms.create_user(Platform::Twitch, "streamer");
    let (viewer, _) = app.platforms.create_user(Platform::Twitch, "viewer");
    Event::follow(&streamer, &viewer)
}

/// Delivers an event; returns the statuses.
async fn deliver(app: &TestApp, event: &Event, options: DeliveryOptions) -> Vec<u16> {
    let callback = format!("{}{PATH}", app.url());
    let delivery = app.platforms.deliver_twitch_to(&callback, SECRET, event, &options).await;
    delivery.statuses().into_iter().map(|status| status.expect("an answer")).collect()
}

#[tokio::test]
async fn receive_twitch_webhook_stores_a_signed_delivery_before_it_returns() {
    let app = TestApp::start().await;
    assert_eq!(deliver(&app, &follow(&app), DeliveryOptions::default()).await, [200]);
    assert_eq!(inbox(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn receive_twitch_webhook_stores_a_repeated_delivery_once() {
    let app = TestApp::start().await;
    let repeated = DeliveryOptions { copies: 3, ..DeliveryOptions::default() };
    assert_eq!(deliver(&app, &follow(&app), repeated).await, [200, 200, 200]);
    assert_eq!(inbox(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn receive_twitch_webhook_refuses_unverifiable_deliveries() {
    let app = TestApp::start().await;
    let event = follow(&app);
    let refused = [
        ("forged", 401, DeliveryOptions { forge_signature: true, ..DeliveryOptions::default() }),
        ("cut on the way", 401, DeliveryOptions { truncate_to: Some(40), ..DeliveryOptions::default() }),
        ("stale", 401, DeliveryOptions { age_secs: 601, ..DeliveryOptions::default() }),
        (
            "not JSON",
            400,
            DeliveryOptions { truncate_before_signing_to: Some(40), ..DeliveryOptions::default() },
        ),
        ("empty", 400, DeliveryOptions { truncate_before_signing_to: Some(0), ..DeliveryOptions::default() }),
    ];
    for (what, status, options) in refused {
        assert_eq!(deliver(&app, &event, options).await, [status], "{what}");
    }
    let unsigned = app.anonymous().post(PATH, event.event.clone()).await;
    assert_eq!((unsigned.status, unsigned.error().0.as_str()), (401, "UNAUTHORIZED"));
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_twitch_webhook_limits_a_delivery_to_256_kib() {
    let app = TestApp::start().await;
    let (streamer, _) = app.platforms.create_user(Platform::Twitch, "streamer");
    let text = "x".repeat(256 * 1024);
    let event = Event::chat_message(&streamer, &streamer, &text);
    let callback = format!("{}{PATH}", app.url());
    let delivery =
        app.platforms.deliver_twitch_to(&callback, SECRET, &event, &DeliveryOptions::default()).await;
    assert_eq!(delivery.attempts[0].status, Some(400), "{:?}", delivery.attempts);
    assert!(delivery.attempts[0].body.contains("Request body too large"));
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_twitch_webhook_refuses_a_delivery_under_another_message_type() {
    let app = TestApp::start().await;
    let event = follow(&app);
    let subscription = Subscription::enabled(&event, "http://localhost", SECRET);
    let notification = twitch::notification(&subscription, &event, &DeliveryOptions::default());
    for kind in ["webhook_callback_verification", "revocation", "other"] {
        let mut request =
            app.anonymous().request(reqwest::Method::POST, PATH).body(notification.body.clone());
        for (name, value) in &notification.headers {
            // The message type is in a header that Twitch does not sign.
            let value = if *name == "Twitch-Eventsub-Message-Type" { kind } else { value };
            request = request.header(*name, value);
        }
        assert_eq!(app.anonymous().send(request).await.status, 400, "{kind}");
    }
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_twitch_webhook_returns_the_challenge_as_bare_text() {
    let app = TestApp::start().await;
    let event = follow(&app);
    let subscription = Subscription::enabled(&event, "http://localhost", SECRET);
    let question = twitch::verification(&subscription, "p0g-chal!enge", &DeliveryOptions::default());
    let mut request = app.anonymous().request(reqwest::Method::POST, PATH).body(question.body.clone());
    for (name, value) in &question.headers {
        request = request.header(*name, value);
    }
    let answer = app.anonymous().send(request).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, "p0g-chal!enge"));
    assert!(answer.header("content-type").starts_with("text/plain"), "{}", answer.header("content-type"));
    assert_eq!(inbox(&app).await, 0);

    let forged = DeliveryOptions { forge_signature: true, ..DeliveryOptions::default() };
    let forged = twitch::verification(&subscription, "p0g-chal!enge", &forged);
    let attempt = forged.post(&foundation::http::client().unwrap(), &format!("{}{PATH}", app.url())).await;
    assert_eq!(attempt.status, Some(401));
    assert!(!attempt.body.contains("p0g"));
    app.stop().await;
}

#[tokio::test]
async fn receive_twitch_webhook_verifies_a_subscription_and_takes_its_revocation() {
    let app = TestApp::start().await;
    let (streamer, _) = app.platforms.create_user(Platform::Twitch, "streamer");
    let twitch = app.state.platforms().twitch();
    let token = app.state.platforms().app_token(shared::platform::Platform::Twitch).await.unwrap();
    let subscription = NewEventSubSubscription {
        topic: EventSubTopic::ChannelRaid { to_broadcaster_user_id: streamer.id.clone() },
        callback: format!("{}{PATH}", app.url()).parse().unwrap(),
        secret: Secret::new(SECRET),
    };
    let subscription = twitch.create_eventsub_subscription(&token, &subscription).await.unwrap();
    let status = app.platforms.eventsub_status(&subscription.id, std::time::Duration::from_secs(10)).await;
    assert_eq!(status.as_deref(), Some("enabled"));

    let ended = app.platforms.revoke_eventsub(&subscription.id, "authorization_revoked").await.unwrap();
    assert_eq!(ended.statuses(), [Some(200)]);
    assert_eq!(inbox(&app).await, 1);
    app.stop().await;
}
