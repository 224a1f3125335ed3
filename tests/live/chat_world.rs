//! Sign-ins, bots and lines of chat for tests of chat operations.

use diesel::{
    sql_query,
    sql_types::{Bytea, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::{
    crypto::{SecretLocation, row},
    events::id_of_source,
};
use lumio_tests::TestApp;
use platforms_stand_in::User;
use shared::{id, secret::Secret};
use uuid::Uuid;

/// Assigns a member's sign-in to the account, as the member would.
pub async fn assign_login(app: &TestApp, account: Uuid, user_id: Uuid, user: &User, token: &str) -> Uuid {
    let login = id::new();
    let sealed = seal(app, "login_connections", login, token);
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(
        "INSERT INTO login_connections (id, user_id, platform, provider_user_id, username, display_name, access_token)
         VALUES ($1, $2, $3, $4, $5, $5, $6)",
    )
    .bind::<SqlUuid, _>(login)
    .bind::<SqlUuid, _>(user_id)
    .bind::<Text, _>(user.platform.slug())
    .bind::<Text, _>(&user.id)
    .bind::<Text, _>(&user.login)
    .bind::<Bytea, _>(sealed)
    .execute(&mut *db)
    .await
    .unwrap();
    sql_query(
        "INSERT INTO login_assignments (id, account_id, user_id, login_connection_id, platform)
         VALUES (gen_random_uuid(), $1, $2, $3, $4)",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<SqlUuid, _>(user_id)
    .bind::<SqlUuid, _>(login)
    .bind::<Text, _>(user.platform.slug())
    .execute(&mut *db)
    .await
    .unwrap();
    login
}

/// Connects a bot: the account's own, or without an account the deployment's.
pub async fn connect_bot(app: &TestApp, account: Option<Uuid>, user: &User, token: &str) -> Uuid {
    let bot = id::new();
    let sealed = seal(app, "bot_connections", bot, token);
    sql_query(
        "INSERT INTO bot_connections (id, account_id, platform, bot_user_id, bot_username, display_name,
            credential_source, credential_app, access_token)
         VALUES ($1, $2, $3, $4, $5, $5, 'system', 'bot', $6)",
    )
    .bind::<SqlUuid, _>(bot)
    .bind::<Nullable<SqlUuid>, _>(account)
    .bind::<Text, _>(user.platform.slug())
    .bind::<Text, _>(&user.id)
    .bind::<Text, _>(&user.login)
    .bind::<Bytea, _>(sealed)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    bot
}

/// Runs a statement that names an id as `$1`.
pub async fn change(app: &TestApp, sql: &str, id: Uuid) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let changed = sql_query(sql).bind::<SqlUuid, _>(id).execute(&mut *db).await.unwrap();
    assert!(changed > 0, "{sql} changed nothing");
}

/// A line of chat.
pub struct ChatLine<'a> {
    pub platform: &'a str,
    pub user_id: &'a str,
    pub text: &'a str,
    /// Seconds before now.
    pub ago: i64,
}

/// Stores a line; returns its id.
pub async fn store_line(app: &TestApp, account: Uuid, line: &ChatLine<'_>) -> Uuid {
    store_line_as(app, account, line, &format!("{}-{}-{}", line.user_id, line.ago, line.text)).await
}

/// Stores a line under the platform's id; returns its own id.
pub async fn store_line_as(app: &TestApp, account: Uuid, line: &ChatLine<'_>, message: &str) -> Uuid {
    let at = app.clock.now() - chrono::Duration::seconds(line.ago);
    let id = id_of_source(&format!("{account}:{}:{message}", line.platform), at);
    let mut db = app.databases.timescaledb.get().await.unwrap();
    // Partitions are created for the time from now on.
    sql_query("SELECT timeseries_ensure('chat_messages', $1, $1 + interval '1 second')")
        .bind::<Timestamptz, _>(at)
        .execute(&mut *db)
        .await
        .unwrap();
    sql_query(
        "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
            display_name, badges, text, fragments, sent_at)
         VALUES ($1, $2, $3, $4, $5, $5, $5, '[{\"id\": \"vip\", \"version\": \"1\"}]', $6,
            jsonb_build_array(jsonb_build_object('type', 'text', 'text', $6)), $7)",
    )
    .bind::<SqlUuid, _>(id)
    .bind::<SqlUuid, _>(account)
    .bind::<Text, _>(line.platform)
    .bind::<Text, _>(message)
    .bind::<Text, _>(line.user_id)
    .bind::<Text, _>(line.text)
    .bind::<Timestamptz, _>(at)
    .execute(&mut *db)
    .await
    .unwrap();
    id
}

fn seal(app: &TestApp, table: &str, id: Uuid, token: &str) -> Vec<u8> {
    let row = row(id);
    let place = SecretLocation { table, column: "access_token", row: &row };
    app.state.keyring.seal(place, &Secret::new(token)).expect("a sealed token")
}
