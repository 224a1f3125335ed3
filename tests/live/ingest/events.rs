//! Events of deliveries, and equal events that are one or several (reference/ingest.md#time-and-identity).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use live_model::inbox::Inbound;
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, User, twitch};
use serde_json::{Value, json};
use shared::schema::webhook_inbox;

use lumio_tests::world::{
    connect, eventually, eventually_none, jobs, open_deliveries, published, rows, stored_events, workers,
};

use super::{TRIGGERS, all_handled, deliver_twitch, text, viewer};

#[tokio::test]
async fn ingest_publishes_follows_raids_and_streams_as_events() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let viewer = viewer(&app, Platform::Twitch);
    let events = [
        twitch::Event::follow(&streamer, &viewer),
        twitch::Event::raid(&viewer, &streamer, 42),
        twitch::Event::subscribe(&streamer, &viewer, 1000, false),
        twitch::Event::cheer(&streamer, None, 100, "cheer100"),
        twitch::Event::stream_online(&streamer),
        twitch::Event::stream_offline(&streamer),
    ];
    for event in &events {
        deliver_twitch(&app, event, &DeliveryOptions { copies: 2, ..DeliveryOptions::default() }).await;
    }
    all_handled(&app, 6).await;
    eventually("all rows are written", async || rows(&app).await == 6).await;

    let mut types: Vec<String> =
        stored_events(&app, owner.account_id).await.iter().map(|row| text(&row["event_type"])).collect();
    types.sort_unstable();
    assert_eq!(
        types,
        [
            "twitch:cheer",
            "twitch:follower",
            "twitch:raid",
            "twitch:stream_offline",
            "twitch:stream_online",
            "twitch:subscribe",
        ]
    );
    let mut published: Vec<String> = published(&app, &format!("events:{}", owner.account_id))
        .await
        .iter()
        .map(|event| text(&event["event_type"]))
        .collect();
    published.sort_unstable();
    let mut expected = vec!["event:new"; 6];
    expected.extend(["stream:offline", "stream:online"]);
    assert_eq!(published, expected);
    assert_eq!(jobs(&app, TRIGGERS).await, 6);
    running.stop().await.unwrap();
    app.stop().await;
}

/// A raid without an id of its own, as one transport delivers it.
fn inbound_raid(
    streamer: &User,
    delivery: &str,
    transport: &Value,
    sent_at: chrono::DateTime<chrono::Utc>,
) -> Inbound {
    Inbound {
        platform: shared::platform::Platform::Twitch,
        delivery_id: delivery.to_owned(),
        event_type: "channel.raid".to_owned(),
        body: json!({
            "subscription": { "type": "channel.raid", "transport": transport },
            "event": {
                "from_broadcaster_user_id": "42", "from_broadcaster_user_login": "raider",
                "from_broadcaster_user_name": "Raider", "to_broadcaster_user_id": streamer.id,
                "to_broadcaster_user_login": streamer.login, "to_broadcaster_user_name": streamer.display_name,
                "viewers": 7,
            },
        }),
        sent_at,
    }
}

#[tokio::test]
async fn ingest_keeps_equal_events_apart_unless_two_transports_reported_one() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let webhook = json!({ "method": "webhook", "callback": "https://api.example" });
    let socket = |session: &str| json!({ "method": "websocket", "session_id": session });
    let now = app.clock.now();
    let deliver_as = async |is_reopened: bool, delivery: &str, transport: &Value, after_secs: i64| {
        let published =
            inbound_raid(&streamer, delivery, transport, now + chrono::Duration::seconds(after_secs));
        let mut connection = app.databases.postgres.get().await.unwrap();
        let accepted =
            live_model::inbox::accept(&mut connection, &[published], app.clock.now()).await.unwrap();
        let reopened = diesel::update(webhook_inbox::table.find(accepted[0]));
        let reopened = reopened.set(webhook_inbox::is_reopened.eq(is_reopened));
        assert_eq!(reopened.execute(&mut *connection).await.unwrap(), 1);
        let job = foundation::jobs::HandleDelivery { delivery_id: accepted[0] };
        assert!(app.state.jobs.enqueue(&job, &accepted[0].to_string()).await.unwrap());
        eventually_none("the delivery is handled", async || open_deliveries(&app).await).await;
    };
    let deliver = async |delivery: &str, transport: &Value, after_secs: i64| {
        deliver_as(false, delivery, transport, after_secs).await;
    };
    let ids = async || -> std::collections::BTreeSet<String> {
        let published = published(&app, &format!("events:{}", owner.account_id)).await;
        published.iter().map(|event| text(&event["id"])).collect()
    };
    deliver("a", &webhook, 0).await;
    deliver_as(true, "again, because Redis lost its data", &webhook, 1).await;
    deliver("b", &webhook, 2).await;
    assert_eq!(ids().await.len(), 2, "one transport tells each thing once, so it happened twice");
    // The same event from a socket is the first one.
    deliver("c", &socket("s1"), 1).await;
    assert_eq!(ids().await.len(), 2);
    // Much later it is another event from either transport.
    deliver("d", &socket("s1"), 30).await;
    assert_eq!(ids().await.len(), 3);
    running.stop().await.unwrap();
    assert_eq!(
        stored_events(&app, owner.account_id).await.len(),
        3,
        "while Redis is made good, equals are one"
    );
    app.stop().await;
}
