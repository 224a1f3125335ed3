//! Connected channels, installed extensions, running workers, and reads of the stored data.

use crate::{Person, TestApp};
pub use crate::{eventually, eventually_none, eventually_within};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::RunQueryDsl;
use foundation::crypto::{SecretLocation, row};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{Platform, User};
use serde_json::{Value, json};
use shared::{
    id,
    schema::{
        channel_connections, extension_versions, extensions,
        timeseries::{chat_messages, events},
        users, webhook_inbox,
    },
    secret::Secret,
};
use uuid::Uuid;

/// Starts workers beside a server.
pub async fn workers(app: &TestApp, daemons: &[Daemon]) -> Running {
    lumio_worker::start_with(app.config(), app.clock.clone(), daemons).await.expect("the workers start")
}

/// Connects an account to a new channel of a new user; its token is sealed as in a connection.
pub async fn connect(app: &TestApp, account_id: Uuid, platform: Platform, login: &str) -> User {
    let (user, token) = app.platforms.create_user(platform, login);
    connect_to(app, account_id, &user, Some(&token)).await;
    user
}

/// Connects an account to a channel, with or without a token of its own.
pub async fn connect_to(app: &TestApp, account_id: Uuid, user: &User, token: Option<&str>) {
    let connection_id = id::new();
    let row = row(connection_id);
    let place = SecretLocation { table: "channel_connections", column: "access_token", row: &row };
    let sealed =
        token.map(|token| app.state.keyring.seal(place, &Secret::new(token)).expect("a sealed token"));
    insert_into(channel_connections::table)
        .values((
            channel_connections::id.eq(connection_id),
            channel_connections::account_id.eq(account_id),
            channel_connections::platform.eq(user.platform.slug()),
            channel_connections::platform_channel_id.eq(&user.id),
            channel_connections::channel_name.eq(&user.login),
            channel_connections::display_name.eq(&user.display_name),
            channel_connections::credential_source.eq("system"),
            channel_connections::access_token.eq(sealed),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Installs an extension that declares these permissions; returns the install's id.
pub async fn install(app: &TestApp, person: &Person, permissions: &[&str]) -> Uuid {
    let profile_id = app.developer_profile(app.user("developer").await).await;
    let (extension_id, version_id) = (id::new(), id::new());
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(extensions::table)
        .values((
            extensions::id.eq(extension_id),
            extensions::short_id.eq(extension_id.simple().to_string()),
            extensions::slug.eq(extension_id.simple().to_string()),
            extensions::owner_developer_id.eq(profile_id),
            extensions::name.eq("Test"),
            extensions::category.eq("bot_module"),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    insert_into(extension_versions::table)
        .values((
            extension_versions::id.eq(version_id),
            extension_versions::extension_id.eq(extension_id),
            extension_versions::version.eq("1.0.0"),
            extension_versions::manifest.eq(json!({ "permissions": permissions })),
            extension_versions::bundle_size_bytes.eq(1),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    app.plant_install(person.account_id, (extension_id, version_id), permissions).await
}

/// Number of deliveries in the inbox.
pub async fn inbox(app: &TestApp) -> i64 {
    webhook_inbox::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Number of deliveries that are not handled yet.
pub async fn open_deliveries(app: &TestApp) -> i64 {
    let open = webhook_inbox::table.filter(webhook_inbox::handled_at.is_null()).count();
    open.get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// A stored chat message or event.
#[derive(Debug, QueryableByName)]
pub struct Stored {
    #[diesel(sql_type = diesel::sql_types::Jsonb)]
    pub row: Value,
}

/// The chat messages of an account as stored, oldest first.
pub async fn messages(app: &TestApp, account_id: Uuid) -> Vec<Value> {
    stored(app, account_id, "chat_messages", "sent_at").await
}

/// The events of an account as stored, oldest first.
pub async fn stored_events(app: &TestApp, account_id: Uuid) -> Vec<Value> {
    stored(app, account_id, "events", "occurred_at").await
}

async fn stored(app: &TestApp, account_id: Uuid, table: &str, time: &str) -> Vec<Value> {
    let sql =
        format!("SELECT to_jsonb(t) AS row FROM {table} t WHERE account_id::text = $1 ORDER BY {time}, id");
    let rows: Vec<Stored> = diesel::sql_query(sql)
        .bind::<Text, _>(account_id.to_string())
        .load(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    rows.into_iter().map(|stored| stored.row).collect()
}

/// Number of rows of both tables.
pub async fn rows(app: &TestApp) -> i64 {
    let mut db = app.databases.timescaledb.get().await.unwrap();
    let messages: i64 = chat_messages::table.count().get_result(&mut *db).await.unwrap();
    let events: i64 = events::table.count().get_result(&mut *db).await.unwrap();
    messages + events
}

/// Events that were published on a channel, oldest first.
pub async fn published(app: &TestApp, channel: &str) -> Vec<Value> {
    let mut redis = app.state.redis.get().await.unwrap();
    let entries: redis::streams::StreamRangeReply = redis::cmd("XRANGE")
        .arg(app.state.redis.key(format!("log:{channel}")))
        .arg("-")
        .arg("+")
        .query_async(&mut *redis)
        .await
        .unwrap();
    let text = |entry: &redis::streams::StreamId| entry.get::<String>("m").expect("a message");
    entries.ids.iter().map(|entry| serde_json::from_str(&text(entry)).expect("an event")).collect()
}

/// Number of jobs of a queue in any state.
pub async fn jobs(app: &TestApp, queue: &str) -> u64 {
    let config = &app.state.config.redis;
    let queues = queue::Connection::open(config.url.expose(), &config.prefix).unwrap();
    let stats = queues.stats(queue).await.unwrap();
    stats.ready + stats.running + stats.delayed + stats.dead
}

/// Sets the address of a person.
pub async fn address(app: &TestApp, user: Uuid, email: &str) {
    let mut db = app.databases.postgres.get().await.unwrap();
    diesel::update(users::table.find(user)).set(users::email.eq(email)).execute(&mut *db).await.unwrap();
}

/// Number of rows.
pub async fn count(app: &TestApp, sql: &str) -> i64 {
    #[derive(QueryableByName)]
    struct Count {
        #[diesel(sql_type = BigInt)]
        count: i64,
    }
    let found: Count = sql_query(format!("SELECT count(*) AS count FROM {sql}"))
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    found.count
}
