//! Sign-in, sessions, the current user, keys and tokens.

mod api_keys;
mod auth;
mod last_used;
mod links;
mod login_connections;
mod logins;
mod own_sessions;
mod popout_borders;
mod popout_persons;
mod popout_sessions;
mod popout_tokens;
mod rate_tiers;
mod rules_of_credentials;
mod service_keys;
mod sessions;
mod sign_in_changes;
mod system_keys;
mod tokens;
mod transports;
mod unknown_credentials;
mod users;

use api_core::token::TokenKind;
use lumio_tests::{Answer, Caller, Person, TestApp, sign_in_with};
use platforms_stand_in::Platform;
use serde_json::{Value, json};

/// Selection of every field of a sign-in.
const EXCHANGED: &str = "{ token refreshToken expiresAt userId isNewUser }";
/// Selection of every field of a refresh.
const REFRESHED: &str = "{ token refreshToken expiresAt userId }";

/// Signs in a new Twitch user; returns the answer.
async fn sign_in(app: &TestApp, login: &str) -> Answer {
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, login);
    app.anonymous().post("/v1/auth/token", sign_in_with("twitch", &user, &access_token)).await
}

/// Session of an answered sign-in.
fn signed_in(app: &TestApp, answer: &Answer) -> Caller {
    app.bearer(text(answer.data(), "/token"))
}

/// Credentials that are neither a session nor a personal key (reference/credentials.md#first-party-callers).
async fn not_first_party(app: &TestApp, owner: &Person) -> [Caller; 6] {
    let account = owner.account_id;
    [
        app.popout(owner, &["account:read"]).await,
        app.service_key(account, &["account:read"]).await,
        app.system_key().await,
        app.surface_token(TokenKind::Overlay, account, "overlay", None).await,
        app.surface_token(TokenKind::Widget, account, "widget", None).await,
        app.surface_token(TokenKind::Extension, account, "install", None).await,
    ]
}

/// Text at a JSON pointer.
#[track_caller]
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text at {pointer} in {value}"))
}

async fn refresh(app: &TestApp, refresh_token: &str) -> Answer {
    app.anonymous().post("/v1/auth/refresh", json!({ "refresh_token": refresh_token })).await
}

async fn refresh_over_graphql(app: &TestApp, refresh_token: &str) -> Answer {
    app.anonymous().mutate("refreshToken", &json!({ "refresh_token": refresh_token }), REFRESHED).await
}
