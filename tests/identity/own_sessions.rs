//! Sessions of the caller (reference/users.md#own-sessions).

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Heard, Person, Socket, SocketRequest, TestApp, both_refused, eventually};
use serde_json::{Value, json};
use shared::schema::{outbox, sessions};
use uuid::Uuid;

use super::{not_first_party, sign_in, signed_in, text};

const SESSION: &str = "{ id createdAt lastSeenAt expiresAt ip userAgent isCurrent }";

async fn listed(caller: &Caller) -> Vec<Value> {
    let rest = caller.get("/v1/users/me/sessions").await;
    assert_eq!(rest.body["_links"], json!({ "self": "/v1/users/me/sessions" }));
    let graphql = caller.graphql(&format!("{{ mySessions {SESSION} }}"), json!({})).await;
    assert_eq!(graphql.field("mySessions"), *rest.data());
    rest.data().as_array().unwrap().clone()
}

fn ids(sessions: &[Value]) -> Vec<Uuid> {
    sessions.iter().map(|session| text(session, "/id").parse().unwrap()).collect()
}

async fn revoke(caller: &Caller, id: impl ToString, over_graphql: bool) {
    let id = id.to_string();
    if over_graphql {
        let answer =
            caller.graphql("mutation($id: UUID!) { revokeSession(id: $id) }", json!({ "id": id })).await;
        assert_eq!(answer.field("revokeSession"), true);
    } else {
        let answer = caller.delete(&format!("/v1/users/me/sessions/{id}")).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    }
}

async fn revoke_others(caller: &Caller, over_graphql: bool) {
    if over_graphql {
        let answer = caller.graphql("mutation { revokeOtherSessions }", json!({})).await;
        assert_eq!(answer.field("revokeOtherSessions"), true);
    } else {
        assert_eq!(caller.delete("/v1/users/me/sessions").await.status, 204);
    }
}

/// Asserts that a session is refused on REST, on GraphQL and at the socket.
async fn has_stopped(caller: &Caller, base: &str) {
    let (rest, graphql) =
        (caller.get("/v1/users/me").await, caller.graphql("{ me { id } }", json!({})).await);
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Invalid or expired token");
    let refused = SocketRequest::to(base).bearer(caller.token()).refused().await;
    assert_eq!(refused.status, 401);
}

async fn ends(mut socket: Socket) {
    let (frames, code) = socket.until_closed().await;
    let last = frames.last().expect("an error before the end");
    assert_eq!((last["code"].as_str(), code), (Some("TOKEN_REVOKED"), 4002));
}

async fn open(caller: &Caller, base: &str) -> Socket {
    SocketRequest::to(base).bearer(caller.token()).connect().await
}

#[tokio::test]
async fn my_sessions_shows_every_field() {
    let app = TestApp::start().await;
    let first = sign_in(&app, "ada").await;
    let caller = signed_in(&app, &first);
    let [only] = listed(&caller).await.try_into().unwrap();
    assert_eq!((&only["ip"], &only["is_current"]), (&json!("127.0.0.0"), &json!(true)));
    assert_eq!(only["created_at"], only["last_seen_at"]);
    let fields: Vec<&String> = only.as_object().unwrap().keys().collect();
    assert_eq!(fields.len(), 7, "{fields:?}");
    let created_at: chrono::DateTime<chrono::Utc> = text(&only, "/created_at").parse().unwrap();
    let expires_at: chrono::DateTime<chrono::Utc> = text(&only, "/expires_at").parse().unwrap();
    let lifetime = expires_at - created_at;
    assert!(
        (Duration::zero()..Duration::seconds(1)).contains(&(Duration::days(30) - lifetime)),
        "{lifetime}"
    );
    assert!(app.owner().await.get("/v1/users/me/sessions").await.data()[0]["id"] != only["id"]);
}

#[tokio::test]
async fn my_sessions_lists_own_open_sessions_by_last_use() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut others = Vec::new();
    for _ in 0..4 {
        others.push(app.session(owner.user_id, owner.account_id).await);
    }
    let now = app.clock.now();
    let mut db = app.databases.postgres.get().await.unwrap();
    for (n, session) in others.iter().enumerate() {
        let seen = now - Duration::minutes(n as i64);
        let row = diesel::update(sessions::table.find(session.session_id));
        row.set(sessions::last_seen_at.eq(seen)).execute(&mut *db).await.unwrap();
    }
    let (revoked, expired) = (others[1].session_id, others[2].session_id);
    let row = diesel::update(sessions::table.find(revoked));
    row.set(sessions::revoked_at.eq(now)).execute(&mut *db).await.unwrap();
    let row = diesel::update(sessions::table.find(expired));
    row.set(sessions::expires_at.eq(now)).execute(&mut *db).await.unwrap();
    drop(db);

    app.owner().await;
    let shown = listed(&others[3].caller).await;
    let mut expected = vec![owner.session_id, others[0].session_id, others[3].session_id];
    let mut found = ids(&shown);
    assert_eq!(found.last(), expected.last(), "the one seen longest ago is last");
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    let current: Vec<Uuid> =
        ids(&shown.into_iter().filter(|session| session["is_current"] == true).collect::<Vec<_>>());
    assert_eq!(current, [others[3].session_id]);
    let key = app.personal_key(&owner, &[]).await;
    assert!(listed(&key).await.iter().all(|session| session["is_current"] == false));
}

#[tokio::test]
async fn revoke_session_takes_immediate_effect_in_every_process_and_protocol() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let elsewhere = format!("http://{}", second_server.address);
    for over_graphql in [false, true] {
        let owner = app.owner().await;
        let stolen = app.session(owner.user_id, owner.account_id).await;
        let stolen_elsewhere = stolen.at(&elsewhere);
        for caller in [&stolen.caller, &stolen_elsewhere] {
            caller.get("/v1/users/me").await.expect(200);
        }
        let sockets = [open(&stolen, &app.url()).await, open(&stolen, &elsewhere).await];
        let mut own_socket = open(&owner, &app.url()).await;

        revoke(&owner, stolen.session_id, over_graphql).await;
        has_stopped(&stolen.caller, &app.url()).await;
        for socket in sockets {
            ends(socket).await;
        }
        eventually("the other process knows", async || {
            stolen_elsewhere.get("/v1/users/me").await.status == 401
        })
        .await;
        has_stopped(&stolen_elsewhere, &elsewhere).await;
        owner.get("/v1/users/me").await.expect(200);
        own_socket.is_quiet().await;
        assert_eq!(ids(&listed(&owner).await), [owner.session_id]);
    }
    let revoked = app.audited("session:revoked").await;
    assert_eq!(revoked.len(), 2);
    assert_eq!((revoked[0].scope.as_str(), &revoked[0].metadata), ("user", &json!({ "reason": "revoked" })));
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn revoke_session_of_the_current_session_signs_out() {
    let app = TestApp::start().await;
    let answer = sign_in(&app, "ada").await;
    let caller = signed_in(&app, &answer);
    let [current] = ids(&listed(&caller).await).try_into().unwrap();
    revoke(&caller, current, false).await;
    has_stopped(&caller, &app.url()).await;
    let refreshed = super::refresh(&app, text(answer.data(), "/refresh_token")).await;
    refreshed.refused("UNAUTHORIZED", "Invalid refresh token");
}

#[tokio::test]
async fn revoke_other_sessions_ends_all_but_the_current_one() {
    let app = TestApp::start().await;
    for over_graphql in [false, true] {
        let owner = app.owner().await;
        let (other, foreign) = (app.session(owner.user_id, owner.account_id).await, app.owner().await);
        let third = app.session(owner.user_id, owner.account_id).await;
        let sockets = [open(&other, &app.url()).await, open(&third, &app.url()).await];
        let mut own_socket = open(&owner, &app.url()).await;
        revoke_others(&owner, over_graphql).await;
        for stopped in [&other, &third] {
            has_stopped(stopped, &app.url()).await;
        }
        for socket in sockets {
            ends(socket).await;
        }
        own_socket.is_quiet().await;
        assert_eq!(ids(&listed(&owner).await), [owner.session_id]);
        foreign.get("/v1/users/me").await.expect(200);

        let entry = app.audited("session:revoked").await.pop().unwrap();
        assert_eq!((entry.actor_id, entry.resource_id), (Some(owner.user_id), None));
        assert_eq!(entry.metadata["reason"], "others");
        let mut ended: Vec<String> = entry.metadata["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_str().unwrap().into())
            .collect();
        ended.sort();
        let mut expected = [other.session_id.to_string(), third.session_id.to_string()];
        expected.sort();
        assert_eq!(ended, expected);
        // No other session is left.
        revoke_others(&owner, over_graphql).await;
    }
    assert_eq!(app.audited("session:revoked").await.len(), 2);
}

#[tokio::test]
async fn revoke_other_sessions_by_a_key_keeps_the_session_that_made_it() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let other = app.session(owner.user_id, owner.account_id).await;
    let key = app.personal_key(&owner, &[]).await;
    revoke_others(&key, false).await;
    has_stopped(&other, &app.url()).await;
    assert_eq!(ids(&listed(&key).await), [owner.session_id]);
    owner.get("/v1/users/me").await.expect(200);
}

#[tokio::test]
async fn revoke_session_publishes_an_event_to_the_user() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let other = app.session(owner.user_id, owner.account_id).await;
    revoke(&owner, other.session_id, false).await;
    let payload: Value = outbox::table
        .filter(outbox::queue.eq("live_events"))
        .select(outbox::payload)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(payload["event"]["channel"], format!("user:{}", owner.user_id));
    assert_eq!(payload["event"]["event_type"], "session:revoked");
    assert_eq!(payload["event"]["data"], json!({ "session_id": other.session_id }));
}

#[tokio::test]
async fn revoke_session_does_not_find_unknown_and_foreign_sessions() {
    let app = TestApp::start().await;
    let (owner, foreign) = (app.owner().await, app.owner().await);
    let ended = app.session(owner.user_id, owner.account_id).await;
    revoke(&owner, ended.session_id, false).await;
    for id in [foreign.session_id, Uuid::now_v7(), ended.session_id] {
        let rest = owner.delete(&format!("/v1/users/me/sessions/{id}")).await;
        let graphql =
            owner.graphql("mutation($id: UUID!) { revokeSession(id: $id) }", json!({ "id": id })).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Session not found");
    }
    let malformed = owner.delete("/v1/users/me/sessions/mine").await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: id");
    foreign.get("/v1/users/me").await.expect(200);
    assert_eq!(app.audited("session:revoked").await.len(), 1);
}

#[tokio::test]
async fn my_sessions_and_their_revocation_are_first_party_only() {
    let app = TestApp::start().await;
    let owner: Person = app.owner().await;
    let one = format!("/v1/users/me/sessions/{}", owner.session_id);
    let revoke_one = format!("mutation {{ revokeSession(id: \"{}\") }}", owner.session_id);
    let refused = async |caller: &Caller, status: u16, code: &str, message: &str| {
        let list = caller.graphql("{ mySessions { id } }", json!({})).await;
        both_refused(&caller.get("/v1/users/me/sessions").await, &list, status, code, message);
        let others = caller.graphql("mutation { revokeOtherSessions }", json!({})).await;
        both_refused(&caller.delete("/v1/users/me/sessions").await, &others, status, code, message);
        let single = caller.graphql(&revoke_one, json!({})).await;
        both_refused(&caller.delete(&one).await, &single, status, code, message);
    };
    for caller in not_first_party(&app, &owner).await {
        refused(&caller, 403, "FORBIDDEN", "First-party session required").await;
    }
    refused(&app.anonymous(), 401, "UNAUTHORIZED", "Authentication required").await;
    owner.get("/v1/users/me").await.expect(200);
}

#[tokio::test]
async fn logout_closes_the_sockets_of_the_session() {
    let app = TestApp::start().await;
    let caller = signed_in(&app, &sign_in(&app, "ada").await);
    let mut socket = open(&caller, &app.url()).await;
    assert_eq!(caller.post("/v1/auth/logout", json!({})).await.status, 204);
    let received = socket.hear().await;
    assert!(matches!(&received, Heard::Frame(frame) if frame["code"] == "TOKEN_REVOKED"), "{received:?}");
}
