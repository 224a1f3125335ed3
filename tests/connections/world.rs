//! What the tests of this domain share: the way over a platform's page, and rows that they look at.

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp};
use platforms_stand_in::{Platform, User};
use serde_json::{Value, json};
use shared::{
    connections::applications,
    crypto::{Place, row},
    db::schema::{app_credentials, bot_connections, channel_connections, system_connections},
    id,
    secret::Secret,
};
use url::Url;
use uuid::Uuid;

/// What an exchange answers.
pub const EXCHANGE: &str = "{ kind platform returnTo connection { __typename
    ... on ChannelConnection { id platform platformChannelId channelName displayName avatarUrl scopes credentialSource
        botEnabled reconnectRequired expiresAt connectedAt connectedBy
        health { subscriptions { eventType refusal } lastEvents { eventType lastEventAt } reader { detail since } } }
    ... on BotConnection { id platform botUserId botUsername avatarUrl isCustom credentialSource reconnectRequired }
    ... on DiscordGuild { id guildId name iconUrl channels { feature channelId } connectedAt connectedBy } } }";

/// An application of the deployment, as staff enters it; the stand-in knows it too.
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// An account's own application; the stand-in knows it too.
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Somebody at a platform, in front of the browser.
pub fn streamer(app: &TestApp, platform: Platform, login: &str) -> User {
    let (user, _) = app.platforms.create_user(platform, login);
    app.platforms.sign_in(&user);
    user
}

/// Begins to connect a channel: the page and the handle.
pub async fn begin(caller: &Caller, platform: Platform) -> (String, String) {
    let path = format!("/v1/connections/channel/{}/authorize", platform.slug());
    opened(&caller.post(&path, json!({})).await)
}

/// The page and the handle of an authorization.
#[track_caller]
pub fn opened(answer: &Answer) -> (String, String) {
    let data = answer.data();
    let text = |name: &str| data[name].as_str().expect("a text").to_owned();
    (text("authorize_url"), text("state"))
}

/// Agrees on the platform's page: the code that the browser brings back.
pub async fn agree(app: &TestApp, page: &str) -> String {
    let back = app.platforms.visit(page).await.expect("the page is shown");
    parameter(&back, "code").expect("a code")
}

/// Redeems a code with its handle, as nobody.
pub async fn exchange(app: &TestApp, platform: Platform, code: &str, state: &str) -> Answer {
    let path = format!("/v1/connections/oauth/{}/exchange", platform.slug());
    app.anonymous().post(&path, json!({ "code": code, "state": state })).await
}

/// Connects a channel of a new user the whole way; the user and the connection.
pub async fn connect(app: &TestApp, caller: &Caller, platform: Platform, login: &str) -> (User, Value) {
    let user = streamer(app, platform, login);
    let connection = reconnect(app, caller, platform).await;
    (user, connection)
}

/// Connects the channel of whoever is in front of the browser.
pub async fn reconnect(app: &TestApp, caller: &Caller, platform: Platform) -> Value {
    let (page, state) = begin(caller, platform).await;
    let code = agree(app, &page).await;
    exchange(app, platform, &code, &state).await.data()["connection"].clone()
}

/// A parameter of an address.
pub fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// What a stored connection holds of tokens.
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

/// The tokens of a channel, opened.
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
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    held(app, "channel_connections", connection_id, stored)
}

/// The tokens of a bot, opened.
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
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    held(app, "bot_connections", connection_id, stored)
}

fn held(app: &TestApp, table: &str, connection_id: Uuid, stored: Row) -> Held {
    let text = row(connection_id);
    let open = |column, sealed: Option<Vec<u8>>| {
        let place = Place { table, column, row: &text };
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

/// The id of something that was answered.
#[track_caller]
pub fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no id in {value}"))
}

/// Marks a channel as one that has to be connected again.
pub async fn flag(app: &TestApp, connection_id: Uuid) {
    diesel::update(channel_connections::table.find(connection_id))
        .set((
            channel_connections::reconnect_required.eq(true),
            channel_connections::flagged_at.eq(app.clock.now()),
        ))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// A channel as a row, for tests that are not about how it came to be.
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    connection_id
}

/// A bot as a row; of the deployment without an account.
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    connection_id
}
