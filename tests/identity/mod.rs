//! Signing in, the current user, keys.

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

use lumio_tests::{Answer, Caller, Person, TestApp};
use platforms_stand_in::{Platform, User};
use serde_json::{Value, json};
use shared::token::TokenKind;

/// Everything that signing in answers.
const EXCHANGED: &str = "{ token refreshToken expiresAt userId isNewUser }";
/// Everything that a refresh answers.
const REFRESHED: &str = "{ token refreshToken expiresAt userId }";

/// What a client sends to sign in.
pub fn sign_in_with(provider: &str, user: &User, access_token: &str) -> Value {
    json!({
        "provider": provider,
        "provider_user_id": user.id,
        "access_token": access_token,
        "profile": {
            "display_name": user.display_name,
            "username": user.login,
            "avatar_url": user.avatar_url,
            "email": user.email,
        },
    })
}

/// A new Twitch user who signs in; what was answered.
async fn sign_in(app: &TestApp, login: &str) -> Answer {
    let (user, access_token) = app.platforms.create_user(Platform::Twitch, login);
    app.anonymous().post("/v1/auth/token", sign_in_with("twitch", &user, &access_token)).await
}

/// A session of whoever signed in.
fn signed_in(app: &TestApp, answer: &Answer) -> Caller {
    app.bearer(text(answer.data(), "/token"))
}

/// Every credential that is no session and no personal key (A §5.2, rule 2).
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

/// The text at a pointer.
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
