//! Login connections (reference/users.md#login-connections).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::schema::{accounts, login_assignments, login_connections, token_revocations};
use uuid::Uuid;

use super::{not_first_party, sign_in, sign_in_with, signed_in, text};

const CONNECTION: &str = "{ id provider providerUserId username displayName avatarUrl reconnectRequired isPrimaryFor \
    confirmed createdAt }";

/// User who signs in with Twitch, the primary connection of their account, and with Kick.
struct Signer {
    caller: Caller,
    user_id: Uuid,
    account_id: Uuid,
    twitch: Uuid,
    kick: Uuid,
}

async fn signer(app: &TestApp, login: &str) -> Signer {
    let answer = sign_in(app, login).await;
    let caller = signed_in(app, &answer);
    let (user, access_token) = app.platforms.create_user(Platform::Kick, login);
    let linked = caller.post("/v1/auth/link", sign_in_with("kick", &user, &access_token)).await;
    let kick = text(linked.data(), "/id").parse().unwrap();
    let me = caller.get("/v1/users/me").await;
    let twitch = text(me.data(), "/login_connections/0/id").parse().unwrap();
    Signer {
        user_id: text(me.data(), "/id").parse().unwrap(),
        account_id: text(me.data(), "/active_account_id").parse().unwrap(),
        caller,
        twitch,
        kick,
    }
}

async fn listed(caller: &Caller) -> Vec<Value> {
    let rest = caller.get("/v1/users/me/login-connections").await;
    let graphql = caller.graphql(&format!("{{ loginConnections {CONNECTION} }}"), json!({})).await;
    assert_eq!(graphql.field("loginConnections"), *rest.data());
    rest.data().as_array().unwrap().clone()
}

async fn disconnect(caller: &Caller, id: impl ToString) -> Answer {
    caller.delete(&format!("/v1/login-connections/{}", id.to_string())).await
}

async fn disconnect_over_graphql(caller: &Caller, id: Uuid) -> Answer {
    let document = "mutation($id: UUID!) { disconnectLoginConnection(loginConnectionId: $id) }";
    caller.graphql(document, json!({ "id": id })).await
}

async fn set_flag(caller: &Caller, id: impl ToString, body: Value) -> Answer {
    caller.put(&format!("/v1/login-connections/{}/reconnect-flag", id.to_string()), body).await
}

async fn set_flag_over_graphql(caller: &Caller, id: Uuid, required: Option<bool>) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $required: Boolean) {{ setLoginReconnectFlag(id: $id, reconnectRequired: $required) \
         {CONNECTION} }}"
    );
    caller.graphql(&document, json!({ "id": id, "required": required })).await
}

async fn flag(app: &TestApp, id: Uuid) {
    diesel::update(login_connections::table.find(id))
        .set((
            login_connections::reconnect_required.eq(true),
            login_connections::flagged_at.eq(app.clock.now()),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Reconnect flag of a connection, and true when the time of the flag is set.
async fn flags(app: &TestApp, id: Uuid) -> (bool, bool) {
    let (required, flagged_at): (bool, Option<chrono::DateTime<chrono::Utc>>) = login_connections::table
        .find(id)
        .select((login_connections::reconnect_required, login_connections::flagged_at))
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    (required, flagged_at.is_some())
}

async fn is_there(app: &TestApp, id: Uuid) -> bool {
    let found = login_connections::table.find(id).select(login_connections::id);
    let mut db = app.databases.postgres.get().await.unwrap();
    found.first::<Uuid>(&mut *db).await.optional().unwrap().is_some()
}

#[tokio::test]
async fn login_connections_hides_disabled_platforms() {
    let app = TestApp::start().await;
    let ada = signer(&app, "ada").await;
    signer(&app, "bob").await;
    let found = listed(&ada.caller).await;
    let ids: Vec<&Value> = found.iter().map(|found| &found["id"]).collect();
    assert_eq!(ids, [&json!(ada.twitch), &json!(ada.kick)]);
    assert_eq!(found[0]["is_primary_for"], json!([ada.account_id]));
    assert_eq!(found[1]["is_primary_for"], json!([]));
    assert!(!found[0].to_string().contains("token"));
    let me = ada.caller.get("/v1/users/me").await;
    assert_eq!(me.data()["login_connections"], json!(found));
    for flag in ["platform:kick:login", "platform:kick"] {
        app.switch(flag, false).await;
        let found = listed(&ada.caller).await;
        assert_eq!(found.len(), 1, "{flag}");
        assert_eq!(found[0]["provider"], "twitch");
        app.switch(flag, true).await;
    }
}

#[tokio::test]
async fn disconnect_login_connection_removes_assignments_and_queues_revocation() {
    let app = TestApp::start().await;
    for (login, over_graphql) in [("ada", false), ("bob", true)] {
        let person = signer(&app, login).await;
        diesel::insert_into(login_assignments::table)
            .values((
                login_assignments::id.eq(Uuid::now_v7()),
                login_assignments::account_id.eq(person.account_id),
                login_assignments::user_id.eq(person.user_id),
                login_assignments::login_connection_id.eq(person.kick),
                login_assignments::platform.eq("kick"),
            ))
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        if over_graphql {
            let answer = disconnect_over_graphql(&person.caller, person.kick).await;
            assert_eq!(answer.field("disconnectLoginConnection"), true);
        } else {
            let answer = disconnect(&person.caller, person.kick).await;
            assert_eq!((answer.status, answer.text.as_str()), (204, ""));
        }
        assert!(!is_there(&app, person.kick).await);
        assert_eq!(listed(&person.caller).await.len(), 1);
    }
    let mut db = app.databases.postgres.get().await.unwrap();
    let left: i64 = login_assignments::table.count().get_result(&mut *db).await.unwrap();
    let waiting: i64 = token_revocations::table.count().get_result(&mut *db).await.unwrap();
    assert_eq!((left, waiting), (0, 2));
    drop(db);
    let removed = app.audited("connection:disconnected").await;
    assert_eq!(removed.len(), 2);
    assert_eq!((removed[0].scope.as_str(), &removed[0].metadata), ("user", &json!({ "provider": "kick" })));
}

#[tokio::test]
async fn disconnect_login_connection_refuses_the_last_and_a_primary_one() {
    let app = TestApp::start().await;
    let ada = signer(&app, "ada").await;
    let primary = "Login connection is the primary connection of an account";
    let graphql = disconnect_over_graphql(&ada.caller, ada.twitch).await;
    both_refused(&disconnect(&ada.caller, ada.twitch).await, &graphql, 409, "CONFLICT", primary);

    diesel::update(accounts::table.find(ada.account_id))
        .set(accounts::primary_login_connection_id.eq(None::<Uuid>))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    // A session that no login opened: sessions of a login end with it.
    let session = app.session(ada.user_id, ada.account_id).await;
    disconnect(&session, ada.twitch).await.expect(204);
    ada.caller.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let last = "Cannot remove the last login connection";
    let graphql = disconnect_over_graphql(&session, ada.kick).await;
    both_refused(&disconnect(&session, ada.kick).await, &graphql, 409, "CONFLICT", last);
    assert!(is_there(&app, ada.kick).await);
    app.audited_once("connection:disconnected").await;
}

#[tokio::test]
async fn disconnect_login_connection_in_parallel_leaves_one_login() {
    let app = TestApp::start().await;
    let ada = signer(&app, "ada").await;
    diesel::update(accounts::table)
        .set(accounts::primary_login_connection_id.eq(None::<Uuid>))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let session = app.session(ada.user_id, ada.account_id).await;
    let both = [ada.twitch, ada.kick].map(|id| disconnect(&session, id));
    let mut statuses: Vec<u16> = join_all(both).await.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409]);
    assert_eq!(listed(&session).await.len(), 1);
}

#[tokio::test]
async fn disconnect_login_connection_does_not_find_those_of_others() {
    let app = TestApp::start().await;
    let (ada, bob) = (signer(&app, "ada").await, signer(&app, "bob").await);
    flag(&app, bob.kick).await;
    for id in [bob.kick, Uuid::now_v7()] {
        let (code, message) = ("NOT_FOUND", "Login connection not found");
        let graphql = disconnect_over_graphql(&ada.caller, id).await;
        both_refused(&disconnect(&ada.caller, id).await, &graphql, 404, code, message);
        let graphql = set_flag_over_graphql(&ada.caller, id, Some(false)).await;
        both_refused(&set_flag(&ada.caller, id, json!({})).await, &graphql, 404, code, message);
    }
    disconnect(&ada.caller, "mine").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    set_flag(&ada.caller, "mine", json!({})).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(flags(&app, bob.kick).await, (true, true));
    assert!(is_there(&app, bob.kick).await);
    assert!(app.audited("connection:reconnect_flag_cleared").await.is_empty());
}

#[tokio::test]
async fn set_login_reconnect_flag_is_cleared_by_its_user() {
    let app = TestApp::start().await;
    let ada = signer(&app, "ada").await;
    for (n, body) in [json!({}), json!({ "reconnect_required": false })].into_iter().enumerate() {
        flag(&app, ada.kick).await;
        let answer = set_flag(&ada.caller, ada.kick, body).await;
        assert_eq!(answer.data()["id"], json!(ada.kick));
        assert_eq!(answer.data()["reconnect_required"], false);
        assert_eq!(flags(&app, ada.kick).await, (false, false));
        assert_eq!(app.audited("connection:reconnect_flag_cleared").await.len(), n + 1);
    }
    flag(&app, ada.kick).await;
    let empty = ada
        .caller
        .request(reqwest::Method::PUT, &format!("/v1/login-connections/{}/reconnect-flag", ada.kick));
    ada.caller.send(empty).await.expect(200);
    flag(&app, ada.kick).await;
    let answer = set_flag_over_graphql(&ada.caller, ada.kick, None).await;
    assert_eq!(answer.field("setLoginReconnectFlag")["reconnect_required"], false);
    // Clearing a cleared flag changes nothing and writes no audit entry.
    set_flag(&ada.caller, ada.kick, json!({})).await.expect(200);
    assert_eq!(app.audited("connection:reconnect_flag_cleared").await.len(), 4);
}

#[tokio::test]
async fn set_login_reconnect_flag_to_true_needs_staff_who_edit_users() {
    let app = TestApp::start().await;
    let ada = signer(&app, "ada").await;
    let reader = app.admin_with(&["admin:access", "users:read"]).await;
    let staff = app.admin_with(&["admin:access", "users:edit"]).await;
    let key_of_staff = app.personal_key(&staff, &[]).await;
    for caller in [&ada.caller, &reader.caller, &key_of_staff] {
        let rest = set_flag(caller, ada.kick, json!({ "reconnect_required": true })).await;
        let graphql = set_flag_over_graphql(caller, ada.kick, Some(true)).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "reconnect_required must be false");
    }
    assert_eq!(flags(&app, ada.kick).await, (false, false));

    let answer = set_flag(&staff, ada.kick, json!({ "reconnect_required": true })).await;
    assert_eq!(answer.data()["reconnect_required"], true);
    assert_eq!(flags(&app, ada.kick).await, (true, true));
    let entry = app.audited_once("connection:reconnect_flag_set").await;
    assert_eq!((entry.scope.as_str(), entry.actor_id), ("user", Some(staff.user_id)));
    let answer = set_flag_over_graphql(&staff, ada.kick, Some(false)).await;
    assert_eq!(answer.field("setLoginReconnectFlag")["reconnect_required"], false);
    app.audited_once("connection:reconnect_flag_cleared").await;

    let wrong = set_flag(&staff, ada.kick, json!({ "reconnect_required": "yes" })).await;
    wrong.refused_with("VALIDATION_ERROR");
}

#[tokio::test]
async fn login_connections_and_their_changes_are_first_party_only() {
    let app = TestApp::start().await;
    let ada = signer(&app, "ada").await;
    let person = app.session(ada.user_id, ada.account_id).await;
    let refused = async |caller: &Caller, status: u16, code: &str, message: &str| {
        let list = caller.graphql("{ loginConnections { id } }", json!({})).await;
        both_refused(&caller.get("/v1/users/me/login-connections").await, &list, status, code, message);
        let graphql = disconnect_over_graphql(caller, ada.kick).await;
        both_refused(&disconnect(caller, ada.kick).await, &graphql, status, code, message);
        let graphql = set_flag_over_graphql(caller, ada.kick, None).await;
        both_refused(&set_flag(caller, ada.kick, json!({})).await, &graphql, status, code, message);
    };
    for caller in not_first_party(&app, &person).await {
        refused(&caller, 403, "FORBIDDEN", "First-party session required").await;
    }
    refused(&app.anonymous(), 401, "UNAUTHORIZED", "Authentication required").await;
    let key = app.personal_key(&person, &[]).await;
    assert_eq!(listed(&key).await.len(), 2);
    let graphql = disconnect_over_graphql(&key, ada.kick).await;
    let message = "First-party session required";
    both_refused(&disconnect(&key, ada.kick).await, &graphql, 403, "FORBIDDEN", message);
    set_flag(&key, ada.kick, json!({})).await.expect(200);
    assert!(is_there(&app, ada.kick).await);
}
