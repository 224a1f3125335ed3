//! Deliveries of the stand-in, verified as a receiver does.

use std::time::Duration;

use crate::receiver::{Challenge, Received, Receiver};
use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use platforms_stand_in::{DeliveryOptions, Platform, StandIn, User, kick, twitch};
use serde_json::{Value, json};
use sha2::Sha256;

const SECRET: &str = "a-secret-of-this-test";
const TIMEOUT: Duration = Duration::from_secs(10);

/// Signature over id, timestamp and raw body (reference/platforms.md#eventsub).
fn is_signed_by_twitch(received: &Received) -> bool {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(received.header("Twitch-Eventsub-Message-Id").as_bytes());
    mac.update(received.header("Twitch-Eventsub-Message-Timestamp").as_bytes());
    mac.update(&received.body);
    let signature = received.header("Twitch-Eventsub-Message-Signature");
    mac.verify_slice(&hex::decode(signature.strip_prefix("sha256=").unwrap()).unwrap()).is_ok()
}

/// Signature over id, timestamp and raw body with dots between (reference/platforms.md#kick-webhooks).
fn is_signed_by_kick(pem: &str, received: &Received) -> bool {
    let signed = [
        received.header("Kick-Event-Message-Id").as_bytes(),
        received.header("Kick-Event-Message-Timestamp").as_bytes(),
        &received.body,
    ]
    .join(&b"."[..]);
    let signature = STANDARD.decode(received.header("Kick-Event-Signature")).unwrap();
    let key = pem::parse(pem).unwrap();
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.contents());
    key.verify(&signed, &signature).is_ok()
}

fn age_secs(timestamp: &str) -> i64 {
    (DateTime::<Utc>::from(std::time::SystemTime::now()) - timestamp.parse::<DateTime<Utc>>().unwrap())
        .num_seconds()
}

fn users(stand_in: &StandIn, platform: Platform) -> (User, User) {
    (stand_in.create_user(platform, "channel").0, stand_in.create_user(platform, "viewer").0)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn webhooks_of_twitch_arrive_signed_in_the_documented_shape() {
    let stand_in = StandIn::start().await;
    let receiver = Receiver::start(Challenge::Echo).await;
    let (channel, viewer) = users(&stand_in, Platform::Twitch);
    let events = [
        (twitch::Event::chat_message(&channel, &viewer, "hello"), "1", "chatter_user_login"),
        (twitch::Event::follow(&channel, &viewer), "2", "followed_at"),
        (twitch::Event::raid(&viewer, &channel, 42), "1", "from_broadcaster_user_name"),
        (twitch::Event::subscribe(&channel, &viewer, 1000, false), "1", "tier"),
        (twitch::Event::cheer(&channel, None, 100, "cheer100"), "1", "is_anonymous"),
        (twitch::Event::stream_online(&channel), "1", "started_at"),
        (twitch::Event::stream_offline(&channel), "1", "broadcaster_user_id"),
    ];
    for (event, version, field) in &events {
        let options = DeliveryOptions::default();
        let delivery = stand_in.deliver_twitch_to(&receiver.url, SECRET, event, &options).await;
        assert_eq!(delivery.statuses(), [Some(204)]);
        let received = receiver.received().pop().unwrap();
        assert!(is_signed_by_twitch(&received), "{}", event.subscription_type);
        assert_eq!(received.header("Twitch-Eventsub-Message-Type"), "notification");
        assert_eq!(received.header("Twitch-Eventsub-Subscription-Type"), event.subscription_type);
        assert_eq!(received.header("Twitch-Eventsub-Subscription-Version"), *version);
        assert!(age_secs(received.header("Twitch-Eventsub-Message-Timestamp")) <= 60);
        let body = received.json();
        assert_eq!(body["subscription"]["type"], event.subscription_type);
        assert!(body["subscription"]["transport"].get("secret").is_none());
        assert!(body["event"].get(field).is_some(), "{field} in {}", body["event"]);
    }
    let chat = receiver.received()[0].json();
    assert_eq!(chat["event"]["message"]["text"], "hello");
    assert_eq!(chat["event"]["message"]["fragments"][0]["type"], "text");
}

#[tokio::test]
async fn webhooks_repeat_id_and_signature_in_copies() {
    let stand_in = StandIn::start().await;
    let receiver = Receiver::start(Challenge::Echo).await;
    let (channel, viewer) = users(&stand_in, Platform::Twitch);
    let event = twitch::Event::chat_message(&channel, &viewer, "twice");
    let options = DeliveryOptions { copies: 2, message_id: Some("same".into()), ..Default::default() };
    let delivery = stand_in.deliver_twitch_to(&receiver.url, SECRET, &event, &options).await;
    assert_eq!((delivery.message_id.as_str(), delivery.statuses().len()), ("same", 2));
    let [first, second] = receiver.received().try_into().unwrap();
    for name in ["Twitch-Eventsub-Message-Id", "Twitch-Eventsub-Message-Signature"] {
        assert_eq!(first.header(name), second.header(name));
    }
    assert_eq!(first.body, second.body);
}

#[tokio::test]
async fn webhooks_can_be_forged_stale_or_truncated() {
    let stand_in = StandIn::start().await;
    let receiver = Receiver::start(Challenge::Echo).await;
    let (channel, viewer) = users(&stand_in, Platform::Twitch);
    let event = twitch::Event::chat_message(&channel, &viewer, "hello");
    let sent = async |options: DeliveryOptions| {
        stand_in.deliver_twitch_to(&receiver.url, SECRET, &event, &options).await;
        receiver.received().pop().unwrap()
    };
    assert!(!is_signed_by_twitch(
        &sent(DeliveryOptions { forge_signature: true, ..Default::default() }).await
    ));
    let stale = sent(DeliveryOptions { age_secs: 700, ..Default::default() }).await;
    assert!(
        is_signed_by_twitch(&stale) && age_secs(stale.header("Twitch-Eventsub-Message-Timestamp")) >= 700
    );
    let cut = sent(DeliveryOptions { truncate_to: Some(20), ..Default::default() }).await;
    assert!(!is_signed_by_twitch(&cut) && cut.body.len() == 20);
    let broken = sent(DeliveryOptions { truncate_before_signing_to: Some(20), ..Default::default() }).await;
    assert!(is_signed_by_twitch(&broken) && broken.body.len() == 20);
}

#[tokio::test]
async fn webhooks_of_a_subscription_arrive_until_it_is_revoked() {
    let stand_in = StandIn::start().await;
    let receiver = Receiver::start(Challenge::Echo).await;
    let (channel, viewer) = users(&stand_in, Platform::Twitch);
    let id = subscribe(&stand_in, &channel, &receiver.url).await;
    assert_eq!(stand_in.eventsub_status(&id, TIMEOUT).await.as_deref(), Some("enabled"));
    let challenge = &receiver.received()[0];
    assert!(is_signed_by_twitch(challenge));
    assert_eq!(challenge.header("Twitch-Eventsub-Message-Type"), "webhook_callback_verification");

    let options = DeliveryOptions::default();
    let here = twitch::Event::raid(&viewer, &channel, 3);
    let elsewhere = twitch::Event::raid(&channel, &viewer, 3);
    assert_eq!(stand_in.deliver_twitch(&here, &options).await.len(), 1);
    assert!(stand_in.deliver_twitch(&elsewhere, &options).await.is_empty());
    let delivered = receiver.received().pop().unwrap();
    assert_eq!(delivered.json()["subscription"]["id"], id.as_str());

    stand_in.revoke_eventsub(&id, "authorization_revoked").await.unwrap();
    let revocation = receiver.received().pop().unwrap();
    assert!(is_signed_by_twitch(&revocation));
    assert_eq!(revocation.header("Twitch-Eventsub-Message-Type"), "revocation");
    assert_eq!(revocation.json()["subscription"]["status"], "authorization_revoked");
    assert!(stand_in.deliver_twitch(&here, &options).await.is_empty());
}

#[tokio::test]
async fn webhooks_are_not_enabled_without_the_echoed_challenge() {
    let stand_in = StandIn::start().await;
    let receiver = Receiver::start(Challenge::Refuse).await;
    let (channel, viewer) = users(&stand_in, Platform::Twitch);
    let id = subscribe(&stand_in, &channel, &receiver.url).await;
    let status = stand_in.eventsub_status(&id, TIMEOUT).await;
    assert_eq!(status.as_deref(), Some("webhook_callback_verification_failed"));
    let raid = twitch::Event::raid(&viewer, &channel, 3);
    assert!(stand_in.deliver_twitch(&raid, &DeliveryOptions::default()).await.is_empty());
}

/// Subscribes to raids on a channel and returns the subscription's id.
async fn subscribe(stand_in: &StandIn, channel: &User, callback: &str) -> String {
    let app = stand_in.app(Platform::Twitch);
    let client = reqwest::Client::builder().build().unwrap();
    let form = [
        ("client_id", app.client_id.as_str()),
        ("client_secret", &app.client_secret),
        ("grant_type", "client_credentials"),
    ];
    let token = client.post(format!("{}/twitch/auth/oauth2/token", stand_in.url())).form(&form).send().await;
    let token: Value = token.unwrap().json().await.unwrap();
    let subscription = json!({
        "type": "channel.raid",
        "version": "1",
        "condition": { "to_broadcaster_user_id": channel.id },
        "transport": { "method": "webhook", "callback": callback, "secret": SECRET },
    });
    let answer = client
        .post(format!("{}/twitch/api/helix/eventsub/subscriptions", stand_in.url()))
        .bearer_auth(token["access_token"].as_str().unwrap())
        .header("Client-Id", &app.client_id)
        .json(&subscription)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 202);
    let answer: Value = answer.json().await.unwrap();
    answer["data"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn webhooks_of_kick_arrive_signed_in_the_documented_shape() {
    let stand_in = StandIn::start().await;
    let receiver = Receiver::start(Challenge::Echo).await;
    let pem = stand_in.kick_key().public_pem();
    let (channel, viewer) = users(&stand_in, Platform::Kick);
    let events = [
        (kick::Event::chat_message(&channel, &viewer, "hello"), "content"),
        (kick::Event::follow(&channel, &viewer), "follower"),
        (kick::Event::subscription_new(&channel, &viewer), "expires_at"),
        (kick::Event::subscription_gifts(&channel, None, std::slice::from_ref(&viewer)), "giftees"),
        (kick::Event::livestream_status(&channel, true, "Hi"), "ended_at"),
        (kick::Event::moderation_banned(&channel, &channel, &viewer, Some(5), "spam"), "banned_user"),
        (kick::Event::kicks_gifted(&channel, &viewer, 500, "w"), "gift"),
    ];
    for (event, field) in &events {
        let options = DeliveryOptions::default();
        let delivery = stand_in.deliver_kick_to(&receiver.url, event, &options).await;
        let received = receiver.received().pop().unwrap();
        assert!(is_signed_by_kick(&pem, &received), "{}", event.event_type);
        assert_eq!(received.header("Kick-Event-Type"), event.event_type);
        assert_eq!(received.header("Kick-Event-Version"), "1");
        assert_eq!(received.header("Kick-Event-Message-Id"), delivery.message_id);
        assert!(!received.header("Kick-Event-Subscription-Id").is_empty());
        let body = received.json();
        assert_eq!(body["broadcaster"]["user_id"].as_u64(), channel.id.parse().ok());
        assert!(keys(&body).contains(field), "{field} in {body}");
    }
    let gifts = receiver.received()[3].json();
    assert_eq!((&gifts["gifter"]["is_anonymous"], &gifts["gifter"]["user_id"]), (&json!(true), &Value::Null));

    let forged = DeliveryOptions { forge_signature: true, ..Default::default() };
    stand_in.deliver_kick_to(&receiver.url, &events[0].0, &forged).await;
    assert!(!is_signed_by_kick(&pem, &receiver.received().pop().unwrap()));
}

#[tokio::test]
async fn webhooks_report_a_receiver_that_is_away() {
    let stand_in = StandIn::start().await;
    let (channel, viewer) = users(&stand_in, Platform::Kick);
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let event = kick::Event::follow(&channel, &viewer);
    let options = DeliveryOptions::default();
    let delivery = stand_in.deliver_kick_to(&format!("http://{unused}"), &event, &options).await;
    assert_eq!(delivery.statuses(), [None]);
    assert!(delivery.attempts[0].error.is_some());
    assert!(stand_in.deliver_kick(&event, &options).await.is_err(), "no webhook address is set");
}

#[tokio::test]
async fn webhooks_of_redemptions_are_delivered_over_the_control_api() {
    let stand_in = StandIn::start().await;
    let receiver = Receiver::start(Challenge::Echo).await;
    let (channel, viewer) = users(&stand_in, Platform::Twitch);
    let reward = stand_in.add_twitch_reward(&channel, "Hug", 500);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let redeem = async |reward: &str| {
        let event = json!({ "kind": "redemption", "broadcaster": channel.id, "user": viewer.id, "reward": reward,
            "input": "a big one" });
        let body = json!({ "event": event, "to": { "callback": receiver.url, "secret": SECRET } });
        let address = format!("{}/_control/twitch/deliver", stand_in.url());
        client.post(address).json(&body).send().await.unwrap().status().as_u16()
    };
    assert_eq!(redeem("unknown").await, 404);
    assert_eq!(redeem(&reward.id).await, 200);
    let event = receiver.received().pop().unwrap().json()["event"].clone();
    assert_eq!((&event["reward"]["id"], &event["user_input"]), (&json!(reward.id), &json!("a big one")));
    let listed = client.get(format!("{}/_control/twitch/redemptions", stand_in.url())).send().await.unwrap();
    let redemption = json!({ "id": event["id"], "reward_id": reward.id, "status": "UNFULFILLED" });
    assert_eq!(listed.json::<Value>().await.unwrap(), json!([redemption]));
}
