//! Notices, and looks at what became of them.

use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use lumio_tests::{Person, TestApp};
use serde_json::Value;
use shared::{
    db::schema::{mails, users},
    id::UserId,
    notify::{Notice, notify},
};
use uuid::Uuid;

/// A notice that may be switched off.
pub fn joined<'a>(account_id: Uuid, user_name: &'a str) -> Notice<'a> {
    let (account_name, role_name) = ("Night shift", "Viewer");
    Notice::MemberJoined { account_id, account_name, user_id: account_id, user_name, role_name }
}

/// A notice that is mailed unless somebody chose otherwise.
pub fn lost(account_id: Uuid) -> Notice<'static> {
    Notice::ReconnectRequired {
        kind: "channel",
        connection_id: account_id,
        account_id: Some(account_id),
        platform: shared::platforms::Platform::Twitch,
        name: "streamer",
    }
}

/// Tells people in a transaction of its own.
pub async fn tell(app: &TestApp, people: &[Uuid], notice: &Notice<'_>) {
    let people: Vec<UserId> = people.iter().copied().map(UserId).collect();
    let now = app.clock.now();
    app.state
        .databases
        .postgres
        .get()
        .await
        .unwrap()
        .transaction(async |connection| notify(connection, &people, notice, now).await)
        .await
        .unwrap();
}

/// How many mails wait for a person.
pub async fn waiting_mails(app: &TestApp, user: Uuid) -> i64 {
    let mut db = app.state.databases.postgres.get().await.unwrap();
    mails::table.filter(mails::user_id.eq(user)).count().get_result(&mut *db).await.unwrap()
}

/// Gives a person an address.
pub async fn address(app: &TestApp, user: Uuid, email: &str) {
    let mut db = app.state.databases.postgres.get().await.unwrap();
    diesel::update(users::table.find(user)).set(users::email.eq(email)).execute(&mut *db).await.unwrap();
}

/// The person's list as REST shows it.
pub async fn listed(person: &Person) -> Vec<Value> {
    person.get("/v1/notifications?limit=50").await.data()["items"].as_array().unwrap().clone()
}
