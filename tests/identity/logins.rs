//! Sign-in of known users, and the rules that all three operations with a provider's token share
//! (reference/credentials.md#provider-proof).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::crypto::SecretLocation;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use platforms_stand_in::{NewToken, Platform};
use serde_json::{Value, json};
use shared::schema::{login_connections, system_connections};
use uuid::Uuid;

use super::{EXCHANGED, links::flag, sign_in, sign_in_with, signed_in, text};

/// Providers and their platforms.
pub(super) const PROVIDERS: [(&str, Platform); 5] = [
    ("twitch", Platform::Twitch),
    ("google", Platform::Youtube),
    ("discord", Platform::Discord),
    ("kick", Platform::Kick),
    ("trovo", Platform::Trovo),
];
const CONNECTION: &str = "{ id provider providerUserId username displayName avatarUrl reconnectRequired isPrimaryFor \
    confirmed createdAt }";

async fn authorize(app: &TestApp, input: &Value) -> Answer {
    app.anonymous().post("/v1/auth/authorize", input.clone()).await
}

async fn authorize_over_graphql(app: &TestApp, input: &Value) -> Answer {
    app.anonymous().mutate("authorizeLogin", input, EXCHANGED).await
}

pub(super) async fn link_over_graphql(caller: &Caller, input: &Value) -> Answer {
    let document =
        format!("mutation($input: ExchangeTokenInput!) {{ linkLoginProvider(input: $input) {CONNECTION} }}");
    let profile = &input["profile"];
    let variables = json!({ "input": {
        "provider": input["provider"],
        "providerUserId": input["provider_user_id"],
        "accessToken": input["access_token"],
        "profile": { "displayName": profile["display_name"], "username": profile["username"],
            "avatarUrl": profile["avatar_url"], "email": profile["email"] },
    } });
    caller.graphql(&document, variables).await
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    count: i64,
}

pub(super) async fn count(app: &TestApp, table: &str) -> i64 {
    let counted = diesel::sql_query(format!("SELECT count(*) FROM {table}"));
    let mut db = app.databases.postgres.get().await.unwrap();
    counted.get_result::<Count>(&mut *db).await.unwrap().count
}

/// Stored columns of a login connection: user, token, token version, reconnect flag, application.
pub(super) type Stored = (Uuid, Vec<u8>, i64, bool, Option<String>);

pub(super) async fn stored(app: &TestApp, id: &Value) -> Stored {
    let id: Uuid = id.as_str().unwrap().parse().unwrap();
    let (user, token, version, flag, client_id): (Uuid, Option<Vec<u8>>, i64, bool, Option<String>) =
        login_connections::table
            .find(id)
            .select((
                login_connections::user_id,
                login_connections::access_token,
                login_connections::token_version,
                login_connections::reconnect_required,
                login_connections::client_id,
            ))
            .first(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    (user, token.unwrap(), version, flag, client_id)
}

#[tokio::test]
async fn authorize_login_signs_in_known_users_on_both_protocols() {
    let app = TestApp::start().await;
    for (provider, platform) in PROVIDERS {
        let (user, access_token) = app.platforms.create_user(platform, "ada");
        let input = sign_in_with(provider, &user, &access_token);
        let first = app.anonymous().post("/v1/auth/token", input.clone()).await;
        let me = app.bearer(text(first.data(), "/token")).get("/v1/users/me").await;
        flag(&app, &me.data()["login_connections"][0]["id"]).await;
        let rest = authorize(&app, &input).await;
        assert_eq!(rest.status, 200, "{provider}: {}", rest.text);
        let graphql = authorize_over_graphql(&app, &input).await.field("authorizeLogin");
        for again in [rest.data(), &graphql] {
            assert_eq!(again["user_id"], first.data()["user_id"], "{provider}");
            assert_eq!(again["is_new_user"], false, "{provider}");
            let me = app.bearer(text(again, "/token")).get("/v1/users/me").await;
            assert_eq!(me.data()["active_account_id"], me.data()["memberships"][0]["account_id"]);
            let refreshed = super::refresh(&app, text(again, "/refresh_token")).await;
            refreshed.expect(200);
        }
    }
    assert_eq!(count(&app, "users").await, 5);
    assert_eq!(count(&app, "sessions").await, 15);
    assert_eq!(app.audited("session:created").await.len(), 15);
    assert_eq!(app.audited("connection:reconnected").await.len(), 5);
}

#[tokio::test]
async fn authorize_login_activates_the_named_account() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    let first = app.anonymous().post("/v1/auth/token", input.clone()).await;
    let user_id: Uuid = text(first.data(), "/user_id").parse().unwrap();
    for over_graphql in [false, true] {
        let other = app.owner().await;
        app.join(other.account_id, user_id, "viewer").await;
        let mut input = input.clone();
        input["account_id"] = json!(other.account_id);
        let answer = if over_graphql {
            authorize_over_graphql(&app, &input).await.field("authorizeLogin")
        } else {
            authorize(&app, &input).await.data().clone()
        };
        let me = app.bearer(text(&answer, "/token")).get("/v1/users/me").await;
        assert_eq!(me.data()["active_account_id"], json!(other.account_id));
        input["account_id"] = Value::Null;
        let next = authorize(&app, &input).await;
        let me = signed_in(&app, &next).get("/v1/users/me").await;
        assert_eq!(me.data()["active_account_id"], json!(other.account_id), "it is the usual one now");
    }
}

#[tokio::test]
async fn authorize_login_refuses_and_audits_an_unknown_identity() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Kick, "ada");
    let input = sign_in_with("kick", &user, &access_token);
    let rest = authorize(&app, &input).await;
    let graphql = authorize_over_graphql(&app, &input).await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Nobody signs in with this identity");
    assert_eq!((count(&app, "users").await, count(&app, "sessions").await), (0, 0));
    let failures = app.audited("user:login_failed").await;
    assert_eq!(failures.len(), 2);
    assert!(failures.iter().all(|entry| entry.resource_id == Some(format!("kick:{}", user.id))));
}

#[tokio::test]
async fn authorize_login_refuses_foreign_accounts_and_malformed_ids() {
    let app = TestApp::start().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let mut input = sign_in_with("twitch", &user, &access_token);
    let first = app.anonymous().post("/v1/auth/token", input.clone()).await;
    let foreign = app.owner().await;
    for account_id in [foreign.account_id, Uuid::now_v7()] {
        input["account_id"] = json!(account_id);
        let rest = authorize(&app, &input).await;
        let graphql = authorize_over_graphql(&app, &input).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Account not found");
    }
    input["account_id"] = json!("mine");
    authorize(&app, &input).await.refused("VALIDATION_ERROR", "Invalid UUID: account_id");
    // The sessions are those of the first sign-in and of the foreign owner.
    assert_eq!(count(&app, "sessions").await, 2);
    let me = signed_in(&app, &first).get("/v1/users/me").await;
    assert_ne!(me.data()["active_account_id"], json!(foreign.account_id));
}

#[tokio::test]
async fn logins_check_subject_and_audience_for_every_provider() {
    let app = TestApp::start().await;
    let caller = signed_in(&app, &sign_in(&app, "linker").await);
    for (provider, platform) in PROVIDERS {
        let (ada, token_of_ada) = app.platforms.create_user(platform, "ada");
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
            sign_in_with(provider, &bob, &token_of_ada),
            sign_in_with(provider, &ada, "made-up"),
        ] {
            let (code, message) = ("UNAUTHORIZED", "Invalid provider token");
            let exchanged = app.anonymous().post("/v1/auth/token", input.clone()).await;
            let over_graphql = app.anonymous().mutate("exchangeToken", &input, EXCHANGED).await;
            both_refused(&exchanged, &over_graphql, 401, code, message);
            let (rest, graphql) = (authorize(&app, &input).await, authorize_over_graphql(&app, &input).await);
            both_refused(&rest, &graphql, 401, code, message);
            let rest = caller.post("/v1/auth/link", input.clone()).await;
            both_refused(&rest, &link_over_graphql(&caller, &input).await, 401, code, message);
        }
    }
    assert_eq!(app.audited("user:login_failed").await.len(), 5 * 3 * 3 * 2);
    assert_eq!(count(&app, "login_connections").await, 1);
}

#[tokio::test]
async fn logins_fail_closed_without_an_application_or_enabled_provider() {
    let app = TestApp::builder()
        .with("LUMIO_TWITCH_CLIENT_ID", "")
        .with("LUMIO_TWITCH_CLIENT_SECRET", "")
        .start()
        .await;
    let owner = app.owner().await;
    let (twitch, twitch_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let (kick, kick_token) = app.platforms.create_user(Platform::Kick, "ada");
    app.switch("platform:kick:login", false).await;
    for (input, status, code, message) in [
        (
            sign_in_with("twitch", &twitch, &twitch_token),
            500,
            "INTERNAL_SERVER_ERROR",
            "Internal server error",
        ),
        (
            sign_in_with("kick", &kick, &kick_token),
            403,
            "FEATURE_DISABLED",
            "Feature is disabled: platform:kick:login",
        ),
    ] {
        let exchanged = app.anonymous().post("/v1/auth/token", input.clone()).await;
        let over_graphql = app.anonymous().mutate("exchangeToken", &input, EXCHANGED).await;
        both_refused(&exchanged, &over_graphql, status, code, message);
        let rest = authorize(&app, &input).await;
        both_refused(&rest, &authorize_over_graphql(&app, &input).await, status, code, message);
        let rest = owner.post("/v1/auth/link", input.clone()).await;
        both_refused(&rest, &link_over_graphql(&owner, &input).await, status, code, message);
    }
    assert_eq!(count(&app, "login_connections").await, 0);
}

#[tokio::test]
async fn logins_use_the_application_that_staff_stored_as_audience() {
    let app = TestApp::start().await;
    let id = Uuid::now_v7();
    let row = id.to_string();
    let place = SecretLocation { table: "system_connections", column: "client_secret", row: &row };
    let secret = app.state.keyring.seal(place, &shared::secret::Secret::new("secret")).unwrap();
    diesel::insert_into(system_connections::table)
        .values((
            system_connections::id.eq(id),
            system_connections::platform.eq("twitch"),
            system_connections::kind.eq("login"),
            system_connections::client_id.eq("entered-app"),
            system_connections::client_secret.eq(secret),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let (user, of_configured) = app.platforms.create_user(Platform::Twitch, "ada");
    let of_entered = app.platforms.issue_token(NewToken {
        platform: Platform::Twitch,
        user_id: Some(user.id.clone()),
        client_id: Some("entered-app".into()),
        scopes: None,
        expires_in_secs: None,
    });
    let exchange = async |token: &str| {
        app.anonymous().post("/v1/auth/token", sign_in_with("twitch", &user, token)).await
    };
    exchange(&of_configured).await.refused("UNAUTHORIZED", "Invalid provider token");
    let answer = exchange(&of_entered).await;
    let logins = signed_in(&app, &answer).get("/v1/users/me/login-connections").await;
    assert_eq!(stored(&app, &logins.data()[0]["id"]).await.4.as_deref(), Some("entered-app"));
}

#[tokio::test]
async fn logins_validate_the_input_alike_in_all_three_operations() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let sound = sign_in_with("twitch", &user, &access_token);
    for (pointer, value, message) in [
        ("/provider", "spotify", "provider must be one of twitch, google, kick, trovo, discord"),
        ("/provider_user_id", "", "provider_user_id must not be empty"),
        ("/access_token", " ", "access_token must not be empty"),
        ("/profile/display_name", "", "profile.display_name must not be empty"),
    ] {
        let mut input = sound.clone();
        *input.pointer_mut(pointer).unwrap() = json!(value);
        let rest = authorize(&app, &input).await;
        both_refused(&rest, &authorize_over_graphql(&app, &input).await, 400, "VALIDATION_ERROR", message);
        let rest = owner.post("/v1/auth/link", input.clone()).await;
        both_refused(&rest, &link_over_graphql(&owner, &input).await, 400, "VALIDATION_ERROR", message);
    }
}

#[tokio::test]
async fn logins_share_one_rate_limit() {
    let app = TestApp::builder().with("LUMIO_RATE_AUTH_EXCHANGE", 2).start().await;
    app.begin_a_window(60);
    let owner = app.owner().await;
    authorize(&app, &json!({})).await.refused_with("VALIDATION_ERROR");
    owner.post("/v1/auth/link", json!({})).await.refused_with("VALIDATION_ERROR");
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, "ada");
    let input = sign_in_with("twitch", &user, &access_token);
    let (code, message) = ("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    let rest = authorize(&app, &input).await;
    both_refused(&rest, &authorize_over_graphql(&app, &input).await, 429, code, message);
    let rest = owner.post("/v1/auth/link", input.clone()).await;
    both_refused(&rest, &link_over_graphql(&owner, &input).await, 429, code, message);
}
