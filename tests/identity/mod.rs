//! Signing in, the current user, keys.

mod api_keys;
mod auth;
mod sessions;
mod statements;
mod tokens;
mod users;

use lumio_tests::{Answer, TestApp};
use platforms_stand_in::{Platform, User};
use serde_json::{Value, json};

/// Everything that signing in answers.
const EXCHANGED: &str = "{ token refreshToken expiresAt userId isNewUser }";
/// Everything that a refresh answers.
const REFRESHED: &str = "{ token refreshToken expiresAt userId }";

/// What a client sends to sign in.
fn sign_in_with(provider: &str, user: &User, access_token: &str) -> Value {
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
