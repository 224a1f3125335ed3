//! Helpers of the tests of connections: the OAuth flow over a platform's page, and rows in the database.

use connection_model::applications;
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use foundation::crypto::{SecretLocation, row};
use lumio_tests::{Answer, Caller, TestApp};
use platforms_stand_in::{Platform, User};
use serde_json::{Value, json};
use shared::{
    id,
    schema::{app_credentials, bot_connections, channel_connections, system_connections},
    secret::Secret,
};
use url::Url;
use uuid::Uuid;

/// Selection of every field of an exchange.
pub const EXCHANGE: &str = "{ kind platform returnTo connection { __typename
    ... on ChannelConnection { id platform platformChannelId channelName displayName avatarUrl scopes credentialSource
        botEnabled reconnectRequired expiresAt connectedAt connectedBy
        health { subscriptions { eventType refusal } lastEvents { eventType lastEventAt } reader { detail since } } }
    ... on BotConnection { id platform botUserId botUsername avatarUrl isCustom credentialSource reconnectRequired }
    ... on DiscordGuild { id guildId name iconUrl channels { feature channelId } connectedAt connectedBy } } }";

/// Stores an application of the deployment and registers it at the stand-in.
pub async fn system_app(app: &TestApp, platform: Platform, kind: &str, client_id: &str) {
    app.platforms.register_app(platform, client_id, "system-secret");
    let connection_id = id::new();
    let secret = Secret::new("system-secret");
    let sealed =
        applications::seal(&app.state.keyring, "system_connections", connection_id, &secret).unwrap();
    insert_into(system_connections::table)
        .values((
            system_connections::id.eq(connection_id),
            system_connections::platform.eq(platform.slug()),
            system_connections::kind.eq(kind),
            system_connections::client_id.eq(client_id),
            system_connections::client_secret.eq(sealed),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Stores an application of an account and registers it at the stand-in.
pub async fn own_app(app: &TestApp, account_id: Uuid, platform: Platform, kind: &str, client_id: &str) {
    app.platforms.register_app(platform, client_id, "own-secret");
    let record_id = id::new();
    let secret = Secret::new("own-secret");
    let sealed = applications::seal(&app.state.keyring, "app_credentials", record_id, &secret).unwrap();
    insert_into(app_credentials::table)
        .values((
            app_credentials::id.eq(record_id),
            app_credentials::account_id.eq(account_id),
            app_credentials::platform.eq(platform.slug()),
            app_credentials::kind.eq(kind),
            app_credentials::client_id.eq(client_id),
            app_credentials::client_secret.eq(sealed),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Creates a user at a platform and signs them in to the browser.
pub fn streamer(app: &TestApp, platform: Platform, login: &str) -> User {
    let (user, _) = app.platforms.create_user(platform, login);
    app.platforms.sign_in(&user);
    user
}

/// Starts to connect a channel; returns the page and the state.
pub async fn begin(caller: &Caller, platform: Platform) -> (String, String) {
    let path = format!("/v1/connections/channel/{}/authorize", platform.slug());
    opened(&caller.post(&path, json!({})).await)
}

/// Page and state of an authorization.
#[track_caller]
pub fn opened(answer: &Answer) -> (String, String) {
    let data = answer.data();
    let text = |name: &str| data[name].as_str().expect("a text").to_owned();
    (text("authorize_url"), text("state"))
}

/// Consents on the platform's page; returns the code.
pub async fn agree(app: &TestApp, page: &str) -> String {
    let back = app.platforms.visit(page).await.expect("the page is shown");
    parameter(&back, "code").expect("a code")
}

/// Exchanges a code and its state as an anonymous caller.
pub async fn exchange(app: &TestApp, platform: Platform, code: &str, state: &str) -> Answer {
    let path = format!("/v1/connections/oauth/{}/exchange", platform.slug());
    app.anonymous().post(&path, json!({ "code": code, "state": state })).await
}

/// Connects a channel of a new user by the whole flow; returns the user and the connection.
pub async fn connect(app: &TestApp, caller: &Caller, platform: Platform, login: &str) -> (User, Value) {
    let user = streamer(app, platform, login);
    let connection = reconnect(app, caller, platform).await;
    (user, connection)
}

/// Connects the channel of the user who is signed in to the browser.
pub async fn reconnect(app: &TestApp, caller: &Caller, platform: Platform) -> Value {
    let (page, state) = begin(caller, platform).await;
    let code = agree(app, &page).await;
    exchange(app, platform, &code, &state).await.data()["connection"].clone()
}

/// Query parameter of an address.
pub fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Decrypted tokens of a stored connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub access_token: Option<String>,
    pub refresh_token: Option<String>,
    pub credential_source: String,
    pub credential_app: String,
    pub client_id: Option<String>,
    pub reconnect_required: bool,
    pub token_version: i64,
}

type Row = (Option<Vec<u8>>, Option<Vec<u8>>, String, String, Option<String>, bool, i64);

/// Decrypted tokens of a channel connection.
pub async fn channel_tokens(app: &TestApp, connection_id: Uuid) -> Held {
    let stored: Row = channel_connections::table
        .find(connection_id)
        .select((
            channel_connections::access_token,
            channel_connections::refresh_token,
            channel_connections::credential_source,
            channel_connections::credential_app,
            channel_connections::client_id,
            channel_connections::reconnect_required,
            channel_connections::token_version,
        ))
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    held(app, "channel_connections", connection_id, stored)
}

/// Decrypted tokens of a bot connection.
pub async fn bot_tokens(app: &TestApp, connection_id: Uuid) -> Held {
    let stored: Row = bot_connections::table
        .find(connection_id)
        .select((
            bot_connections::access_token,
            bot_connections::refresh_token,
            bot_connections::credential_source,
            bot_connections::credential_app,
            bot_connections::client_id,
            bot_connections::reconnect_required,
            bot_connections::token_version,
        ))
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    held(app, "bot_connections", connection_id, stored)
}

fn held(app: &TestApp, table: &str, connection_id: Uuid, stored: Row) -> Held {
    let text = row(connection_id);
    let open = |column, sealed: Option<Vec<u8>>| {
        let place = SecretLocation { table, column, row: &text };
        sealed.map(|sealed| app.state.keyring.open(place, &sealed).unwrap().expose().to_owned())
    };
    let (
        access_token,
        refresh_token,
        credential_source,
        credential_app,
        client_id,
        reconnect_required,
        version,
    ) = stored;
    Held {
        access_token: open("access_token", access_token),
        refresh_token: open("refresh_token", refresh_token),
        credential_source,
        credential_app,
        client_id,
        reconnect_required,
        token_version: version,
    }
}

/// Id of an object in an answer.
#[track_caller]
pub fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no id in {value}"))
}

/// Sets the reconnect flag of a channel.
pub async fn flag(app: &TestApp, connection_id: Uuid) {
    diesel::update(channel_connections::table.find(connection_id))
        .set((
            channel_connections::reconnect_required.eq(true),
            channel_connections::flagged_at.eq(app.clock.now()),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Inserts a channel connection, for tests that do not need the OAuth flow.
pub async fn channel_row(app: &TestApp, account_id: Uuid, platform: Platform, name: &str) -> Uuid {
    let connection_id = id::new();
    insert_into(channel_connections::table)
        .values((
            channel_connections::id.eq(connection_id),
            channel_connections::account_id.eq(account_id),
            channel_connections::platform.eq(platform.slug()),
            channel_connections::platform_channel_id.eq(format!("{name}-id")),
            channel_connections::channel_name.eq(name),
            channel_connections::display_name.eq(name),
            channel_connections::credential_source.eq("system"),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    connection_id
}

/// Inserts a bot connection; one of the deployment when there is no account.
pub async fn bot_row(app: &TestApp, account_id: Option<Uuid>, platform: Platform, name: &str) -> Uuid {
    let connection_id = id::new();
    insert_into(bot_connections::table)
        .values((
            bot_connections::id.eq(connection_id),
            bot_connections::account_id.eq(account_id),
            bot_connections::platform.eq(platform.slug()),
            bot_connections::bot_user_id.eq(format!("{name}-id")),
            bot_connections::bot_username.eq(name),
            bot_connections::display_name.eq(name),
            bot_connections::credential_source.eq("system"),
            bot_connections::credential_app.eq("bot"),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    connection_id
}
