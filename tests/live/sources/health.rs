//! The health of connections.

use std::time::Duration;

use connection_model::health::{self, Health, ReaderState};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{Platform, trovo_chat::chat_of};

use super::connect;
use lumio_tests::world::{eventually, workers};

#[tokio::test]
async fn health_shows_the_reader_the_last_events_and_the_lag() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (channel, connection_id) = connect(&app, owner.account_id, Platform::Trovo, "streamer").await;
    let viewer = app.platforms.create_user(Platform::Trovo, "viewer").0;
    let running = workers(&app, &[Daemon::Ingest, Daemon::TrovoChat]).await;
    let shown = async || -> Health {
        let mut db = app.databases.postgres.get().await.unwrap();
        health::of(&mut db, &[connection_id]).await.unwrap().remove(&connection_id).unwrap_or_default()
    };
    eventually("it reads", async || {
        shown().await.reader.is_some_and(|reader| reader.state == ReaderState::Reading)
    })
    .await;
    app.platforms.send_trovo(&channel, &chat_of(0, &viewer, "hello"));
    app.platforms.send_trovo(&channel, &chat_of(5003, &viewer, "just followed"));
    eventually("both events are shown", async || {
        shown().await.last_events.keys().eq(["chat:message", "trovo:follower"])
    })
    .await;
    let age = app.clock.now() - shown().await.last_events["chat:message"];
    assert!(age < chrono::Duration::seconds(30), "{age}");
    let scraper = app.anonymous().at(format!("http://{}", running.metrics_address));
    let text = scraper.get("/metrics").await.text;
    for (name, label) in [
        ("lumio_ingest_lag_seconds_count{", "platform=\"trovo\""),
        ("lumio_source_channels_reading{", "platform=\"trovo\""),
        ("lumio_source_received_total{", "outcome=\"accepted\""),
    ] {
        let line = text.lines().find(|line| line.starts_with(name) && line.contains(label));
        let value = line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        assert!(value.is_some_and(|value| value >= 1.0), "{name} {label}: {line:?}");
    }
    // A reader that is stopped reports the reason.
    app.platforms.change_trovo(|chats| chats.is_mute = true);
    app.platforms.cut_trovo(true);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let reader = eventually_reader(&shown).await;
    assert!(reader.contains("Trovo closed the socket"), "{reader}");
    running.stop().await.unwrap();
    app.stop().await;
}

/// Detail of a reader that waits.
async fn eventually_reader(shown: &impl AsyncFn() -> Health) -> String {
    for _ in 0..200 {
        if let Some(detail) = shown().await.reader.and_then(|reader| reader.detail) {
            return detail;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the reader says nothing");
}
