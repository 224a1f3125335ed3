//! Twitch over EventSub WebSockets.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{
    Failure, Platform, User,
    twitch::{Event, Sessions},
};
use serde_json::json;
use shared::{
    db::schema::{channel_connections, webhook_subscriptions},
    platforms::twitch::EventSubTopic,
};
use uuid::Uuid;

use super::{chat_socket, connect, heard, reader_state, stored_once};
use crate::live::world::{eventually, jobs, stored_events, workers};

const DAEMONS: [Daemon; 2] = [Daemon::Ingest, Daemon::TwitchEventsub];

struct Stage {
    app: TestApp,
    owner: Person,
    channel: User,
    connection_id: Uuid,
    viewer: User,
}

impl Stage {
    async fn new() -> Self {
        let app = TestApp::builder().with("LUMIO_TWITCH_EVENTSUB_TRANSPORT", "websocket").start().await;
        let owner = app.owner().await;
        let (channel, connection_id) = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        let viewer = app.platforms.create_user(Platform::Twitch, "viewer").0;
        Self { app, owner, channel, connection_id, viewer }
    }

    fn say(&self, text: &str) {
        let line = Event::chat_message(&self.channel, &self.viewer, text);
        assert_eq!(self.app.platforms.tell_twitch(&line, 1), 1, "one session hears it");
    }

    /// Every topic is asked for.
    async fn reads(&self) {
        eventually("every topic is asked for", async || {
            self.app.platforms.eventsub_subscriptions().len() == topics()
                && reader_state(&self.app, self.connection_id).await.as_deref() == Some("reading")
        })
        .await;
    }

    fn welcomed(&self) -> usize {
        self.app.platforms.change_eventsub(|sessions: &mut Sessions| sessions.welcomed)
    }
}

fn topics() -> usize {
    EventSubTopic::all_of("1").len()
}

async fn end(app: TestApp, running: Running) {
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn a_line_is_told_on_a_socket_and_stored_once_however_often_it_comes() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    let mut socket = chat_socket(&stage.app, &stage.owner).await;
    let line = Event::chat_message(&stage.channel, &stage.viewer, "hello");
    assert_eq!(stage.app.platforms.tell_twitch(&line, 3), 1);
    let told = heard(&mut socket, "chat:message").await;
    assert_eq!((&told["text"], &told["platform"]), (&json!("hello"), &json!("twitch")));
    let follow = Event::follow(&stage.channel, &stage.viewer);
    stage.app.platforms.tell_twitch(&follow, 2);
    stored_once(&stage.app, stage.owner.account_id, &["hello"]).await;
    eventually("the follow is stored", async || {
        stored_events(&stage.app, stage.owner.account_id).await.len() == 1
    })
    .await;
    assert_eq!(jobs(&stage.app, "extension_triggers").await, 2);
    end(stage.app, running).await;
}

#[tokio::test]
async fn a_session_moves_without_losing_a_line_or_asking_again() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    let (mut expected, asked) = (Vec::new(), stage.app.platforms.eventsub_subscriptions());
    for round in 0..3 {
        stage.app.platforms.reconnect_eventsub();
        for n in 0..5 {
            let text = format!("line {round} {n}");
            stage.say(&text);
            expected.push(text);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        eventually("one socket is left", async || stage.app.platforms.eventsub_sockets() == 1).await;
    }
    let texts: Vec<&str> = expected.iter().map(String::as_str).collect();
    stored_once(&stage.app, stage.owner.account_id, &texts).await;
    let ids = |all: &[platforms_stand_in::twitch::Subscription]| -> Vec<String> {
        all.iter().map(|one| one.id.clone()).collect()
    };
    assert_eq!(ids(&stage.app.platforms.eventsub_subscriptions()), ids(&asked));
    assert_eq!(stage.welcomed(), 1);
    end(stage.app, running).await;
}

#[tokio::test]
async fn cut_and_silent_sessions_are_opened_again_with_every_topic() {
    let stage = Stage::new().await;
    stage.app.platforms.change_eventsub(|sessions| sessions.keepalive_secs = 1);
    let running = workers(&stage.app, &DAEMONS).await;
    for (round, code) in [None, Some(4000), Some(4006)].into_iter().enumerate() {
        stage.reads().await;
        stage.app.platforms.cut_eventsub(code);
        eventually("another session", async || stage.welcomed() == round + 2).await;
    }
    stage.reads().await;
    let before = stage.welcomed();
    stage.app.platforms.change_eventsub(|sessions| sessions.is_silent = true);
    eventually("the silent session is left", async || stage.welcomed() > before).await;
    stage.app.platforms.change_eventsub(|sessions| sessions.is_silent = false);
    stage.reads().await;
    stage.say("still here");
    stored_once(&stage.app, stage.owner.account_id, &["still here"]).await;
    end(stage.app, running).await;
}

#[tokio::test]
async fn a_grant_that_is_taken_back_ends_the_reading_and_flags_the_connection() {
    let stage = Stage::new().await;
    let running = workers(&stage.app, &DAEMONS).await;
    stage.reads().await;
    assert_eq!(stage.app.platforms.revoke_eventsub_type("channel.follow", "authorization_revoked"), 1);
    let is_flagged = async || -> bool {
        channel_connections::table
            .find(stage.connection_id)
            .select(channel_connections::reconnect_required)
            .first(&mut *stage.app.state.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    eventually("the connection is flagged", is_flagged).await;
    eventually("the session is closed", async || stage.app.platforms.eventsub_sockets() == 0).await;
    end(stage.app, running).await;
}

#[tokio::test]
async fn what_was_not_granted_is_noted_and_the_rest_is_read() {
    let stage = Stage::new().await;
    let path = "/eventsub/subscriptions";
    stage.app.platforms.fail_next_at(Platform::Twitch, path, Failure::ServerError);
    let pause = Duration::from_secs(2);
    stage.app.platforms.fail_next_at(Platform::Twitch, path, Failure::RateLimited { retry_after: pause });
    let weak = app_with_few_scopes(&stage).await;
    let running = workers(&stage.app, &DAEMONS).await;
    let states = async || -> Vec<(String, bool)> {
        webhook_subscriptions::table
            .filter(webhook_subscriptions::connection_id.eq(weak))
            .select((webhook_subscriptions::event_type, webhook_subscriptions::refusal.is_not_null()))
            .load(&mut *stage.app.state.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    eventually("everything was asked for", async || states().await.len() == topics()).await;
    let refused: Vec<String> =
        states().await.into_iter().filter(|(_, is_refused)| *is_refused).map(|(name, _)| name).collect();
    assert!(refused.contains(&"channel.follow".to_owned()), "{refused:?}");
    assert!(!refused.contains(&"channel.chat.message".to_owned()), "{refused:?}");
    stage.reads_of(weak).await;
    end(stage.app, running).await;
}

impl Stage {
    async fn reads_of(&self, connection_id: Uuid) {
        eventually("the channel is read", async || {
            reader_state(&self.app, connection_id).await.as_deref() == Some("reading")
        })
        .await;
    }
}

/// Another channel, whose owner granted the reading of chat only.
async fn app_with_few_scopes(stage: &Stage) -> Uuid {
    use platforms_stand_in::NewUser;
    use shared::{crypto, secret::Secret};
    let scopes = ["user:read:chat", "user:bot", "channel:bot"].map(str::to_owned).to_vec();
    let new = NewUser { login: Some("careful".into()), scopes: Some(scopes), ..NewUser::default() };
    let created = stage.app.platforms.create_user_with(Platform::Twitch, new);
    let owner = stage.app.owner().await;
    let (_, connection_id) = connect(&stage.app, owner.account_id, Platform::Twitch, "placeholder").await;
    let row = crypto::row(connection_id);
    let place = crypto::Place { table: "channel_connections", column: "access_token", row: &row };
    let sealed = stage.app.state.keyring.seal(place, &Secret::new(created.access_token)).unwrap();
    diesel::update(channel_connections::table.find(connection_id))
        .set((
            channel_connections::platform_channel_id.eq(created.user.id),
            channel_connections::access_token.eq(sealed),
        ))
        .execute(&mut *stage.app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    connection_id
}

#[tokio::test]
async fn with_webhooks_no_socket_is_opened() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let running = workers(&app, &DAEMONS).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(app.platforms.eventsub_sockets(), 0);
    end(app, running).await;
}

#[tokio::test]
async fn a_killed_copy_is_followed_by_another_within_seconds() {
    let stage = Stage::new().await;
    let ingest = workers(&stage.app, &[Daemon::Ingest]).await;
    let one = workers(&stage.app, &[Daemon::TwitchEventsub]).await;
    stage.reads().await;
    let two = workers(&stage.app, &[Daemon::TwitchEventsub]).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(stage.app.platforms.eventsub_sockets(), 1, "one copy reads");
    drop(one);
    eventually("another session", async || stage.welcomed() == 2).await;
    stage.reads().await;
    stage.say("after the kill");
    stored_once(&stage.app, stage.owner.account_id, &["after the kill"]).await;
    two.stop().await.unwrap();
    end(stage.app, ingest).await;
}
