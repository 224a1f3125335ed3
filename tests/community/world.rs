//! Notices, and the notifications and mails that result from them.

use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use lumio_tests::{Person, TestApp};
use notices::notify::{Notice, notify};
use serde_json::Value;
use shared::{id::UserId, schema::mails};
use uuid::Uuid;

/// Notice that can be turned off.
pub fn joined<'a>(account_id: Uuid, user_name: &'a str) -> Notice<'a> {
    let (account_name, role_name) = ("Night shift", "Viewer");
    Notice::MemberJoined { account_id, account_name, user_id: account_id, user_name, role_name }
}

/// Notice that is mailed by default.
pub fn lost(account_id: Uuid) -> Notice<'static> {
    Notice::ReconnectRequired {
        kind: "channel",
        connection_id: account_id,
        account_id: Some(account_id),
        platform: shared::platform::Platform::Twitch,
        name: "streamer",
    }
}

/// Notifies people in a transaction of its own.
pub async fn send_notice(app: &TestApp, people: &[Uuid], notice: &Notice<'_>) {
    let people: Vec<UserId> = people.iter().copied().map(UserId).collect();
    let now = app.clock.now();
    app.databases
        .postgres
        .get()
        .await
        .unwrap()
        .transaction(async |connection| notify(connection, &people, notice, now).await)
        .await
        .unwrap();
}

/// Number of mails that wait for a person.
pub async fn waiting_mails(app: &TestApp, user: Uuid) -> i64 {
    let mut db = app.databases.postgres.get().await.unwrap();
    mails::table.filter(mails::user_id.eq(user)).count().get_result(&mut *db).await.unwrap()
}

/// Notifications of a person as REST lists them.
pub async fn listed(person: &Person) -> Vec<Value> {
    person.get("/v1/notifications?limit=50").await.data()["items"].as_array().unwrap().clone()
}
