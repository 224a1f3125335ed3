//! Leases of readers, and the connection that a channel is read with (reference/ingest.md#reader-leases).

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::crypto::{SecretLocation, row};
use lumio_tests::{Network, Weather, redis_server_url};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, NewToken, Platform, twitch::Event};
use shared::{schema::channel_connections, secret::Secret};
use uuid::Uuid;

use super::{Stage, connect, reader_state};
use lumio_tests::world::{eventually, jobs, published, stored_events};

const DAEMONS: [Daemon; 2] = [Daemon::Ingest, Daemon::TwitchEventsub];

async fn stage() -> Stage {
    Stage::on(Platform::Twitch, &[("LUMIO_TWITCH_EVENTSUB_TRANSPORT", "websocket")]).await
}

async fn is_read_with(stage: &Stage, connection_id: Uuid) -> bool {
    stage.app.platforms.eventsub_sockets() == 1
        && reader_state(&stage.app, connection_id).await.as_deref() == Some("reading")
}

/// Connects another account to the channel of the stage, with a token of its own.
async fn connect_another(stage: &Stage) -> (Uuid, Uuid) {
    let other = stage.app.owner().await.account_id;
    let (_, connection_id) = connect(&stage.app, other, Platform::Twitch, "placeholder").await;
    let token = stage.app.platforms.issue_token(NewToken {
        platform: Platform::Twitch,
        user_id: Some(stage.channel.id.clone()),
        client_id: None,
        scopes: None,
        expires_in_secs: None,
    });
    let row = row(connection_id);
    let place = SecretLocation { table: "channel_connections", column: "access_token", row: &row };
    let sealed = stage.app.state.keyring.seal(place, &Secret::new(token)).unwrap();
    diesel::update(channel_connections::table.find(connection_id))
        .set((
            channel_connections::platform_channel_id.eq(&stage.channel.id),
            channel_connections::access_token.eq(sealed),
        ))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    (other, connection_id)
}

#[tokio::test]
async fn leases_move_a_channel_to_the_connection_of_another_account() {
    let stage = stage().await;
    let (other, connection_id) = connect_another(&stage).await;
    let running = stage.workers(&DAEMONS).await;
    eventually("the oldest connection is read with", async || {
        is_read_with(&stage, stage.connection_id).await
    })
    .await;
    diesel::update(channel_connections::table.find(stage.connection_id))
        .set(channel_connections::reconnect_required.eq(true))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    eventually("the other connection is read with", async || is_read_with(&stage, connection_id).await).await;
    let line = Event::chat_message(&stage.channel, &stage.viewer, "still heard");
    assert_eq!(stage.app.platforms.send_twitch(&line, 1), 1, "one session hears it");
    let channel = format!("chat:{other}");
    eventually("it is told", async || published(&stage.app, &channel).await.len() == 1).await;
    stage.end(running).await;
}

#[tokio::test]
async fn leases_that_may_have_expired_end_the_reading_until_held_again() {
    let url = redis_server_url();
    let transport = ("LUMIO_TWITCH_EVENTSUB_TRANSPORT", "websocket");
    let stage = Stage::on(Platform::Twitch, &[transport, ("REDIS_URL", &url)]).await;
    let network = Network::to(&url).await;
    let mut config = stage.app.config();
    config.redis.url = Secret::new(network.url(&url));
    config.redis.pool_timeout = Duration::from_millis(500);
    let running =
        lumio_worker::start_with(config, stage.app.clock.clone(), &[Daemon::TwitchEventsub]).await.unwrap();
    eventually("it is read", async || is_read_with(&stage, stage.connection_id).await).await;
    for weather in [Weather::Cut, Weather::Silent] {
        network.set_weather(weather);
        // The lease lasts seven seconds from its last renewal; nothing else would end the reading.
        eventually("it is left", async || stage.app.platforms.eventsub_sockets() == 0).await;
        network.set_weather(Weather::Fair);
        eventually("it is read again", async || is_read_with(&stage, stage.connection_id).await).await;
    }
    stage.end(running).await;
}

#[tokio::test]
async fn sources_store_a_repeated_follow_once_and_equal_events_twice() {
    let stage = Stage::on(Platform::Twitch, &[]).await;
    let running = stage.workers(&[Daemon::Ingest]).await;
    let callback = format!("{}/v1/webhooks/twitch", stage.app.url());
    let events = [
        Event::follow(&stage.channel, &stage.viewer),
        Event::subscribe(&stage.channel, &stage.viewer, 1000, false),
        Event::cheer(&stage.channel, None, 100, "cheer100"),
    ];
    for event in &events {
        // Each delivery has an id and a time of its own.
        for age_secs in [1, 0] {
            let options = DeliveryOptions { age_secs, ..DeliveryOptions::default() };
            let secret = "stand-in-eventsub-secret";
            let delivery = stage.app.platforms.deliver_twitch_to(&callback, secret, event, &options).await;
            assert_eq!(delivery.statuses(), [Some(200)]);
        }
    }
    let types = async || -> Vec<String> {
        let stored = stored_events(&stage.app, stage.owner.account_id).await;
        let mut types: Vec<String> =
            stored.iter().map(|row| row["event_type"].as_str().unwrap().to_owned()).collect();
        types.sort_unstable();
        types
    };
    // A follow names its time; of the others nothing shows that two are one (reference/ingest.md#time-and-identity).
    let expected =
        ["twitch:cheer", "twitch:cheer", "twitch:follower", "twitch:subscribe", "twitch:subscribe"];
    eventually("every delivery is handled", async || {
        lumio_tests::world::open_deliveries(&stage.app).await == 0 && types().await.len() >= expected.len()
    })
    .await;
    assert_eq!(types().await, expected);
    assert_eq!(
        published(&stage.app, &format!("events:{}", stage.owner.account_id)).await.len(),
        expected.len()
    );
    assert_eq!(jobs(&stage.app, "extension_triggers").await, expected.len() as u64);
    stage.end(running).await;
}
