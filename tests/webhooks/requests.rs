//! Requests of deliveries (reference/webhooks.md#requests).

use lumio_tests::{
    TestApp,
    world::{connect, eventually, open_deliveries, stored_events, workers},
};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, twitch};
use serde_json::{Value, json};

use super::{
    receiver::Reply,
    stage::{ENDPOINTS, Stage, id_of},
};

#[tokio::test]
async fn requests_are_accepted_by_the_reference_verifier() {
    let stage = Stage::new().await;
    let input = json!({ "url": stage.receiver.url("/a"), "event_types": ["custom:goal"] });
    let made = stage.owner.post(ENDPOINTS, input).await.expect(201)["data"].clone();
    let event = stage.emit("goal").await;
    stage.emit("other").await;
    stage.deliver().await;
    let received = stage.receiver.received("/a");
    let [request] = received.as_slice() else { panic!("{received:?}") };
    assert!(request.is_verified_by(made["secret"].as_str().unwrap()));
    assert!(!request.is_verified_by(webhook_model::secrets::generate().expose()));
    assert_eq!(request.header("content-type"), "application/json");
    assert!(request.header("user-agent").starts_with("lumio-webhooks/"));
    assert_eq!(request.signatures(made["secret"].as_str().unwrap()), (1, true));
    let delivery = stage.deliveries(id_of(&made)).await[0].clone();
    assert_eq!(request.header("webhook-id"), delivery["id"].as_str().unwrap());
    let shown = stage.owner.get(&format!("/v1/events/{event}")).await.data().clone();
    let expected = json!({
        "type": "custom:goal", "timestamp": shown["occurred_at"], "account_id": stage.owner.account_id, "data": shown,
    });
    assert_eq!(request.body(), expected);
    stage.stop().await;
}

#[tokio::test]
async fn requests_follow_no_redirect_and_reach_nothing_inside_the_network() {
    let stage = Stage::new().await;
    let id = stage.endpoint("/a", &["*"]).await;
    let inside = "location: http://169.254.169.254/latest\r\n";
    for status in [301, 302, 303, 307, 308] {
        stage.receiver.reply("/a", Reply::Full(status, inside, String::new()));
        stage.owner.post(&format!("{ENDPOINTS}/{id}/test"), json!({})).await.expect(202);
        stage.deliver().await;
        let outcome = stage.deliveries(id).await[0].clone();
        let message = format!("Redirects are not followed (HTTP status {status})");
        assert_eq!((&outcome["status"], &outcome["last_error"]), (&json!("failed"), &json!(message)));
    }
    // An address that was stored before it became refused, and a name that leads inside.
    for (url, message) in [
        ("https://169.254.169.254/", "The address must be on the public internet"),
        ("https://localhost:2/", "The address must not be a host of this service"),
        ("http://hooks.example/", "The address must be an address that begins with https://"),
        ("https://no-such-host.invalid/", "The host has no address"),
    ] {
        let set = format!("UPDATE webhook_endpoints SET url = '{url}' WHERE id = $1");
        stage.execute(&set, id).await;
        stage.owner.post(&format!("{ENDPOINTS}/{id}/test"), json!({})).await.expect(202);
        stage.deliver().await;
        let outcome = stage.deliveries(id).await[0].clone();
        assert_eq!((&outcome["last_error"], &outcome["last_status_code"]), (&json!(message), &Value::Null));
    }
    assert_eq!(stage.receiver.received("/a").len(), 5);
    stage.stop().await;
}

#[tokio::test]
async fn requests_leave_no_secret_in_the_log() {
    let stage = Stage::new().await;
    let input = json!({ "url": stage.receiver.url("/a"), "event_types": ["*"] });
    let made = stage.owner.post(ENDPOINTS, input).await.expect(201)["data"].clone();
    let secret = made["secret"].as_str().unwrap();
    // As it is, escaped as in JSON, and across the end of what is kept.
    let escaped = secret.replace('/', r"\/").replace('=', r"\u003D");
    let begin = format!("wrong secret {secret} {escaped} ");
    let filler = "x".repeat(4096 - 10 - begin.len());
    stage.receiver.reply("/a", Reply::Full(400, "", format!("\0{begin}{filler}{secret}!")));
    stage.emit("a").await;
    stage.deliver().await;
    let outcome = stage.deliveries(id_of(&made)).await[0].clone();
    assert_eq!(outcome["response_excerpt"], format!("wrong secret [secret] [secret] {filler}[secret]"));
    stage.stop().await;
}

/// Events of a platform and chat lines, on their way through the daemon `ingest`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_have_the_chosen_events_of_platforms_and_chat_messages() {
    let stage = Stage::new().await;
    let (app, owner) = (&stage.app, &stage.owner);
    let streamer = connect(app, owner.account_id, Platform::Twitch, "streamer").await;
    let viewer = app.platforms.create_user(Platform::Twitch, "ada").0;
    stage.endpoint("/all", &["*"]).await;
    stage.endpoint("/chat", &["chat:message"]).await;
    stage.endpoint("/raids", &["twitch:raid"]).await;
    let running = workers(app, &[Daemon::Ingest, Daemon::Webhooks]).await;
    let line = twitch::Event::chat_message(&streamer, &viewer, "hello");
    let follow = twitch::Event::follow(&streamer, &viewer);
    for event in [&line, &follow] {
        deliver(app, event).await;
    }
    let receiver = &stage.receiver;
    eventually("both are received", async || {
        receiver.received("/all").len() + receiver.received("/chat").len() >= 2
    })
    .await;
    assert_eq!(receiver.received("/raids").len(), 0);
    let (all, chat) = (receiver.received("/all"), receiver.received("/chat"));
    assert_eq!((all.len(), chat.len()), (1, 1));
    let stored = stored_events(app, owner.account_id).await;
    let (event, message) = (all[0].body(), chat[0].body());
    assert_eq!((&event["type"], &event["data"]["id"]), (&json!("twitch:follower"), &stored[0]["id"]));
    assert_eq!(event["data"]["data"]["user_id"], json!(viewer.id));
    let shown = owner.get("/v1/chat/messages").await.data()[0].clone();
    assert_eq!((&message["type"], &message["timestamp"]), (&json!("chat:message"), &shown["sent_at"]));
    for key in ["id", "platform_message_id", "platform_user_id", "text", "fragments", "badges", "is_action"] {
        assert_eq!(message["data"][key], shown[key], "{key}");
    }
    // The writer knows by now that the account has other endpoints: a new one is announced to it.
    stage.endpoint("/late", &["twitch:follower"]).await;
    eventually("the new endpoint receives an event", async || {
        let name = format!("v{}", &uuid::Uuid::now_v7().simple().to_string()[12..]);
        let viewer = app.platforms.create_user(Platform::Twitch, &name).0;
        deliver(app, &twitch::Event::follow(&streamer, &viewer)).await;
        !receiver.received("/late").is_empty()
    })
    .await;
    running.stop().await.unwrap();
    stage.stop().await;
}

/// Delivers an event of Twitch, and waits until it is handled.
pub async fn deliver(app: &TestApp, event: &twitch::Event) {
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let secret = app.config().platforms.twitch_eventsub_secret.expect("a secret");
    let twice = DeliveryOptions { copies: 2, ..DeliveryOptions::default() };
    let delivery = app.platforms.deliver_twitch_to(&callback, secret.expose(), event, &twice).await;
    assert!(delivery.statuses().iter().all(|status| *status == Some(200)), "{delivery:?}");
    eventually("it is handled", async || open_deliveries(app).await == 0).await;
}
