//! Signing in and out (specification A §4.2, §5.2 rule 7; C §2).

use api_core::access::TokenType;
use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, TestApp, both_refused};
use platforms_stand_in::{Failure, NewToken, Platform};
use serde_json::{Value, json};
use shared::{
    catalogue::account_roles as default_roles,
    crypto::Place,
    db::schema::{account_roles, login_connections, sessions, users},
};
use uuid::Uuid;

use super::{EXCHANGED, REFRESHED, sign_in, sign_in_with, text};

async fn count_of_users(app: &TestApp) -> i64 {
    users::table.count().get_result(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap()
}

async fn refresh(app: &TestApp, refresh_token: &str) -> Answer {
    app.anonymous().post("/v1/auth/refresh", json!({ "refresh_token": refresh_token })).await
}

async fn refresh_over_graphql(app: &TestApp, refresh_token: &str) -> Answer {
    app.anonymous().mutate("refreshToken", &json!({ "refresh_token": refresh_token }), REFRESHED).await
}

#[tokio::test]
async fn a_first_sign_in_makes_a_user_an_account_and_a_session() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let answer = app.anonymous().post("/v1/auth/token", sign_in_with("twitch", &user, &access_token)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let signed_in = answer.data();
    assert_eq!(signed_in["is_new_user"], true);
    let expires_at: DateTime<Utc> = text(signed_in, "/expires_at").parse().unwrap();
    let lifetime = (expires_at - app.clock.now()).num_seconds();
    assert!((895..=900).contains(&lifetime), "{lifetime}");

    let me = app.bearer(text(signed_in, "/token")).get("/v1/users/me").await;
    let me = me.data();
    assert_eq!(me["id"], signed_in["user_id"]);
    assert_eq!(me["display_name"], user.display_name.as_str());
    assert_eq!(me["username"], "ada");
    assert_eq!(me["email"], user.email.as_str());
    let [membership] = me["memberships"].as_array().unwrap().as_slice() else { panic!("{me}") };
    assert_eq!(membership["account_id"], me["active_account_id"]);
    assert_eq!(membership["account_name"], user.display_name.as_str());
    assert_eq!(membership["avatar_url"], user.avatar_url.as_str());
    assert_eq!(membership["role"]["slug"], "owner");
    assert_eq!(membership["is_owner"], true);
    assert_eq!(membership["plan_slug"], "free");
    let [login] = me["login_connections"].as_array().unwrap().as_slice() else { panic!("{me}") };
    assert_eq!(login["provider"], "twitch");
    assert_eq!(login["provider_user_id"], user.id.as_str());
    assert_eq!(login["is_primary_for"], json!([membership["account_id"]]));
}

#[tokio::test]
async fn a_first_account_has_the_four_default_roles_in_order_and_is_audited() {
    let app = TestApp::start().await;
    let answer = sign_in(&app, "ada").await;
    let me = app.bearer(text(answer.data(), "/token")).get("/v1/users/me").await;
    let account_id: Uuid = text(me.data(), "/active_account_id").parse().unwrap();
    let roles: Vec<(String, String, bool, Vec<String>)> = account_roles::table
        .filter(account_roles::account_id.eq(account_id))
        .order(account_roles::position.asc())
        .select((account_roles::slug, account_roles::name, account_roles::is_system, account_roles::permissions))
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let expected: Vec<_> = default_roles()
        .iter()
        .map(|role| (role.slug.to_owned(), role.name.to_owned(), role.is_system, role.permissions.to_strings()))
        .collect();
    assert_eq!(roles, expected);
    let created = app.audited_once("account:created").await;
    assert_eq!(created.account_id, Some(account_id));
    assert_eq!(created.actor_id.map(|id| id.to_string()).as_deref(), me.data()["id"].as_str());
}

#[tokio::test]
async fn the_grant_is_stored_encrypted_for_its_row() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    app.anonymous().post("/v1/auth/token", sign_in_with("twitch", &user, &access_token)).await.expect(200);
    let (id, sealed): (Uuid, Option<Vec<u8>>) = login_connections::table
        .select((login_connections::id, login_connections::access_token))
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let sealed = sealed.expect("a stored grant");
    assert!(!String::from_utf8_lossy(&sealed).contains(&access_token));
    let row = id.to_string();
    let place = Place { table: "login_connections", column: "access_token", row: &row };
    assert_eq!(app.state.keyring.open(place, &sealed).unwrap().expose(), access_token);
}

#[tokio::test]
async fn every_provider_signs_in_and_both_protocols_find_the_same_person() {
    let app = TestApp::start().await;
    for (provider, platform) in [
        ("twitch", Platform::Twitch),
        ("google", Platform::Youtube),
        ("discord", Platform::Discord),
        ("kick", Platform::Kick),
        ("trovo", Platform::Trovo),
    ] {
        let (user, access_token) = app.platforms.create_user(platform, "ada");
        let input = sign_in_with(provider, &user, &access_token);
        let first = app.anonymous().post("/v1/auth/token", input.clone()).await;
        assert_eq!(first.data()["is_new_user"], true, "{provider}");
        let again = app.anonymous().mutate("exchangeToken", &input, EXCHANGED).await.field("exchangeToken");
        assert_eq!(again["user_id"], first.data()["user_id"], "{provider}");
        assert_eq!(again["is_new_user"], false, "{provider}");
        let me = app.bearer(text(&again, "/token")).get("/v1/users/me").await;
        let slug = if provider == "google" { "youtube" } else { provider };
        assert_eq!(me.data()["login_connections"][0]["provider"], slug);
    }
    assert_eq!(count_of_users(&app).await, 5);
}

#[tokio::test]
async fn a_second_sign_in_acts_in_the_account_acted_in_last() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    let first = app.anonymous().post("/v1/auth/token", input.clone()).await;
    let caller = app.bearer(text(first.data(), "/token"));
    let user_id: Uuid = text(first.data(), "/user_id").parse().unwrap();
    let other = app.owner().await;
    app.join(other.account_id, user_id, "viewer").await;
    caller.patch("/v1/users/me", json!({ "active_account_id": other.account_id })).await.expect(200);

    let again = app.anonymous().post("/v1/auth/token", input).await;
    let me = app.bearer(text(again.data(), "/token")).get("/v1/users/me").await;
    assert_eq!(me.data()["active_account_id"], json!(other.account_id));
}

#[tokio::test]
async fn concurrent_first_sign_ins_make_one_user() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    let caller = app.anonymous();
    let answers = join_all((0..6).map(|_| caller.post("/v1/auth/token", input.clone()))).await;
    let people: Vec<&Value> = answers.iter().map(|answer| &answer.data()["user_id"]).collect();
    assert!(people.iter().all(|id| *id == people[0]), "{people:?}");
    assert_eq!(answers.iter().filter(|answer| answer.data()["is_new_user"] == true).count(), 1);
    assert_eq!(count_of_users(&app).await, 1);
    assert_eq!(app.audited("account:created").await.len(), 1);
}

#[tokio::test]
async fn a_foreign_audience_subject_or_token_is_refused_and_audited() {
    let app = TestApp::start().await;
    for (provider, platform) in [
        ("twitch", Platform::Twitch),
        ("google", Platform::Youtube),
        ("discord", Platform::Discord),
        ("kick", Platform::Kick),
    ] {
        let (ada, access_token) = app.platforms.create_user(platform, "ada");
        let (bob, _) = app.platforms.create_user(platform, "bob");
        let foreign = app.platforms.issue_token(NewToken {
            platform,
            user_id: Some(ada.id.clone()),
            client_id: Some("another-application".into()),
            scopes: None,
            expires_in_secs: None,
        });
        for input in [
            sign_in_with(provider, &ada, &foreign),
            sign_in_with(provider, &bob, &access_token),
            sign_in_with(provider, &ada, "made-up"),
        ] {
            let rest = app.anonymous().post("/v1/auth/token", input.clone()).await;
            let graphql = app.anonymous().mutate("exchangeToken", &input, EXCHANGED).await;
            both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Invalid provider token");
            assert!(!rest.text.contains(text(&input, "/access_token")));
        }
    }
    assert_eq!(count_of_users(&app).await, 0);
    let failures = app.audited("user:login_failed").await;
    assert_eq!(failures.len(), 4 * 3 * 2);
    assert!(failures.iter().all(|entry| entry.scope == "user" && entry.account_id.is_none()));
    let reasons: Vec<&str> = failures.iter().filter_map(|entry| entry.metadata["reason"].as_str()).collect();
    assert!(reasons.contains(&"the access token was issued to another application"), "{reasons:?}");
    assert!(reasons.contains(&"the access token belongs to another user"), "{reasons:?}");
}

#[tokio::test]
async fn without_a_client_id_sign_in_fails_closed() {
    let app = TestApp::builder().with("LUMIO_TWITCH_CLIENT_ID", "").start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    let rest = app.anonymous().post("/v1/auth/token", input.clone()).await;
    let graphql = app.anonymous().mutate("exchangeToken", &input, EXCHANGED).await;
    both_refused(&rest, &graphql, 500, "INTERNAL_SERVER_ERROR", "Internal server error");
    assert_eq!(count_of_users(&app).await, 0);
}

#[tokio::test]
async fn a_platform_that_is_away_is_our_failure_and_no_failed_sign_in() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Kick, "ada");
    let input = sign_in_with("kick", &user, &access_token);
    for failure in [Failure::ServerError, Failure::Reset, Failure::Malformed] {
        app.platforms.fail_next(Platform::Kick, failure);
        let answer = app.anonymous().post("/v1/auth/token", input.clone()).await;
        answer.refused("INTERNAL_SERVER_ERROR", "Internal server error");
    }
    assert!(app.audited("user:login_failed").await.is_empty());
    app.anonymous().post("/v1/auth/token", input).await.expect(200);
}

#[tokio::test]
async fn a_disabled_provider_is_refused() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Youtube, "ada");
    let input = sign_in_with("google", &user, &access_token);
    for flag in ["platform:youtube:login", "platform:youtube"] {
        app.switch(flag, false).await;
        let rest = app.anonymous().post("/v1/auth/token", input.clone()).await;
        let graphql = app.anonymous().mutate("exchangeToken", &input, EXCHANGED).await;
        let message = "Feature is disabled: platform:youtube:login";
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", message);
        app.switch(flag, true).await;
    }
    app.anonymous().post("/v1/auth/token", input).await.expect(200);
}

#[tokio::test]
async fn while_accounts_may_not_be_created_a_new_user_starts_without_one() {
    let app = TestApp::start().await;
    app.switch("system:account_creation", false).await;
    let answer = sign_in(&app, "ada").await;
    assert_eq!(answer.data()["is_new_user"], true);
    let me = app.bearer(text(answer.data(), "/token")).get("/v1/users/me").await;
    assert_eq!(me.data()["memberships"], json!([]));
    assert_eq!(me.data()["active_account_id"], Value::Null);
    assert_eq!(me.data()["owned_account_count"], 0);
    assert_eq!(me.data()["max_accounts"], 1);
}

#[tokio::test]
async fn a_wrong_input_is_refused_before_the_provider_is_asked() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let sound = sign_in_with("twitch", &user, &access_token);
    let long = "x".repeat(101);
    for (pointer, value, message) in [
        ("/provider", "spotify", "provider must be one of twitch, google, kick, trovo, discord"),
        ("/provider", "TWITCH", "provider must be one of twitch, google, kick, trovo, discord"),
        ("/provider_user_id", " ", "provider_user_id must not be empty"),
        ("/access_token", "", "access_token must not be empty"),
        ("/profile/display_name", "  ", "profile.display_name must not be empty"),
        ("/profile/display_name", &long, "profile.display_name must be between 1 and 100 characters"),
        ("/profile/username", "a\u{7}b", "profile.username must not contain control characters"),
        ("/profile/avatar_url", "javascript:alert(1)", "profile.avatar_url must be an http or https URL"),
        ("/profile/email", "nobody", "profile.email must be an e-mail address"),
    ] {
        let mut input = sound.clone();
        *input.pointer_mut(pointer).unwrap() = json!(value);
        let rest = app.anonymous().post("/v1/auth/token", input.clone()).await;
        let graphql = app.anonymous().mutate("exchangeToken", &input, EXCHANGED).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let missing = app.anonymous().post("/v1/auth/token", json!({ "provider": "twitch" })).await;
    missing.refused("VALIDATION_ERROR", "Invalid body: missing field `provider_user_id`");
    let malformed = app.anonymous().post_raw("/v1/auth/token", "application/json", "{").await;
    malformed.refused_with("BAD_REQUEST");
    let large = json!({ "provider": "x".repeat(1024 * 1024) });
    app.anonymous().post("/v1/auth/token", large).await.refused("BAD_REQUEST", "Request body too large");
    assert_eq!(count_of_users(&app).await, 0);
}

#[tokio::test]
async fn exchanges_have_a_limit_of_their_own_by_address_over_both_protocols() {
    let app = TestApp::builder().with("LUMIO_RATE_AUTH_EXCHANGE", 3).start().await;
    refresh(&app, "x").await.refused_with("UNAUTHORIZED");
    refresh_over_graphql(&app, "x").await.refused_with("UNAUTHORIZED");
    sign_in(&app, "ada").await.expect(200);
    let rest = refresh(&app, "x").await;
    both_refused(&rest, &refresh_over_graphql(&app, "x").await, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    let seconds: u64 = rest.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&seconds));
    sign_in(&app, "bob").await.refused_with("RATE_LIMIT_EXCEEDED");
}

#[tokio::test]
async fn a_refresh_rotates_the_pair() {
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
async fn a_replayed_refresh_token_ends_the_session() {
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
    both_refused(&rest, &refresh_over_graphql(&app, &used).await, 401, "UNAUTHORIZED", "Invalid refresh token");
    caller.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let newest = refresh(&app, text(second.data(), "/refresh_token")).await;
    newest.refused("UNAUTHORIZED", "Invalid refresh token");
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    elsewhere.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let ended = app.audited_once("session:revoked").await;
    assert_eq!(ended.metadata, json!({ "reason": "replay" }));
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn only_a_live_refresh_token_refreshes() {
    let app = TestApp::start().await;
    let signed_in = sign_in(&app, "ada").await;
    let session_token = text(signed_in.data(), "/token").to_owned();
    for wrong in ["", "lm_", "made.up.token", session_token.as_str()] {
        let rest = refresh(&app, wrong).await;
        both_refused(&rest, &refresh_over_graphql(&app, wrong).await, 401, "UNAUTHORIZED", "Invalid refresh token");
    }
    let as_credential = app.bearer(text(signed_in.data(), "/refresh_token"));
    as_credential.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    app.clock.advance(Duration::days(30) + Duration::seconds(1));
    let expired = refresh(&app, text(signed_in.data(), "/refresh_token")).await;
    expired.refused("UNAUTHORIZED", "Invalid refresh token");
}

#[tokio::test]
async fn a_session_keeps_a_short_address_and_is_seen_at_refresh() {
    let app = TestApp::start().await;
    let signed_in = sign_in(&app, "ada").await;
    let row = async || {
        sessions::table
            .select((sessions::ip, sessions::created_at, sessions::last_seen_at, sessions::refresh_hash))
            .first::<(Option<String>, DateTime<Utc>, DateTime<Utc>, Vec<u8>)>(
                &mut *app.state.databases.postgres.get().await.unwrap(),
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
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        elsewhere.get("/v1/users/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    }
    assert_eq!(app.audited("session:revoked").await.len(), 2);
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn only_a_session_can_sign_out() {
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
async fn a_ws_token_is_for_the_socket_only_and_belongs_to_what_it_was_issued_to() {
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
async fn a_popout_or_a_service_key_gets_no_ws_token_here() {
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
