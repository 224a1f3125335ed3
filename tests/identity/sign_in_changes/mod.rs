//! Changes of the sign-in that a key requests and a session confirms
//! (reference/users.md#sign-in-changes-by-keys).

mod emails;
mod ends;
mod logins;
mod takeover;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::schema::mails;
use uuid::Uuid;

use super::{sign_in, sign_in_with, signed_in, text};

pub(super) const REFUSED: &str = "First-party session required";

/// User who signed in with Twitch, and a stolen key of one scope.
pub(super) struct Victim {
    pub person: Person,
    pub key: Caller,
    /// Id of their login connection.
    pub login: Uuid,
    pub refresh_token: String,
}

pub(super) async fn victim(app: &TestApp, name: &str) -> Victim {
    let answer = sign_in(app, name).await;
    let caller = signed_in(app, &answer);
    let me = caller.get("/v1/users/me").await.data().clone();
    let sessions = caller.get("/v1/users/me/sessions").await.data().clone();
    let id = |value: &Value, pointer: &str| text(value, pointer).parse::<Uuid>().unwrap();
    let person = Person {
        user_id: id(&me, "/id"),
        account_id: id(&me, "/active_account_id"),
        session_id: id(&sessions, "/0/id"),
        caller,
    };
    let key = app.personal_key(&person, &["overlays:read"]).await;
    let refresh_token = text(answer.data(), "/refresh_token").to_owned();
    Victim { login: id(&me, "/login_connections/0/id"), person, key, refresh_token }
}

/// Input with which a new Kick user signs in or links.
pub(super) fn proof(app: &TestApp, name: &str) -> Value {
    let name = format!("{name}{}", &Uuid::now_v7().simple().to_string()[20..]);
    let (user, access_token) = app.platforms.create_user(Platform::Kick, &name);
    sign_in_with("kick", &user, &access_token)
}

pub(super) async fn link(caller: &Caller, proof: &Value) -> Answer {
    caller.post("/v1/auth/link", proof.clone()).await
}

/// Id of the user who signs in with a proof; `None` when the identity is unknown.
pub(super) async fn signs_in(app: &TestApp, proof: &Value) -> Option<Uuid> {
    let answer = app.anonymous().post("/v1/auth/authorize", proof.clone()).await;
    (answer.status == 200).then(|| text(answer.data(), "/user_id").parse().unwrap())
}

/// Notifications about changes of a person's sign-in, newest first.
pub(super) async fn notices(person: &Person) -> Vec<Value> {
    let listed = person.get("/v1/notifications?limit=50").await.data()["items"].clone();
    listed.as_array().unwrap().iter().filter(|notice| notice["type"] == "login_linked").cloned().collect()
}

/// Runs an action of a notification over both protocols.
pub(super) async fn act(caller: &Caller, notice: &Value, key: &str) -> [Answer; 2] {
    [act_over(caller, notice, key, false).await, act_over(caller, notice, key, true).await]
}

pub(super) async fn act_over(caller: &Caller, notice: &Value, key: &str, over_graphql: bool) -> Answer {
    let id = text(notice, "/id");
    if over_graphql {
        let document =
            "mutation($id: UUID!, $key: String!) { runNotificationAction(id: $id, key: $key) { success } }";
        return caller.graphql(document, json!({ "id": id, "key": key })).await;
    }
    caller.post(&format!("/v1/notifications/{id}/actions/{key}"), json!({})).await
}

#[track_caller]
pub(super) fn done(answer: &Answer, over_graphql: bool) {
    let success = json!({ "success": true });
    if over_graphql {
        assert_eq!(answer.field("runNotificationAction"), success);
    } else {
        assert_eq!(*answer.expect(200), success);
    }
}

/// Number of mails that wait for a person.
pub(super) async fn waiting_mails(app: &TestApp, person: &Person) -> i64 {
    let own = mails::table.filter(mails::user_id.eq(person.user_id));
    own.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Login connections of a person, asserted to be equal on both protocols.
pub(super) async fn logins(caller: &Caller) -> Vec<Value> {
    let rest = caller.get("/v1/users/me/login-connections").await.data().clone();
    let document = "{ loginConnections { id provider providerUserId username displayName avatarUrl \
        reconnectRequired isPrimaryFor confirmed createdAt } }";
    assert_eq!(caller.graphql(document, json!({})).await.field("loginConnections"), rest);
    assert_eq!(caller.get("/v1/users/me").await.data()["login_connections"], rest);
    rest.as_array().unwrap().clone()
}
