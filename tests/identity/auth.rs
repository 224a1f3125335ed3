//! First sign-in with a provider (reference/credentials.md#first-sign-in).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::crypto::SecretLocation;
use futures::future::join_all;
use lumio_tests::{TestApp, both_refused};
use platforms_stand_in::{Failure, NewToken, Platform};
use serde_json::{Value, json};
use shared::{
    catalogue::account_roles as default_roles,
    schema::{account_roles, login_connections, sessions, users},
};
use uuid::Uuid;

use super::{EXCHANGED, links::flag, refresh, refresh_over_graphql, sign_in, sign_in_with, text};

async fn count_of_users(app: &TestApp) -> i64 {
    users::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn exchange_token_creates_user_account_and_session_on_first_sign_in() {
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
async fn exchange_token_creates_the_four_default_roles_and_audits() {
    let app = TestApp::start().await;
    let answer = sign_in(&app, "ada").await;
    let me = app.bearer(text(answer.data(), "/token")).get("/v1/users/me").await;
    let account_id: Uuid = text(me.data(), "/active_account_id").parse().unwrap();
    let roles: Vec<(String, String, bool, Vec<String>)> = account_roles::table
        .filter(account_roles::account_id.eq(account_id))
        .order(account_roles::position.asc())
        .select((
            account_roles::slug,
            account_roles::name,
            account_roles::is_system,
            account_roles::permissions,
        ))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let expected: Vec<_> = default_roles()
        .iter()
        .map(|role| {
            (role.slug.to_owned(), role.name.to_owned(), role.is_system, role.permissions.to_strings())
        })
        .collect();
    assert_eq!(roles, expected);
    let created = app.audited_once("account:created").await;
    assert_eq!(created.account_id, Some(account_id));
    assert_eq!(created.actor_id.map(|id| id.to_string()).as_deref(), me.data()["id"].as_str());
}

#[tokio::test]
async fn exchange_token_audits_the_login_connection_and_every_session() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    let answer = app.anonymous().post("/v1/auth/token", input.clone()).await;
    let user_id: Uuid = text(answer.data(), "/user_id").parse().unwrap();
    let me = app.bearer(text(answer.data(), "/token")).get("/v1/users/me").await;
    let connected = app.audited_once("connection:connected").await;
    assert_eq!((connected.scope.as_str(), connected.actor_id), ("user", Some(user_id)));
    assert_eq!(connected.resource_id.as_deref(), me.data()["login_connections"][0]["id"].as_str());
    assert_eq!(connected.metadata, json!({ "provider": "twitch" }));
    app.anonymous().post("/v1/auth/token", input).await.expect(200);
    app.audited_once("connection:connected").await;
    let opened: Vec<Option<String>> =
        app.audited("session:created").await.into_iter().map(|entry| entry.resource_id).collect();
    let stored: Vec<Uuid> = sessions::table
        .order(sessions::created_at.asc())
        .select(sessions::id)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(opened, stored.iter().map(|id| Some(id.to_string())).collect::<Vec<_>>());
    assert_eq!(stored.len(), 2);
}

#[tokio::test]
async fn exchange_token_stores_the_grant_encrypted() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    app.anonymous().post("/v1/auth/token", sign_in_with("twitch", &user, &access_token)).await.expect(200);
    let (id, sealed): (Uuid, Option<Vec<u8>>) = login_connections::table
        .select((login_connections::id, login_connections::access_token))
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let sealed = sealed.expect("a stored grant");
    assert!(!String::from_utf8_lossy(&sealed).contains(&access_token));
    let row = id.to_string();
    let place = SecretLocation { table: "login_connections", column: "access_token", row: &row };
    assert_eq!(app.state.keyring.open(place, &sealed).unwrap().expose(), access_token);
}

#[tokio::test]
async fn exchange_token_signs_in_with_every_provider_on_both_protocols() {
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
async fn exchange_token_again_selects_the_last_active_account() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    let first = app.anonymous().post("/v1/auth/token", input.clone()).await;
    let caller = app.bearer(text(first.data(), "/token"));
    let user_id: Uuid = text(first.data(), "/user_id").parse().unwrap();
    let other = app.owner().await;
    app.join(other.account_id, user_id, "viewer").await;
    caller.patch("/v1/users/me", json!({ "active_account_id": other.account_id })).await.expect(200);
    let login = caller.get("/v1/users/me").await.data()["login_connections"][0]["id"].clone();
    flag(&app, &login).await;

    let again = app.anonymous().post("/v1/auth/token", input).await;
    let me = app.bearer(text(again.data(), "/token")).get("/v1/users/me").await;
    assert_eq!(me.data()["active_account_id"], json!(other.account_id));
    let renewed = app.audited_once("connection:reconnected").await;
    assert_eq!((renewed.actor_id, renewed.resource_id.as_deref()), (Some(user_id), login.as_str()));
}

#[tokio::test]
async fn exchange_token_in_parallel_creates_one_user() {
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
async fn exchange_token_refuses_and_audits_foreign_provider_tokens() {
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
async fn exchange_token_fails_closed_without_a_client_id() {
    let app = TestApp::builder()
        .with("LUMIO_TWITCH_CLIENT_ID", "")
        .with("LUMIO_TWITCH_CLIENT_SECRET", "")
        .start()
        .await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    let rest = app.anonymous().post("/v1/auth/token", input.clone()).await;
    let graphql = app.anonymous().mutate("exchangeToken", &input, EXCHANGED).await;
    both_refused(&rest, &graphql, 500, "INTERNAL_SERVER_ERROR", "Internal server error");
    assert_eq!(count_of_users(&app).await, 0);
}

#[tokio::test]
async fn exchange_token_audits_no_failed_sign_in_when_the_platform_fails() {
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
async fn exchange_token_refuses_a_disabled_provider() {
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
async fn exchange_token_creates_no_account_while_creation_is_off() {
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
async fn exchange_token_validates_the_input_before_calling_the_provider() {
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
    missing.refused("VALIDATION_ERROR", "Missing field: provider_user_id");
    let malformed = app.anonymous().post_raw("/v1/auth/token", "application/json", "{").await;
    malformed.refused_with("BAD_REQUEST");
    let large = json!({ "provider": "x".repeat(1024 * 1024) });
    app.anonymous().post("/v1/auth/token", large).await.refused("BAD_REQUEST", "Request body too large");
    assert_eq!(count_of_users(&app).await, 0);
}

#[tokio::test]
async fn exchange_token_and_refresh_have_their_own_limit_by_address() {
    let app = TestApp::builder().with("LUMIO_RATE_AUTH_EXCHANGE", 3).start().await;
    app.begin_a_window(60);
    refresh(&app, "x").await.refused_with("UNAUTHORIZED");
    refresh_over_graphql(&app, "x").await.refused_with("UNAUTHORIZED");
    sign_in(&app, "ada").await.expect(200);
    let rest = refresh(&app, "x").await;
    both_refused(
        &rest,
        &refresh_over_graphql(&app, "x").await,
        429,
        "RATE_LIMIT_EXCEEDED",
        "Rate limit exceeded",
    );
    let seconds: u64 = rest.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&seconds));
    // The headers show the limit that refused, not that of the tier.
    assert_eq!((rest.header("x-ratelimit-limit"), rest.header("x-ratelimit-remaining")), ("3", "0"));
    sign_in(&app, "bob").await.refused_with("RATE_LIMIT_EXCEEDED");
}
