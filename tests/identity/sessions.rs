//! Refresh and logout of sessions, and tokens for the socket (reference/credentials.md#sessions).

use api_core::access::TokenType;
use chrono::{DateTime, Duration, Utc};
use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, TestApp, both_refused, eventually};
use serde_json::json;
use shared::schema::sessions;

use super::{refresh, refresh_over_graphql, sign_in, text};

/// Waits until another process knows that the credential has ended.
async fn until_refused(elsewhere: &Caller) {
    eventually("the other process knows", async || elsewhere.get("/v1/users/me").await.status == 401).await;
}

#[tokio::test]
async fn refresh_token_rotates_the_pair() {
    let app = TestApp::start().await;
    let first = sign_in(&app, "ada").await;
    app.clock.advance(Duration::seconds(901));
    let stale = app.bearer(text(first.data(), "/token"));
    stale.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");

    let second = refresh(&app, text(first.data(), "/refresh_token")).await;
    assert_eq!(second.data()["user_id"], first.data()["user_id"]);
    assert!(second.data().get("is_new_user").is_none());
    let me = app.bearer(text(second.data(), "/token")).get("/v1/users/me").await;
    assert_eq!(me.data()["memberships"][0]["account_id"], me.data()["active_account_id"]);

    let third = refresh_over_graphql(&app, text(second.data(), "/refresh_token")).await.field("refreshToken");
    app.bearer(text(&third, "/token")).get("/v1/users/me").await.expect(200);
}

#[tokio::test]
async fn refresh_token_replayed_ends_the_session() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let first = sign_in(&app, "ada").await;
    let used = text(first.data(), "/refresh_token").to_owned();
    let second = refresh(&app, &used).await;
    let caller = app.bearer(text(second.data(), "/token"));
    let elsewhere = caller.at(format!("http://{}", second_server.address));
    caller.get("/v1/users/me").await.expect(200);
    elsewhere.get("/v1/users/me").await.expect(200);

    let rest = refresh(&app, &used).await;
    both_refused(
        &rest,
        &refresh_over_graphql(&app, &used).await,
        401,
        "UNAUTHORIZED",
        "Invalid refresh token",
    );
    caller.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let newest = refresh(&app, text(second.data(), "/refresh_token")).await;
    newest.refused("UNAUTHORIZED", "Invalid refresh token");
    until_refused(&elsewhere).await;
    elsewhere.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let ended = app.audited_once("session:revoked").await;
    assert_eq!(ended.metadata, json!({ "reason": "replay" }));
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn refresh_token_can_be_retried_after_a_failure() {
    let app = TestApp::start().await;
    let signed_in = sign_in(&app, "ada").await;
    let database = async |statement: &str| {
        sql_query(statement).execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    };
    database("ALTER TABLE memberships RENAME TO memberships_away").await;
    let failed = refresh(&app, text(signed_in.data(), "/refresh_token")).await;
    failed.refused("DATABASE_ERROR", "Internal database error");
    database("ALTER TABLE memberships_away RENAME TO memberships").await;
    refresh(&app, text(signed_in.data(), "/refresh_token")).await.expect(200);
    assert!(app.audited("session:revoked").await.is_empty());
}

#[tokio::test]
async fn refresh_token_refuses_all_but_valid_refresh_tokens() {
    let app = TestApp::start().await;
    let signed_in = sign_in(&app, "ada").await;
    let session_token = text(signed_in.data(), "/token").to_owned();
    for wrong in ["", "lm_", "made.up.token", session_token.as_str()] {
        let rest = refresh(&app, wrong).await;
        both_refused(
            &rest,
            &refresh_over_graphql(&app, wrong).await,
            401,
            "UNAUTHORIZED",
            "Invalid refresh token",
        );
    }
    let as_credential = app.bearer(text(signed_in.data(), "/refresh_token"));
    as_credential.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    app.clock.advance(Duration::days(30) + Duration::seconds(1));
    let expired = refresh(&app, text(signed_in.data(), "/refresh_token")).await;
    expired.refused("UNAUTHORIZED", "Invalid refresh token");
}

#[tokio::test]
async fn refresh_token_updates_last_seen_and_keeps_a_truncated_address() {
    let app = TestApp::start().await;
    let signed_in = sign_in(&app, "ada").await;
    let row = async || {
        sessions::table
            .select((sessions::ip, sessions::created_at, sessions::last_seen_at, sessions::refresh_hash))
            .first::<(Option<String>, DateTime<Utc>, DateTime<Utc>, Vec<u8>)>(
                &mut *app.databases.postgres.get().await.unwrap(),
            )
            .await
            .unwrap()
    };
    let (ip, created_at, last_seen_at, hash) = row().await;
    assert_eq!((ip.as_deref(), created_at, hash.len()), (Some("127.0.0.0"), last_seen_at, 32));
    app.clock.advance(Duration::minutes(5));
    app.bearer(text(signed_in.data(), "/token")).get("/v1/users/me").await.expect(200);
    assert_eq!(row().await.2, last_seen_at);
    refresh(&app, text(signed_in.data(), "/refresh_token")).await.expect(200);
    assert!(row().await.2 >= last_seen_at + Duration::minutes(5));
}

#[tokio::test]
async fn logout_ends_the_session_in_every_process() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    for over_graphql in [false, true] {
        let signed_in = sign_in(&app, if over_graphql { "bob" } else { "ada" }).await;
        let caller = app.bearer(text(signed_in.data(), "/token"));
        let elsewhere = caller.at(format!("http://{}", second_server.address));
        elsewhere.get("/v1/users/me").await.expect(200);
        if over_graphql {
            let answer = caller.graphql("mutation { logout }", json!({})).await;
            assert_eq!(answer.field("logout"), true);
        } else {
            assert_eq!(caller.post("/v1/auth/logout", json!({})).await.status, 204);
        }
        caller.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
        let again = refresh(&app, text(signed_in.data(), "/refresh_token")).await;
        again.refused("UNAUTHORIZED", "Invalid refresh token");
        until_refused(&elsewhere).await;
        elsewhere.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    }
    assert_eq!(app.audited("session:revoked").await.len(), 2);
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn logout_is_for_sessions_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.personal_key(&owner, &["chat:read"]).await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    for caller in [key, popout] {
        let rest = caller.post("/v1/auth/logout", json!({})).await;
        let graphql = caller.graphql("mutation { logout }", json!({})).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
    }
    let rest = app.anonymous().post_raw("/v1/auth/logout", "application/json", "{").await;
    let graphql = app.anonymous().graphql("mutation { logout }", json!({})).await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    owner.get("/v1/users/me").await.expect(200);
}

#[tokio::test]
async fn issue_ws_token_is_for_sockets_only_and_bound_to_its_credential() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.personal_key(&owner, &["chat:read"]).await;
    for (caller, is_key) in [(&owner.caller, false), (&key, true)] {
        let rest = caller.post("/v1/auth/ws-token", json!({})).await;
        let graphql = caller.graphql("mutation { issueWsToken { wsToken } }", json!({})).await;
        assert_eq!(rest.status, 200);
        for token in [text(rest.data(), "/ws_token"), text(&graphql.field("issueWsToken"), "/ws_token")] {
            let claims = app.state.jwt.read(token, app.clock.now()).expect("a signed token");
            assert_eq!(claims.typ, TokenType::Ws);
            assert_eq!((claims.sub, claims.aid), (owner.user_id, Some(owner.account_id)));
            assert_eq!(claims.exp - claims.iat, 900);
            assert_eq!(claims.key.is_some(), is_key);
            assert!(is_key || claims.sid == owner.session_id);
            app.bearer(token).get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
        }
    }
}

#[tokio::test]
async fn issue_ws_token_refuses_popouts_and_service_keys() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let callers =
        [app.popout(&owner, &["chat:read"]).await, app.service_key(owner.account_id, &["chat:read"]).await];
    for caller in callers {
        let rest = caller.post("/v1/auth/ws-token", json!({})).await;
        let graphql = caller.graphql("mutation { issueWsToken { wsToken } }", json!({})).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
    }
    let rest = app.anonymous().post("/v1/auth/ws-token", json!({})).await;
    let graphql = app.anonymous().graphql("mutation { issueWsToken { wsToken } }", json!({})).await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
}
