//! Connections with tokens from a stand-in, and reads of their state.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Bytea, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::{
    crypto::{Keyring, SecretLocation, row},
    db::Database,
};
use lumio_tests::{Person, TestApp};
use platform_credentials::tokens::{Holder, Tokens};
use platforms::Platforms;
use platforms_stand_in::{CreatedUser, NewUser, Platform, User};
use shared::{
    config::Config,
    id,
    schema::{bot_connections, channel_connections, login_connections, token_refreshes},
    secret::Secret,
};
use uuid::Uuid;

/// State of a connection, in plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub access: String,
    pub refresh: Option<String>,
    pub expires_at: Option<DateTime<Utc>>,
    pub flagged: bool,
    pub version: i64,
}

/// The service of another process over the same database.
pub fn another_process(app: &TestApp, config: &Config) -> Tokens {
    let database = Database::new(&config.databases.postgres, 4, config.databases.pool_timeout);
    let keyring = Keyring::new(config.secrets.encryption_keys.clone()).unwrap();
    let platforms = Platforms::new(&config.platforms, &foundation::http::client().unwrap());
    Tokens::new(config, database, keyring, platforms, app.clock.clone())
}

/// A user of a platform with tokens of the deployment's application.
pub fn granted(app: &TestApp, platform: Platform, login: &str) -> CreatedUser {
    app.platforms.create_user_with(platform, NewUser { login: Some(login.into()), ..NewUser::default() })
}

/// A channel of the person's account whose token expires after a time.
pub async fn channel(app: &TestApp, person: &Person, platform: Platform, ends_in: TimeDelta) -> Holder {
    let created = granted(app, platform, &format!("streamer-{}", id::new().simple()));
    let ends = Some(app.clock.now() + ends_in);
    channel_with(app, person, &created.user, &created.access_token, Some(&created.refresh_token), ends).await
}

/// A channel with these tokens.
pub async fn channel_with(
    app: &TestApp,
    person: &Person,
    user: &User,
    access: &str,
    refresh: Option<&str>,
    expires_at: Option<DateTime<Utc>>,
) -> Holder {
    use channel_connections::dsl;
    let holder = Holder::Channel(id::new());
    insert_into(dsl::channel_connections)
        .values((
            dsl::id.eq(holder.id()),
            dsl::account_id.eq(person.account_id),
            dsl::platform.eq(user.platform.slug()),
            dsl::platform_channel_id.eq(&user.id),
            dsl::channel_name.eq(&user.login),
            dsl::display_name.eq(&user.display_name),
            dsl::credential_source.eq("system"),
            dsl::client_id.eq(app.platforms.app(user.platform).client_id),
            dsl::credential_app.eq("login"),
            dsl::access_token.eq(sealed(app, holder, "access_token", access)),
            dsl::refresh_token.eq(refresh.map(|token| sealed(app, holder, "refresh_token", token))),
            dsl::expires_at.eq(expires_at),
            dsl::connected_by.eq(person.user_id),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    holder
}

/// A bot with fresh tokens that expire after a time; without an account it is the deployment's.
pub async fn bot(app: &TestApp, person: &Person, account: Option<Uuid>, ends_in: TimeDelta) -> Holder {
    use bot_connections::dsl;
    let holder = Holder::Bot(id::new());
    let created = granted(app, Platform::Twitch, &format!("bot-{}", id::new().simple()));
    insert_into(dsl::bot_connections)
        .values((
            dsl::id.eq(holder.id()),
            dsl::account_id.eq(account),
            dsl::platform.eq("twitch"),
            dsl::bot_user_id.eq(&created.user.id),
            dsl::bot_username.eq(&created.user.login),
            dsl::display_name.eq(&created.user.display_name),
            dsl::credential_source.eq("system"),
            dsl::credential_app.eq("bot"),
            dsl::client_id.eq(app.platforms.app(Platform::Twitch).client_id),
            dsl::access_token.eq(sealed(app, holder, "access_token", &created.access_token)),
            dsl::refresh_token.eq(sealed(app, holder, "refresh_token", &created.refresh_token)),
            dsl::expires_at.eq(app.clock.now() + ends_in),
            dsl::connected_by.eq(person.user_id),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    holder
}

/// A login with fresh tokens that expire after a time.
pub async fn login(app: &TestApp, person: &Person, ends_in: TimeDelta) -> Holder {
    use login_connections::dsl;
    let holder = Holder::Login(id::new());
    let created = granted(app, Platform::Twitch, &format!("login-{}", id::new().simple()));
    insert_into(dsl::login_connections)
        .values((
            dsl::id.eq(holder.id()),
            dsl::user_id.eq(person.user_id),
            dsl::platform.eq("twitch"),
            dsl::provider_user_id.eq(&created.user.id),
            dsl::username.eq(&created.user.login),
            dsl::display_name.eq(&created.user.display_name),
            dsl::client_id.eq(app.platforms.app(Platform::Twitch).client_id),
            dsl::access_token.eq(sealed(app, holder, "access_token", &created.access_token)),
            dsl::refresh_token.eq(sealed(app, holder, "refresh_token", &created.refresh_token)),
            dsl::expires_at.eq(app.clock.now() + ends_in),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    holder
}

pub async fn stored(app: &TestApp, holder: Holder) -> Stored {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Bytea)]
        access_token: Vec<u8>,
        #[diesel(sql_type = Nullable<Bytea>)]
        refresh_token: Option<Vec<u8>>,
        #[diesel(sql_type = Nullable<Timestamptz>)]
        expires_at: Option<DateTime<Utc>>,
        #[diesel(sql_type = Bool)]
        reconnect_required: bool,
        #[diesel(sql_type = BigInt)]
        token_version: i64,
    }
    let sql = format!(
        "SELECT access_token, refresh_token, expires_at, reconnect_required, token_version FROM {} WHERE id = $1",
        holder.table()
    );
    let found: Row = sql_query(sql)
        .bind::<SqlUuid, _>(holder.id())
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let open = |column: &str, bytes: &[u8]| {
        let row = row(holder.id());
        let place = SecretLocation { table: holder.table(), column, row: &row };
        app.state.keyring.open(place, bytes).unwrap().expose().to_owned()
    };
    Stored {
        access: open("access_token", &found.access_token),
        refresh: found.refresh_token.map(|bytes| open("refresh_token", &bytes)),
        expires_at: found.expires_at,
        flagged: found.reconnect_required,
        version: found.token_version,
    }
}

/// Writes tokens as a new connect does.
pub async fn reconnect(app: &TestApp, holder: Holder, access: &str, refresh: &str) {
    let sql = format!(
        "UPDATE {} SET access_token = $2, refresh_token = $3, expires_at = $4, reconnect_required = false, \
         token_version = token_version + 1 WHERE id = $1",
        holder.table()
    );
    sql_query(sql)
        .bind::<SqlUuid, _>(holder.id())
        .bind::<Bytea, _>(sealed(app, holder, "access_token", access))
        .bind::<Bytea, _>(sealed(app, holder, "refresh_token", refresh))
        .bind::<Timestamptz, _>(app.clock.now() + TimeDelta::hours(4))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Sets a column of a connection.
pub async fn set(app: &TestApp, holder: Holder, column: &str, value: &str) {
    let sql = format!("UPDATE {} SET {column} = {value} WHERE id = $1", holder.table());
    sql_query(sql)
        .bind::<SqlUuid, _>(holder.id())
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

pub fn sealed(app: &TestApp, holder: Holder, column: &str, token: &str) -> Vec<u8> {
    let row = row(holder.id());
    let place = SecretLocation { table: holder.table(), column, row: &row };
    app.state.keyring.seal(place, &Secret::new(token)).unwrap()
}

/// Refresh calls that a platform granted.
pub fn granted_refreshes(app: &TestApp, platform: Platform) -> usize {
    let calls = app.platforms.token_calls(platform);
    calls.iter().filter(|call| call.grant_type == "refresh_token" && call.is_granted).count()
}

/// Calls that requested a refresh from a platform.
pub fn asked_refreshes(app: &TestApp, platform: Platform) -> usize {
    let calls = app.platforms.token_calls(platform);
    calls.iter().filter(|call| call.grant_type == "refresh_token").count()
}

/// Rows of refreshes in progress or postponed.
pub async fn claims(app: &TestApp) -> i64 {
    let mut db = app.databases.postgres.get().await.unwrap();
    token_refreshes::table.count().get_result(&mut *db).await.unwrap()
}

/// Types and messages of a person's notifications, newest first.
pub async fn notified(app: &TestApp, user: Uuid) -> Vec<(String, String)> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        notification_type: String,
        #[diesel(sql_type = Text)]
        message: String,
    }
    let rows: Vec<Row> =
        sql_query("SELECT notification_type, message FROM notifications WHERE user_id = $1 ORDER BY id DESC")
            .bind::<SqlUuid, _>(user)
            .load(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    rows.into_iter().map(|row| (row.notification_type, row.message)).collect()
}
