//! The reader of Twitch over EventSub WebSockets (reference/ingest.md#twitch-sessions).

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms::twitch::EventSubTopic;
use platforms_stand_in::{
    Failure, Platform,
    twitch::{Event, Sessions},
};
use serde_json::json;
use shared::schema::{channel_connections, webhook_subscriptions};
use uuid::Uuid;

use super::{Stage, chat_socket, connect, next_event, reader_state};
use lumio_tests::world::{eventually, jobs, stored_events, workers};

const DAEMONS: [Daemon; 2] = [Daemon::Ingest, Daemon::TwitchEventsub];

async fn stage() -> Stage {
    Stage::on(Platform::Twitch, &[("LUMIO_TWITCH_EVENTSUB_TRANSPORT", "websocket")]).await
}

fn send_line(stage: &Stage, text: &str) {
    let line = Event::chat_message(&stage.channel, &stage.viewer, text);
    assert_eq!(stage.app.platforms.send_twitch(&line, 1), 1, "one session hears it");
}

/// Waits until every topic is subscribed.
async fn reads(stage: &Stage) {
    eventually("every topic is asked for", async || {
        stage.app.platforms.eventsub_subscriptions().len() == topics() && stage.is_shown_as("reading").await
    })
    .await;
}

fn welcomed(stage: &Stage) -> usize {
    stage.app.platforms.change_eventsub(|sessions: &mut Sessions| sessions.welcomed)
}

fn topics() -> usize {
    EventSubTopic::all_of("1").len()
}

#[tokio::test]
async fn twitch_lines_are_published_and_stored_once() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    let mut socket = chat_socket(&stage.app, &stage.owner).await;
    let line = Event::chat_message(&stage.channel, &stage.viewer, "hello");
    assert_eq!(stage.app.platforms.send_twitch(&line, 3), 1);
    let published = next_event(&mut socket, "chat:message").await;
    assert_eq!((&published["text"], &published["platform"]), (&json!("hello"), &json!("twitch")));
    let follow = Event::follow(&stage.channel, &stage.viewer);
    stage.app.platforms.send_twitch(&follow, 2);
    stage.stored_once(&["hello"]).await;
    eventually("the follow is stored", async || {
        stored_events(&stage.app, stage.owner.account_id).await.len() == 1
    })
    .await;
    assert_eq!(jobs(&stage.app, "extension_triggers").await, 2);
    stage.end(running).await;
}

#[tokio::test]
async fn twitch_sessions_move_without_losing_a_line_or_resubscribing() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    let (mut expected, asked) = (Vec::new(), stage.app.platforms.eventsub_subscriptions());
    for round in 0..3 {
        stage.app.platforms.reconnect_eventsub();
        for n in 0..5 {
            let text = format!("line {round} {n}");
            send_line(&stage, &text);
            expected.push(text);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        eventually("one socket is left", async || stage.app.platforms.eventsub_sockets() == 1).await;
    }
    let texts: Vec<&str> = expected.iter().map(String::as_str).collect();
    stage.stored_once(&texts).await;
    let ids = |all: &[platforms_stand_in::twitch::Subscription]| -> Vec<String> {
        all.iter().map(|one| one.id.clone()).collect()
    };
    assert_eq!(ids(&stage.app.platforms.eventsub_subscriptions()), ids(&asked));
    assert_eq!(welcomed(&stage), 1);
    stage.end(running).await;
}

#[tokio::test]
async fn twitch_sessions_reopen_with_every_topic_after_a_cut_or_silence() {
    let stage = stage().await;
    stage.app.platforms.change_eventsub(|sessions| sessions.keepalive_secs = 1);
    let running = stage.workers(&DAEMONS).await;
    for (round, code) in [None, Some(4000), Some(4006)].into_iter().enumerate() {
        reads(&stage).await;
        stage.app.platforms.cut_eventsub(code);
        eventually("another session", async || welcomed(&stage) == round + 2).await;
    }
    reads(&stage).await;
    let before = welcomed(&stage);
    stage.app.platforms.change_eventsub(|sessions| sessions.is_silent = true);
    eventually("the silent session is left", async || welcomed(&stage) > before).await;
    stage.app.platforms.change_eventsub(|sessions| sessions.is_silent = false);
    reads(&stage).await;
    send_line(&stage, "still here");
    stage.stored_once(&["still here"]).await;
    stage.end(running).await;
}

#[tokio::test]
async fn twitch_revocation_ends_the_reading_and_flags_the_connection() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    assert_eq!(stage.app.platforms.revoke_eventsub_type("channel.follow", "authorization_revoked"), 1);
    let is_flagged = async || -> bool {
        channel_connections::table
            .find(stage.connection_id)
            .select(channel_connections::reconnect_required)
            .first(&mut *stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    eventually("the connection is flagged", is_flagged).await;
    eventually("the session is closed", async || stage.app.platforms.eventsub_sockets() == 0).await;
    stage.end(running).await;
}

#[tokio::test]
async fn twitch_topics_that_are_not_granted_are_recorded_and_the_rest_is_read() {
    let stage = stage().await;
    let path = "/eventsub/subscriptions";
    stage.app.platforms.fail_next_at(Platform::Twitch, path, Failure::ServerError);
    let pause = Duration::from_secs(2);
    stage.app.platforms.fail_next_at(Platform::Twitch, path, Failure::RateLimited { retry_after: pause });
    let weak = app_with_few_scopes(&stage).await;
    let running = stage.workers(&DAEMONS).await;
    let states = async || -> Vec<(String, bool)> {
        webhook_subscriptions::table
            .filter(webhook_subscriptions::connection_id.eq(weak))
            .select((webhook_subscriptions::event_type, webhook_subscriptions::refusal.is_not_null()))
            .load(&mut *stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    eventually("everything was asked for", async || states().await.len() == topics()).await;
    let refused: Vec<String> =
        states().await.into_iter().filter(|(_, is_refused)| *is_refused).map(|(name, _)| name).collect();
    assert!(refused.contains(&"channel.follow".to_owned()), "{refused:?}");
    assert!(!refused.contains(&"channel.chat.message".to_owned()), "{refused:?}");
    reads_of(&stage, weak).await;
    stage.end(running).await;
}

async fn reads_of(stage: &Stage, connection_id: Uuid) {
    eventually("the channel is read", async || {
        reader_state(&stage.app, connection_id).await.as_deref() == Some("reading")
    })
    .await;
}

/// Another channel, whose owner granted only the reading of chat.
async fn app_with_few_scopes(stage: &Stage) -> Uuid {
    use foundation::crypto;
    use platforms_stand_in::NewUser;
    use shared::secret::Secret;
    let scopes = ["user:read:chat", "user:bot", "channel:bot"].map(str::to_owned).to_vec();
    let new = NewUser { login: Some("careful".into()), scopes: Some(scopes), ..NewUser::default() };
    let created = stage.app.platforms.create_user_with(Platform::Twitch, new);
    let owner = stage.app.owner().await;
    let (_, connection_id) = connect(&stage.app, owner.account_id, Platform::Twitch, "placeholder").await;
    let row = crypto::row(connection_id);
    let place = crypto::SecretLocation { table: "channel_connections", column: "access_token", row: &row };
    let sealed = stage.app.state.keyring.seal(place, &Secret::new(created.access_token)).unwrap();
    diesel::update(channel_connections::table.find(connection_id))
        .set((
            channel_connections::platform_channel_id.eq(created.user.id),
            channel_connections::access_token.eq(sealed),
        ))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    connection_id
}

#[tokio::test]
async fn twitch_opens_no_socket_with_webhooks() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &DAEMONS).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(app.platforms.eventsub_sockets(), 0);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn twitch_reading_moves_to_another_copy_within_seconds() {
    let stage = stage().await;
    let ingest = stage.workers(&[Daemon::Ingest]).await;
    let one = stage.workers(&[Daemon::TwitchEventsub]).await;
    reads(&stage).await;
    let two = stage.workers(&[Daemon::TwitchEventsub]).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(stage.app.platforms.eventsub_sockets(), 1, "one copy reads");
    drop(one);
    eventually("another session", async || welcomed(&stage) == 2).await;
    reads(&stage).await;
    send_line(&stage, "after the kill");
    stage.stored_once(&["after the kill"]).await;
    two.stop().await.unwrap();
    stage.end(ingest).await;
}
