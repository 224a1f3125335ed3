//! Bans, time-outs and deleted messages.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use super::{bearer, number, ok, refuse, require_user};
use crate::{ModerationAction, Platform, clock, oauth::AccessToken, refusal::Refusal, state::State};

const MAX_TIMEOUT_MINUTES: u64 = 10_080;
const MAX_REASON_CHARACTERS: usize = 100;

#[derive(Debug, Deserialize)]
pub struct BanBody {
    broadcaster_user_id: u64,
    user_id: u64,
    /// Minutes.
    duration: Option<u64>,
    reason: Option<String>,
}

/// `POST /public/v1/moderation/bans`.
pub async fn ban(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<BanBody>,
) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    check_moderator(&token, &body)?;
    if body.duration.is_some_and(|minutes| minutes == 0 || minutes > MAX_TIMEOUT_MINUTES) {
        return Err(refuse(400, "Invalid request: duration must be 1 to 10080 minutes"));
    }
    if body.reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON_CHARACTERS) {
        return Err(refuse(400, "Invalid request: reason must have at most 100 characters"));
    }
    let action = if body.duration.is_some() { "timeout" } else { "ban" };
    record(&state, action, body.into_inner());
    Ok(ok(json!({})))
}

/// `DELETE /public/v1/moderation/bans`, with a body.
pub async fn unban(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<BanBody>,
) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    check_moderator(&token, &body)?;
    record(&state, "unban", body.into_inner());
    Ok(ok(json!({})))
}

/// `DELETE /public/v1/chat/{message_id}`.
pub async fn delete_message(
    state: web::Data<State>,
    request: HttpRequest,
    message_id: web::Path<String>,
) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    let moderator = require_user(&token, "moderation:chat_message:manage")?;
    state.lock().record_moderation(ModerationAction {
        platform: Platform::Kick,
        action: "delete",
        channel_id: moderator.to_owned(),
        target_id: message_id.into_inner(),
        duration_secs: None,
        reason: None,
        at: clock::now(),
    });
    Ok(HttpResponse::NoContent().finish())
}

/// Only the broadcaster moderates here; this stand-in has no other moderators.
fn check_moderator(token: &AccessToken, body: &BanBody) -> Result<(), Refusal> {
    let moderator = require_user(token, "moderation:ban")?;
    if number(moderator) != body.broadcaster_user_id {
        return Err(refuse(403, "Forbidden"));
    }
    if body.user_id == body.broadcaster_user_id {
        return Err(refuse(400, "Invalid request: the broadcaster cannot be banned"));
    }
    Ok(())
}

fn record(state: &State, action: &'static str, body: BanBody) {
    state.lock().record_moderation(ModerationAction {
        platform: Platform::Kick,
        action,
        channel_id: body.broadcaster_user_id.to_string(),
        target_id: body.user_id.to_string(),
        duration_secs: body.duration.map(|minutes| minutes * 60),
        reason: body.reason,
        at: clock::now(),
    });
}
