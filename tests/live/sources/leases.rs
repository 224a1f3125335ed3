//! Who reads a channel, and with whose connection.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Network, Weather};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, NewToken, Platform, twitch::Event};
use shared::{
    crypto::{Place, row},
    db::schema::channel_connections,
    secret::Secret,
};
use uuid::Uuid;

use super::{Stage, connect, reader_state};
use crate::live::world::{eventually, jobs, stored_events, told};

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
    let place = Place { table: "channel_connections", column: "access_token", row: &row };
    let sealed = stage.app.state.keyring.seal(place, &Secret::new(token)).unwrap();
    diesel::update(channel_connections::table.find(connection_id))
        .set((
            channel_connections::platform_channel_id.eq(&stage.channel.id),
            channel_connections::access_token.eq(sealed),
        ))
        .execute(&mut *stage.app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    (other, connection_id)
}

#[tokio::test]
async fn a_channel_goes_on_being_read_with_another_accounts_connection_when_the_first_one_ends() {
    let stage = stage().await;
    let (other, connection_id) = connect_another(&stage).await;
    let running = stage.workers(&DAEMONS).await;
    eventually("the oldest connection is read with", async || {
        is_read_with(&stage, stage.connection_id).await
    })
    .await;
    diesel::update(channel_connections::table.find(stage.connection_id))
        .set(channel_connections::reconnect_required.eq(true))
        .execute(&mut *stage.app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    eventually("the other connection is read with", async || is_read_with(&stage, connection_id).await).await;
    let line = Event::chat_message(&stage.channel, &stage.viewer, "still heard");
    assert_eq!(stage.app.platforms.tell_twitch(&line, 1), 1, "one session hears it");
    let channel = format!("chat:{other}");
    eventually("it is told", async || told(&stage.app, &channel).await.len() == 1).await;
    stage.end(running).await;
}

#[tokio::test]
async fn a_channel_is_left_when_its_lease_can_have_run_out_and_read_again_when_it_is_held() {
    let stage = stage().await;
    let url = stage.app.config().redis.url.expose().to_owned();
    let network = Network::to(&url).await;
    let mut config = stage.app.config();
    config.redis.url = Secret::new(network.url(&url));
    config.redis.pool_timeout = Duration::from_millis(500);
    let running =
        lumio_worker::start_with(config, stage.app.clock.clone(), &[Daemon::TwitchEventsub]).await.unwrap();
    eventually("it is read", async || is_read_with(&stage, stage.connection_id).await).await;
    for weather in [Weather::Cut, Weather::Silent] {
        network.turn(weather);
        // The lease lasts seven seconds from its last renewal; nothing else would end the reading.
        eventually("it is left", async || stage.app.platforms.eventsub_sockets() == 0).await;
        network.turn(Weather::Fair);
        eventually("it is read again", async || is_read_with(&stage, stage.connection_id).await).await;
    }
    stage.end(running).await;
}

#[tokio::test]
async fn a_follow_told_twice_happens_once_and_equal_events_over_one_transport_are_two() {
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
    // A follow names its time; of the others nothing says that two are one (specification E, 24).
    let expected =
        ["twitch:cheer", "twitch:cheer", "twitch:follower", "twitch:subscribe", "twitch:subscribe"];
    eventually("every delivery is handled", async || {
        crate::live::world::open_deliveries(&stage.app).await == 0 && types().await.len() >= expected.len()
    })
    .await;
    assert_eq!(types().await, expected);
    assert_eq!(told(&stage.app, &format!("events:{}", stage.owner.account_id)).await.len(), expected.len());
    assert_eq!(jobs(&stage.app, "extension_triggers").await, expected.len() as u64);
    stage.end(running).await;
}
