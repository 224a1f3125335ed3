//! Checks that every call passes: method, token, scope, parameters and body.

use actix_web::{HttpRequest, HttpResponse, http::header::CONTENT_LENGTH, web};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::{
    Platform, oauth,
    refusal::Refusal,
    state::{Inner, State},
};

/// Scope of the state, the queue and the devices.
pub(super) const READ: &str = "user-read-playback-state";
/// Scope of commands.
pub(super) const CONTROL: &str = "user-modify-playback-state";
/// Scope of the library.
pub(super) const PLAYLISTS: &str = "playlist-read-private";

/// Registers a path with its methods; any other is 405.
pub(super) fn resource(path: &str, methods: Vec<actix_web::Route>) -> actix_web::Resource {
    let resource = web::resource(format!("/spotify/api/v1{path}"));
    let resource = methods.into_iter().fold(resource, actix_web::Resource::route);
    resource.default_service(web::to(wrong_method))
}

async fn wrong_method() -> HttpResponse {
    refuse(405, "Method not allowed").response()
}

/// The user of a token. Calls to the player without its scope are 401, others 403.
pub(super) fn user(
    state: &State,
    request: &HttpRequest,
    scope: Option<&str>,
    is_player: bool,
) -> Result<String, Refusal> {
    let mut inner = state.lock();
    let token =
        oauth::authorization(request, "Bearer").ok_or_else(|| refuse(401, "No token provided"))?.to_owned();
    let token = inner.oauth.access(Platform::Spotify, &token).cloned();
    let token = token.ok_or_else(|| refuse(401, "The access token expired"))?;
    if scope.is_some_and(|scope| !token.has_scope(scope)) {
        let refused =
            if is_player { (401, "Permissions missing") } else { (403, "Insufficient client scope") };
        return Err(refuse(refused.0, refused.1));
    }
    let user = token.user_id.ok_or_else(|| refuse(401, "Valid user authentication required"))?;
    let path = request.path().trim_start_matches("/spotify/api/v1");
    let calls = inner.players.calls.entry(user.clone()).or_default();
    calls.push(format!("{} {path}", request.method()));
    Ok(user)
}

/// Parameters of the query; an unknown or missing one is 400.
pub(super) fn query<T: DeserializeOwned>(request: &HttpRequest) -> Result<T, Refusal> {
    let parsed = web::Query::<T>::from_query(request.query_string());
    Ok(parsed.map_err(|error| refuse(400, &format!("Invalid parameter: {error}")))?.into_inner())
}

/// JSON body; an unknown or missing field is 400. Nothing counts as `{}`.
pub(super) fn json_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    let body = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(|error| refuse(400, &format!("Malformed json: {error}")))
}

/// A command without a body must state its length.
pub(super) fn no_body(request: &HttpRequest, body: &[u8]) -> Result<(), Refusal> {
    if !body.is_empty() {
        return Err(refuse(400, "Unexpected body"));
    }
    if !request.headers().contains_key(CONTENT_LENGTH) {
        return Err(refuse(411, "Length Required"));
    }
    Ok(())
}

/// Refuses commands of users without Premium.
pub(super) fn require_premium(inner: &Inner, user: &str) -> Result<(), Refusal> {
    if inner.players.free.contains(user) {
        return Err(failed(403, "Premium required", "PREMIUM_REQUIRED"));
    }
    Ok(())
}

pub(super) fn refuse(status: u16, message: &str) -> Refusal {
    Refusal::of(Platform::Spotify, status, message)
}

/// Refusal of a command with its reason.
pub(super) fn failed(status: u16, message: &str, reason: &str) -> Refusal {
    let message = format!("Player command failed: {message}");
    Refusal::new(status, json!({ "error": { "status": status, "message": message, "reason": reason } }))
}
