//! Bans, time-outs and deleted messages.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::Duration;
use serde::Deserialize;
use serde_json::json;

use super::{helix_token, refuse, require_scope, unauthorized};
use crate::{
    ModerationAction, Platform, clock,
    oauth::AccessToken,
    refusal::Refusal,
    state::{Inner, State},
};

const MAX_TIMEOUT_SECS: u64 = 1_209_600;
const MAX_REASON_CHARACTERS: usize = 500;

#[derive(Debug, Deserialize)]
pub struct ModerationQuery {
    broadcaster_id: String,
    moderator_id: String,
    user_id: Option<String>,
    message_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct BanBody {
    data: Ban,
}

#[derive(Debug, Deserialize)]
struct Ban {
    user_id: String,
    duration: Option<u64>,
    reason: Option<String>,
}

/// `POST /helix/moderation/bans`.
pub async fn ban(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<ModerationQuery>,
    body: web::Json<BanBody>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    check_moderator(&token, &query, "moderator:manage:banned_users")?;
    let Ban { user_id, duration, reason } = body.into_inner().data;
    let mut inner = state.lock();
    check_ban(&inner, &query.broadcaster_id, &user_id, duration, reason.as_deref())?;
    let now = clock::now();
    let end_time = duration.map(|secs| clock::seconds(now + Duration::seconds(secs.cast_signed())));
    inner.record_moderation(ModerationAction {
        platform: Platform::Twitch,
        action: if duration.is_some() { "timeout" } else { "ban" },
        channel_id: query.broadcaster_id.clone(),
        target_id: user_id.clone(),
        duration_secs: duration,
        reason,
        at: now,
    });
    Ok(HttpResponse::Ok().json(json!({
        "data": [{
            "broadcaster_id": query.broadcaster_id,
            "moderator_id": query.moderator_id,
            "user_id": user_id,
            "created_at": clock::seconds(now),
            "end_time": end_time,
        }]
    })))
}

/// `DELETE /helix/moderation/bans`.
pub async fn unban(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<ModerationQuery>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    check_moderator(&token, &query, "moderator:manage:banned_users")?;
    let user_id =
        query.user_id.as_deref().ok_or_else(|| refuse(400, "The user_id query parameter is required"))?;
    let mut inner = state.lock();
    if last_restriction(&inner, &query.broadcaster_id, user_id).is_none() {
        return Err(refuse(400, "The user in the user_id query parameter is not banned"));
    }
    inner.record_moderation(ModerationAction {
        platform: Platform::Twitch,
        action: "unban",
        channel_id: query.broadcaster_id.clone(),
        target_id: user_id.to_owned(),
        duration_secs: None,
        reason: None,
        at: clock::now(),
    });
    Ok(HttpResponse::NoContent().finish())
}

/// `DELETE /helix/moderation/chat`.
pub async fn delete_message(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<ModerationQuery>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    check_moderator(&token, &query, "moderator:manage:chat_messages")?;
    let target_id = query.message_id.clone().unwrap_or_else(|| "all".into());
    state.lock().record_moderation(ModerationAction {
        platform: Platform::Twitch,
        action: "delete",
        channel_id: query.broadcaster_id.clone(),
        target_id,
        duration_secs: None,
        reason: None,
        at: clock::now(),
    });
    Ok(HttpResponse::NoContent().finish())
}

fn check_moderator(token: &AccessToken, query: &ModerationQuery, scope: &str) -> Result<(), Refusal> {
    require_scope(token, scope)?;
    if token.user_id.as_deref() != Some(&query.moderator_id) {
        return Err(unauthorized("The ID in moderator_id must match the user ID in the access token"));
    }
    Ok(())
}

fn check_ban(
    inner: &Inner,
    channel_id: &str,
    user_id: &str,
    duration: Option<u64>,
    reason: Option<&str>,
) -> Result<(), Refusal> {
    if user_id == channel_id {
        return Err(refuse(400, "The user specified in the user_id field may not be banned"));
    }
    if duration.is_some_and(|secs| secs == 0 || secs > MAX_TIMEOUT_SECS) {
        return Err(refuse(400, "The duration field must be from 1 to 1209600 seconds"));
    }
    if reason.is_some_and(|reason| reason.chars().count() > MAX_REASON_CHARACTERS) {
        return Err(refuse(400, "The text in the reason field is too long"));
    }
    match last_restriction(inner, channel_id, user_id) {
        Some("ban") => Err(refuse(400, "The user specified in the user_id field is already banned")),
        _ => Ok(()),
    }
}

/// `ban` or `timeout` when the user is under one.
fn last_restriction(inner: &Inner, channel_id: &str, user_id: &str) -> Option<&'static str> {
    let about = |action: &&ModerationAction| {
        action.platform == Platform::Twitch && action.channel_id == channel_id && action.target_id == user_id
    };
    inner.moderation.iter().rev().find(about).map(|action| action.action).filter(|action| *action != "unban")
}
