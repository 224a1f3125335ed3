//! Sending chat messages.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use super::{helix_token, refuse, require_scope, unauthorized};
use crate::{
    Platform, SentMessage, clock, identifier,
    oauth::AccessToken,
    refusal::Refusal,
    state::{Inner, State},
};

const MAX_CHARACTERS: usize = 500;

#[derive(Debug, Deserialize)]
pub struct SendChat {
    broadcaster_id: String,
    sender_id: String,
    message: String,
    reply_parent_message_id: Option<String>,
}

/// `POST /helix/chat/messages`.
pub async fn send(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<SendChat>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    let body = body.into_inner();
    let mut inner = state.lock();
    check_sender(&inner, &token, &body)?;
    if inner.user(Platform::Twitch, &body.broadcaster_id).is_none() {
        return Err(refuse(400, "The broadcaster_id is not a valid user"));
    }
    if body.message.trim().is_empty() {
        return Err(refuse(400, "The message field is required"));
    }
    if body.message.chars().count() > MAX_CHARACTERS {
        return Err(refuse(422, "The message is too large"));
    }
    if let Some(reason) = inner.take_drop(Platform::Twitch) {
        let drop_reason = json!({ "code": "msg_rejected", "message": reason });
        let dropped = json!({ "message_id": "", "is_sent": false, "drop_reason": drop_reason });
        return Ok(HttpResponse::Ok().json(json!({ "data": [dropped] })));
    }
    let message_id = identifier::uuid();
    inner.record_sent(SentMessage {
        platform: Platform::Twitch,
        message_id: message_id.clone(),
        channel_id: body.broadcaster_id,
        sender_id: Some(body.sender_id),
        is_bot: token.user_id.is_none(),
        text: body.message,
        reply_to: body.reply_parent_message_id,
        client_id: token.client_id,
        sent_at: clock::now(),
    });
    let sent = json!({ "message_id": message_id, "is_sent": true, "drop_reason": null });
    Ok(HttpResponse::Ok().json(json!({ "data": [sent] })))
}

/// A user sends for themselves; an application for a bot with the bot's and the channel's consent.
fn check_sender(inner: &Inner, token: &AccessToken, body: &SendChat) -> Result<(), Refusal> {
    if let Some(user_id) = &token.user_id {
        require_scope(token, "user:write:chat")?;
        if *user_id != body.sender_id {
            return Err(unauthorized(
                "The ID in sender_id must match the user ID found in the request's OAuth token",
            ));
        }
        return Ok(());
    }
    let granted = |user_id, scopes: &[&str]| {
        inner.oauth.has_granted(Platform::Twitch, &token.client_id, user_id, scopes)
    };
    if !granted(&body.sender_id, &["user:write:chat", "user:bot"]) {
        return Err(unauthorized("The sender has not granted user:write:chat and user:bot"));
    }
    let is_own_channel = body.sender_id == body.broadcaster_id;
    if !is_own_channel && !granted(&body.broadcaster_id, &["channel:bot"]) {
        return Err(refuse(
            403,
            "The sender is not permitted to send chat messages to the broadcaster's chat room",
        ));
    }
    Ok(())
}
