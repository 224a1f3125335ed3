//! Verifications and deliveries of YouTube's hub (reference/ingest.md#hub-of-youtube).

use lumio_tests::TestApp;
use platforms::youtube::callback::HubCallback;
use platforms_stand_in::{DeliveryOptions, youtube_live::Feed};
use shared::secret::Secret;

use lumio_tests::world::inbox;

const PATH: &str = "/v1/webhooks/youtube";
const SECRET: &str = "stand-in-youtube-hub-secret";
const TOPIC: &str = "https://www.youtube.com/xml/feeds/videos.xml?channel_id=";

/// The address that the deployment gives the hub for a channel.
fn address(app: &TestApp, channel: &str) -> String {
    let base = app.url().parse().unwrap();
    HubCallback::address(&base, channel, &Secret::new(SECRET)).unwrap().into()
}

/// Requests a verification as a hub does, at the address of a channel; returns status and text.
async fn ask_at(app: &TestApp, address: &str, mode: &str, channel: &str, challenge: &str) -> (u16, String) {
    let query = form(&[
        ("hub.mode", mode),
        ("hub.topic", &format!("{TOPIC}{channel}")),
        ("hub.challenge", challenge),
        ("hub.lease_seconds", "432000"),
    ]);
    let joint = if address.contains('?') { '&' } else { '?' };
    let path = address.strip_prefix(&app.url()).unwrap_or(address);
    let answer = app.anonymous().get(&format!("{path}{joint}{query}")).await;
    (answer.status, answer.text)
}

async fn ask(app: &TestApp, mode: &str, channel: &str, challenge: &str) -> (u16, String) {
    ask_at(app, &address(app, channel), mode, channel, challenge).await
}

fn feed_of(app: &TestApp, channel: &str) -> Feed {
    Feed { topic: format!("{TOPIC}{channel}"), callback: address(app, channel), secret: SECRET.into() }
}

/// Addresses that the deployment never issued for the channel `UCours`.
fn foreign_addresses(app: &TestApp) -> [String; 6] {
    let own = address(app, "UCours");
    let (start, word) = own.split_at(own.len() - 64);
    let flipped = if word.starts_with('0') { "1" } else { "0" };
    [
        PATH.to_owned(),
        format!("{PATH}?channel=UCours"),
        format!("{PATH}?channel=UCours&t="),
        format!("{start}{flipped}{}", &word[1..]),
        format!("{start}{}", &word[..62]),
        // The token of another channel.
        format!("{start}{}", address(app, "UCother").split_off(own.len() + 1 - 64)),
    ]
}

fn form(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

async fn connected(app: &TestApp, channel: &str) {
    use diesel::{insert_into, prelude::*};
    use diesel_async::RunQueryDsl;
    use shared::schema::channel_connections;
    let owner = app.owner().await;
    insert_into(channel_connections::table)
        .values((
            channel_connections::id.eq(shared::id::new()),
            channel_connections::account_id.eq(owner.account_id),
            channel_connections::platform.eq("youtube"),
            channel_connections::platform_channel_id.eq(channel),
            channel_connections::channel_name.eq("ada"),
            channel_connections::display_name.eq("Ada"),
            channel_connections::credential_source.eq("system"),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn verify_youtube_webhook_echoes_the_challenge_of_wanted_feeds_only() {
    let app = TestApp::start().await;
    connected(&app, "UCours").await;
    assert_eq!(ask(&app, "subscribe", "UCours", "c h&llenge").await, (200, "c h&llenge".to_owned()));
    assert_eq!(ask(&app, "subscribe", "UCforeign", "c").await.0, 404);
    assert_eq!(ask(&app, "unsubscribe", "UCours", "c").await.0, 404);
    assert_eq!(ask(&app, "unsubscribe", "UCforeign", "c").await.0, 200);
    for (mode, challenge) in [("denied", "c"), ("subscribe", ""), ("subscribe", &"x".repeat(1025))] {
        assert_eq!(ask(&app, mode, "UCours", challenge).await.0, 400, "{mode}");
    }
    let nothing_asked = address(&app, "UCours").replace(&app.url(), "");
    assert_eq!(app.anonymous().get(&nothing_asked).await.status, 400);
    // The address is for one channel, connected or not.
    connected(&app, "UCother").await;
    assert_eq!(ask_at(&app, &address(&app, "UCours"), "subscribe", "UCother", "c").await.0, 404);
    app.stop().await;
}

#[tokio::test]
async fn verify_youtube_webhook_accepts_only_issued_addresses_and_counts_others() {
    let app = TestApp::builder().with("LUMIO_RATE_ANONYMOUS", 8).start().await;
    app.begin_a_window(60);
    connected(&app, "UCours").await;
    for foreign in foreign_addresses(&app) {
        let (status, text) = ask_at(&app, &foreign, "subscribe", "UCours", "c").await;
        assert_eq!(status, 401, "{foreign}: {text}");
        assert!(text.contains("Invalid webhook signature"), "{text}");
        let feed = Feed {
            callback: format!("{}{}", app.url(), foreign.replace(&app.url(), "")),
            ..feed_of(&app, "UCours")
        };
        let delivery =
            app.platforms.publish_video_to(&feed, "UCours", "video1", &DeliveryOptions::default()).await;
        assert_eq!(delivery.statuses(), [Some(401)], "{foreign}");
    }
    assert_eq!(inbox(&app).await, 0);
    for _ in 0..2 {
        assert_eq!(ask_at(&app, PATH, "subscribe", "UCours", "c").await.0, 401);
    }
    assert_eq!(ask_at(&app, PATH, "subscribe", "UCours", "c").await.0, 429);
    // The hub itself may verify any number of channels.
    assert_eq!(ask(&app, "subscribe", "UCours", "c").await, (200, "c".to_owned()));
    app.stop().await;
}

#[tokio::test]
async fn receive_youtube_webhook_refuses_a_feed_at_another_channels_address() {
    let app = TestApp::start().await;
    let delivery = app
        .platforms
        .publish_video_to(&feed_of(&app, "UC1"), "UC2", "video1", &DeliveryOptions::default())
        .await;
    assert_eq!(delivery.statuses(), [Some(400)]);
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn receive_youtube_webhook_stores_a_signed_feed_once() {
    let app = TestApp::start().await;
    let feed = feed_of(&app, "UC1");
    let thrice = DeliveryOptions { copies: 3, ..DeliveryOptions::default() };
    let delivery = app.platforms.publish_video_to(&feed, "UC1", "video1", &thrice).await;
    assert_eq!(delivery.statuses(), [Some(200); 3]);
    assert_eq!(inbox(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn receive_youtube_webhook_refuses_unverifiable_deliveries() {
    let app = TestApp::start().await;
    let feed = feed_of(&app, "UC1");
    let refused = [
        ("forged", 401, DeliveryOptions { forge_signature: true, ..DeliveryOptions::default() }),
        ("cut on the way", 401, DeliveryOptions { truncate_to: Some(99), ..DeliveryOptions::default() }),
        (
            "not a feed",
            400,
            DeliveryOptions { truncate_before_signing_to: Some(99), ..DeliveryOptions::default() },
        ),
        ("empty", 400, DeliveryOptions { truncate_before_signing_to: Some(0), ..DeliveryOptions::default() }),
    ];
    for (what, status, options) in refused {
        let delivery = app.platforms.publish_video_to(&feed, "UC1", "video1", &options).await;
        assert_eq!(delivery.statuses(), [Some(status)], "{what}");
    }
    let path = feed.callback.replace(&app.url(), "");
    let unsigned = app.anonymous().post(&path, serde_json::json!({})).await;
    assert_eq!((unsigned.status, unsigned.error().0.as_str()), (401, "UNAUTHORIZED"));
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}
