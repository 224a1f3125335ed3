//! Kick (reference/platforms.md#kick): OAuth 2.1, the public API and webhooks.

mod api;
mod auth;
mod delivery;
mod event;
mod moderation;
mod subscriptions;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

pub use delivery::{SigningKey, notification};
pub use event::Event;
pub use subscriptions::Subscription;

use crate::{Platform, oauth, oauth::AccessToken, on_air, refusal::Refusal, state::State};

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/kick/auth/oauth/authorize", web::get().to(auth::authorize))
        .route("/kick/auth/oauth/token", web::post().to(auth::token))
        .route("/kick/auth/oauth/token/introspect", web::post().to(auth::introspect))
        .route("/kick/auth/oauth/revoke", web::post().to(auth::revoke))
        .route("/kick/api/public/v1/public-key", web::get().to(api::public_key))
        .route("/kick/api/public/v1/users", web::get().to(api::users))
        .route("/kick/api/public/v1/channels", web::get().to(api::channels))
        .route("/kick/api/public/v1/channels", web::patch().to(api::update_channel))
        .route("/kick/api/public/v2/livestreams", web::get().to(on_air::kick_livestreams))
        .route("/kick/api/public/v1/chat", web::post().to(api::send_chat))
        .route("/kick/api/public/v1/chat/{message_id}", web::delete().to(moderation::delete_message))
        .route("/kick/api/public/v1/moderation/bans", web::post().to(moderation::ban))
        .route("/kick/api/public/v1/moderation/bans", web::delete().to(moderation::unban))
        .route("/kick/api/public/v1/events/subscriptions", web::post().to(subscriptions::create))
        .route("/kick/api/public/v1/events/subscriptions", web::get().to(subscriptions::list))
        .route("/kick/api/public/v1/events/subscriptions", web::delete().to(subscriptions::delete));
}

pub(crate) fn bearer(state: &State, request: &HttpRequest) -> Result<AccessToken, Refusal> {
    let token = oauth::authorization(request, "Bearer");
    let token = token.and_then(|token| state.lock().oauth.access(Platform::Kick, token).cloned());
    token.ok_or_else(|| refuse(401, "Unauthorized"))
}

fn require_scope(token: &AccessToken, scope: &str) -> Result<(), Refusal> {
    if token.has_scope(scope) { Ok(()) } else { Err(refuse(403, "Forbidden")) }
}

/// The user of a user token; applications are refused.
fn require_user<'a>(token: &'a AccessToken, scope: &str) -> Result<&'a str, Refusal> {
    require_scope(token, scope)?;
    token.user_id.as_deref().ok_or_else(|| refuse(403, "Forbidden"))
}

fn refuse(status: u16, message: &str) -> Refusal {
    Refusal::of(Platform::Kick, status, message)
}

fn ok(data: Value) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "data": data, "message": "OK" }))
}

/// Kick's ids are numbers in JSON.
fn number(id: &str) -> u64 {
    id.parse().unwrap_or_default()
}
