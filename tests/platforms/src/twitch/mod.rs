//! Twitch (reference/platforms.md#twitch): OAuth, Helix and EventSub over webhooks.

mod auth;
mod channels;
mod chat;
mod delivery;
mod engagement;
mod event;
mod eventsub;
mod moderation;
mod rewards;
mod socket;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

pub use delivery::{notification, revocation, verification};
pub use event::Event;
pub use eventsub::Subscription;
pub use rewards::{Redemption, Reward};
pub use socket::Sessions;

pub(crate) use eventsub::revoke;
pub(crate) use rewards::redeem;

use crate::{Platform, User, clock, oauth, oauth::AccessToken, on_air, refusal::Refusal, state::State};

/// Maximum number of users in one call.
const MAX_USERS_PER_CALL: usize = 100;

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/twitch/auth/oauth2/authorize", web::get().to(auth::authorize))
        .route("/twitch/auth/oauth2/token", web::post().to(auth::token))
        .route("/twitch/auth/oauth2/validate", web::get().to(auth::validate))
        .route("/twitch/auth/oauth2/revoke", web::post().to(auth::revoke))
        .route("/twitch/eventsub/ws", web::get().to(socket::open))
        .route("/twitch/api/helix/users", web::get().to(users))
        .route("/twitch/api/helix/streams", web::get().to(on_air::twitch_streams))
        .route("/twitch/api/helix/chat/messages", web::post().to(chat::send))
        .route("/twitch/api/helix/channels", web::patch().to(channels::update))
        .route("/twitch/api/helix/clips", web::post().to(channels::create_clip))
        .route("/twitch/api/helix/raids", web::post().to(engagement::start_raid))
        .route("/twitch/api/helix/raids", web::delete().to(engagement::cancel_raid))
        .route("/twitch/api/helix/polls", web::post().to(engagement::create_poll))
        .route("/twitch/api/helix/polls", web::patch().to(engagement::end_poll))
        .route("/twitch/api/helix/predictions", web::post().to(engagement::create_prediction))
        .route("/twitch/api/helix/predictions", web::patch().to(engagement::end_prediction))
        .route("/twitch/api/helix/channel_points/custom_rewards", web::post().to(rewards::create))
        .route("/twitch/api/helix/channel_points/custom_rewards", web::patch().to(rewards::update))
        .route("/twitch/api/helix/channel_points/custom_rewards", web::delete().to(rewards::delete))
        .route("/twitch/api/helix/channel_points/custom_rewards/redemptions", web::patch().to(rewards::end))
        .route("/twitch/api/helix/moderation/bans", web::post().to(moderation::ban))
        .route("/twitch/api/helix/moderation/bans", web::delete().to(moderation::unban))
        .route("/twitch/api/helix/moderation/chat", web::delete().to(moderation::delete_message))
        .route("/twitch/api/helix/eventsub/subscriptions", web::post().to(eventsub::create))
        .route("/twitch/api/helix/eventsub/subscriptions", web::get().to(eventsub::list))
        .route("/twitch/api/helix/eventsub/subscriptions", web::delete().to(eventsub::delete));
}

/// Every Helix call names its application in addition to the token, and the two must agree.
pub(crate) fn helix_token(state: &State, request: &HttpRequest) -> Result<AccessToken, Refusal> {
    let token =
        oauth::authorization(request, "Bearer").ok_or_else(|| unauthorized("OAuth token is missing"))?;
    let client_id = request.headers().get("Client-Id").and_then(|value| value.to_str().ok());
    let client_id = client_id.ok_or_else(|| unauthorized("Client ID is missing"))?;
    let token = state.lock().oauth.access(Platform::Twitch, token).cloned();
    let token = token.ok_or_else(|| unauthorized("Invalid OAuth token"))?;
    if token.client_id != client_id {
        return Err(unauthorized("Client ID and OAuth token do not match"));
    }
    Ok(token)
}

fn unauthorized(message: &str) -> Refusal {
    refuse(401, message)
}

fn refuse(status: u16, message: &str) -> Refusal {
    Refusal::of(Platform::Twitch, status, message)
}

pub(crate) fn require_scope(token: &AccessToken, scope: &str) -> Result<(), Refusal> {
    if token.has_scope(scope) { Ok(()) } else { Err(unauthorized(&format!("Missing scope: {scope}"))) }
}

/// `GET /helix/users`: by ids and logins, or the owner of the token.
async fn users(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    let asked: Vec<&(String, String)> =
        query.iter().filter(|(key, _)| key == "id" || key == "login").collect();
    if asked.len() > MAX_USERS_PER_CALL {
        return Err(refuse(400, "The number of id and login values must not exceed 100"));
    }
    let inner = state.lock();
    let found: Vec<&User> = if asked.is_empty() {
        let id = token.user_id.as_deref();
        let id = id.ok_or_else(|| refuse(400, "id or login must be given with an app access token"))?;
        inner.user(Platform::Twitch, id).into_iter().collect()
    } else {
        let find = |(key, value): &(String, String)| match key.as_str() {
            "id" => inner.user(Platform::Twitch, value),
            _ => inner.user_by_login(Platform::Twitch, value),
        };
        asked.into_iter().filter_map(find).collect()
    };
    let data: Vec<Value> = found.into_iter().map(|user| user_json(user, &token)).collect();
    Ok(HttpResponse::Ok().json(json!({ "data": data })))
}

fn user_json(user: &User, token: &AccessToken) -> Value {
    let mut json = json!({
        "id": user.id,
        "login": user.login,
        "display_name": user.display_name,
        "type": "",
        "broadcaster_type": "affiliate",
        "description": "",
        "profile_image_url": user.avatar_url,
        "offline_image_url": "",
        "view_count": 0,
        "created_at": clock::seconds(user.created_at),
    });
    if token.user_id.as_deref() == Some(&user.id) && token.has_scope("user:read:email") {
        json["email"] = json!(user.email);
    }
    json
}
