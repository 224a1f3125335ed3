//! Questions and deliveries of YouTube's hub.

use lumio_tests::TestApp;
use platforms_stand_in::{DeliveryOptions, youtube_live::Feed};

use super::world::inbox;

const PATH: &str = "/v1/webhooks/youtube";
const SECRET: &str = "stand-in-youtube-hub-secret";
const TOPIC: &str = "https://www.youtube.com/xml/feeds/videos.xml?channel_id=";

/// Asks as a hub does; answers status and text.
async fn ask(app: &TestApp, mode: &str, channel: &str, challenge: &str) -> (u16, String) {
    let query = form(&[
        ("hub.mode", mode),
        ("hub.topic", &format!("{TOPIC}{channel}")),
        ("hub.challenge", challenge),
        ("hub.lease_seconds", "432000"),
    ]);
    let answer = app.anonymous().get(&format!("{PATH}?{query}")).await;
    (answer.status, answer.text)
}

fn form(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

async fn connected(app: &TestApp, channel: &str) {
    use diesel::{insert_into, prelude::*};
    use diesel_async::RunQueryDsl;
    use shared::db::schema::channel_connections;
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn the_challenge_is_echoed_for_feeds_that_are_wanted_only() {
    let app = TestApp::start().await;
    connected(&app, "UCours").await;
    assert_eq!(ask(&app, "subscribe", "UCours", "c h&llenge").await, (200, "c h&llenge".to_owned()));
    assert_eq!(ask(&app, "subscribe", "UCforeign", "c").await.0, 404);
    assert_eq!(ask(&app, "unsubscribe", "UCours", "c").await.0, 404);
    assert_eq!(ask(&app, "unsubscribe", "UCforeign", "c").await.0, 200);
    for (mode, challenge) in [("denied", "c"), ("subscribe", ""), ("subscribe", &"x".repeat(1025))] {
        assert_eq!(ask(&app, mode, "UCours", challenge).await.0, 400, "{mode}");
    }
    assert_eq!(app.anonymous().get(PATH).await.status, 400);
    app.stop().await;
}

#[tokio::test]
async fn a_signed_feed_is_durable_and_stored_once() {
    let app = TestApp::start().await;
    let callback = format!("{}{PATH}", app.url());
    let feed = Feed { topic: format!("{TOPIC}UC1"), callback, secret: SECRET.into() };
    let thrice = DeliveryOptions { copies: 3, ..DeliveryOptions::default() };
    let delivery = app.platforms.publish_video_to(&feed, "UC1", "video1", &thrice).await;
    assert_eq!(delivery.statuses(), [Some(200); 3]);
    assert_eq!(inbox(&app).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn what_cannot_be_believed_is_refused_and_nothing_is_stored() {
    let app = TestApp::start().await;
    let callback = format!("{}{PATH}", app.url());
    let feed = Feed { topic: format!("{TOPIC}UC1"), callback, secret: SECRET.into() };
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
    let unsigned = app.anonymous().post(PATH, serde_json::json!({})).await;
    assert_eq!((unsigned.status, unsigned.error().0.as_str()), (401, "UNAUTHORIZED"));
    assert_eq!(inbox(&app).await, 0);
    app.stop().await;
}
