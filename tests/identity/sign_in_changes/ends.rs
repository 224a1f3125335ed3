//! Sessions that end with their login, and sessions that a key cannot end.

use diesel::{prelude::*, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use futures::future::join;
use lumio_tests::{Person, SocketRequest, TestApp, both_refused};
use serde_json::json;
use shared::schema::{accounts, user_api_keys};
use uuid::Uuid;

use super::{REFUSED, Victim, link, proof, victim};
use crate::{refresh, signed_in, text};
use lumio_tests::world::eventually;

async fn free_primary(app: &TestApp) {
    diesel::update(accounts::table)
        .set(accounts::primary_login_connection_id.eq(None::<Uuid>))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn disconnect_login_connection_ends_sessions_of_that_login_only() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let elsewhere = format!("http://{}", second_server.address);
    for over_graphql in [false, true] {
        let victim = victim(&app, if over_graphql { "bob" } else { "ada" }).await;
        let (person, second) = (&victim.person, proof(&app, "second"));
        let login = link(person, &second).await.data()["id"].as_str().unwrap().to_owned();
        let opened = app.anonymous().post("/v1/auth/token", second).await;
        let through_second = signed_in(&app, &opened);
        let there = through_second.at(&elsewhere);
        there.get("/v1/users/me").await.expect(200);
        let mut socket = SocketRequest::to(app.url()).bearer(through_second.token()).connect().await;
        let mut own_socket = SocketRequest::to(app.url()).bearer(person.token()).connect().await;

        if over_graphql {
            let document = "mutation($id: UUID!) { disconnectLoginConnection(loginConnectionId: $id) }";
            let answer = person.graphql(document, json!({ "id": login })).await;
            assert_eq!(answer.field("disconnectLoginConnection"), true);
        } else {
            person.delete(&format!("/v1/login-connections/{login}")).await.expect(204);
        }
        let rest = through_second.get("/v1/users/me").await;
        let graphql = through_second.graphql("{ me { id } }", json!({})).await;
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Invalid or expired token");
        let refreshed = refresh(&app, text(opened.data(), "/refresh_token")).await;
        refreshed.refused("UNAUTHORIZED", "Invalid refresh token");
        assert_eq!(socket.until_closed().await.1, 4002);
        eventually("it ends in the other process", async || there.get("/v1/users/me").await.status == 401)
            .await;
        person.get("/v1/users/me").await.expect(200);
        own_socket.is_quiet().await;
        refresh(&app, &victim.refresh_token).await.expect(200);
    }
    let ended = app.audited("session:revoked").await;
    assert_eq!((ended.len(), &ended[0].metadata["reason"]), (2, &json!("login_removed")));
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn disconnect_login_connection_ends_sessions_of_own_and_unknown_login() {
    let app = TestApp::start().await;
    let Victim { person, login, .. } = victim(&app, "ada").await;
    link(&person, &proof(&app, "second")).await.expect(201);
    let third = link(&person, &proof(&app, "third")).await.data()["id"].as_str().unwrap().to_owned();
    free_primary(&app).await;
    // An old session does not record its login.
    let unknown = app.session(person.user_id, person.account_id).await;
    let other = app.session(person.user_id, person.account_id).await;
    unknown.delete(&format!("/v1/login-connections/{third}")).await.expect(204);
    unknown.get("/v1/users/me").await.expect(200);
    other.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    person.get("/v1/users/me").await.expect(200);

    person.delete(&format!("/v1/login-connections/{login}")).await.expect(204);
    for ended in [&person, &unknown] {
        ended.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    }
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Number of open sessions whose login was removed.
async fn orphans(app: &TestApp) -> i64 {
    let sql =
        "SELECT count(*) FROM sessions s WHERE s.revoked_at IS NULL AND s.login_connection_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM login_connections l WHERE l.id = s.login_connection_id)";
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).get_result::<Count>(&mut *db).await.unwrap().count
}

#[tokio::test]
async fn disconnect_login_connection_during_a_sign_in_leaves_no_session() {
    let app = TestApp::builder().with("LUMIO_RATE_AUTH_EXCHANGE", 1000).start().await;
    let victim = victim(&app, "ada").await;
    for n in 0..8 {
        let second = proof(&app, &format!("second{n}"));
        let login = link(&victim.person, &second).await.data()["id"].as_str().unwrap().to_owned();
        let (signed_in, removed) = join(
            app.anonymous().post("/v1/auth/authorize", second),
            victim.person.delete(&format!("/v1/login-connections/{login}")),
        )
        .await;
        assert!(matches!(signed_in.status, 200 | 401), "{}", signed_in.text);
        removed.expect(204);
        assert_eq!(orphans(&app).await, 0);
        if signed_in.status == 200 {
            let late = app.bearer(text(signed_in.data(), "/token"));
            late.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
        }
    }
}

#[tokio::test]
async fn revoke_session_by_a_key_refuses_the_session_that_made_it() {
    let app = TestApp::start().await;
    let Victim { person, .. } = victim(&app, "ada").await;
    app.override_feature(person.account_id, "feature:apikeys", true).await;
    let input = json!({ "label": "deck", "permissions": ["chat:read"] });
    let made = person.post("/v1/api-keys", input).await;
    let key = app.bearer(text(made.expect(201), "/data/key"));
    let others = [(); 3].map(|()| app.session(person.user_id, person.account_id));
    let others: Vec<Person> = futures::future::join_all(others).await;

    let maker = format!("/v1/users/me/sessions/{}", person.session_id);
    key.delete(&maker).await.refused("FORBIDDEN", REFUSED);
    key.delete(&format!("/v1/users/me/sessions/{}", others[0].session_id)).await.expect(204);
    key.delete("/v1/users/me/sessions").await.expect(204);
    for other in &others {
        other.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    }
    person.get("/v1/users/me").await.expect(200);
    assert_eq!(app.audited("session:revoked").await.len(), 2);

    // An old key does not record the session that created it: it may be any session that was open then.
    diesel::update(user_api_keys::table)
        .set((
            user_api_keys::created_by_session.eq(None::<Uuid>),
            user_api_keys::created_at.eq(diesel::dsl::now),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let later = app.session(person.user_id, person.account_id).await;
    key.delete(&maker).await.refused("FORBIDDEN", REFUSED);
    key.delete("/v1/users/me/sessions").await.expect(204);
    person.get("/v1/users/me").await.expect(200);
    later.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    person.delete(&maker).await.expect(204);
}
