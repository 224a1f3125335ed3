//! Sources that are read: each from the platform's line to the stored row and the socket, through cuts, kills,
//! duplicates and refusals (reference/ingest.md#sources).

mod catalogue;
mod health;
mod leases;
mod trovo;
mod twitch;
mod youtube;

use std::time::Duration;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use foundation::crypto::{SecretLocation, row};
use lumio_tests::{Person, Socket, SocketRequest, TestApp};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{Platform, User, youtube as platform_youtube};
use serde_json::Value;
use shared::{id, schema::channel_connections, secret::Secret};
use uuid::Uuid;

use super::world::{eventually, messages, workers};

/// An account with a channel, and a viewer who writes there.
struct Stage {
    app: TestApp,
    owner: Person,
    channel: User,
    connection_id: Uuid,
    viewer: User,
}

impl Stage {
    async fn on(platform: Platform, settings: &[(&str, &str)]) -> Self {
        let mut builder = TestApp::builder();
        for (name, value) in settings {
            builder = builder.with(name, value);
        }
        let app = builder.start().await;
        let owner = app.owner().await;
        let (channel, connection_id) = connect(&app, owner.account_id, platform, "streamer").await;
        let viewer = app.platforms.create_user(platform, "viewer").0;
        Self { app, owner, channel, connection_id, viewer }
    }

    /// Starts workers with these daemons.
    async fn workers(&self, daemons: &[Daemon]) -> Running {
        workers(&self.app, daemons).await
    }

    /// Waits until exactly these texts are stored, and stay the only ones.
    async fn stored_once(&self, texts: &[&str]) {
        stored_once(&self.app, self.owner.account_id, texts).await;
    }

    async fn is_shown_as(&self, state: &str) -> bool {
        reader_state(&self.app, self.connection_id).await.as_deref() == Some(state)
    }

    async fn end(self, running: Running) {
        running.stop().await.unwrap();
        self.app.stop().await;
    }
}

/// Connects an account to a new channel as OAuth leaves it; returns its user and the connection.
async fn connect(app: &TestApp, account_id: Uuid, platform: Platform, login: &str) -> (User, Uuid) {
    let (user, token) = app.platforms.create_user(platform, login);
    let channel_id = match platform {
        Platform::Youtube => platform_youtube::channel_id(&user),
        _ => user.id.clone(),
    };
    let connection_id = id::new();
    let row = row(connection_id);
    let place = SecretLocation { table: "channel_connections", column: "access_token", row: &row };
    insert_into(channel_connections::table)
        .values((
            channel_connections::id.eq(connection_id),
            channel_connections::account_id.eq(account_id),
            channel_connections::platform.eq(platform.slug()),
            channel_connections::platform_channel_id.eq(channel_id),
            channel_connections::channel_name.eq(&user.login),
            channel_connections::display_name.eq(&user.display_name),
            channel_connections::credential_source.eq("system"),
            channel_connections::client_id.eq(app.platforms.app(platform).client_id),
            channel_connections::access_token.eq(app
                .state
                .keyring
                .seal(place, &Secret::new(token))
                .expect("a sealed token")),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    (user, connection_id)
}

/// A socket that is subscribed to the chat of an account.
async fn chat_socket(app: &TestApp, owner: &Person) -> Socket {
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("chat:{}", owner.account_id)).await;
    socket
}

/// Next event of a type on a socket.
async fn next_event(socket: &mut Socket, event_type: &str) -> Value {
    loop {
        let frame = socket.frame().await;
        if frame["event_type"] == event_type {
            return frame["data"].clone();
        }
    }
}

/// Waits until exactly these texts are stored, in any order, and stay the only ones.
async fn stored_once(app: &TestApp, account_id: Uuid, texts: &[&str]) {
    let mut expected: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    expected.sort_unstable();
    let stored = async || {
        let mut stored: Vec<String> = messages(app, account_id)
            .await
            .iter()
            .map(|row| row["text"].as_str().expect("a text").to_owned())
            .collect();
        stored.sort_unstable();
        stored
    };
    eventually("every line is stored", async || stored().await.len() >= expected.len()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(stored().await, expected);
}

/// State of the reader of a connection in its health.
async fn reader_state(app: &TestApp, connection_id: Uuid) -> Option<String> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let health = connection_model::health::of(&mut db, &[connection_id]).await.unwrap();
    let reader = health.get(&connection_id)?.reader.clone()?;
    Some(reader.state.as_str().to_owned())
}
