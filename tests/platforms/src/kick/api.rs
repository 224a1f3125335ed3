//! Users, channels, chat and the webhook key.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{bearer, number, ok, refuse, require_scope, require_user};
use crate::{
    Platform, SentMessage, User, clock, identifier,
    oauth::AccessToken,
    refusal::Refusal,
    state::{EngagementCall, Inner, State},
};

const MAX_CHARACTERS: usize = 500;

#[derive(Debug, Deserialize)]
pub struct SendChat {
    content: String,
    #[serde(rename = "type")]
    sender_type: String,
    broadcaster_user_id: Option<u64>,
    reply_to_message_id: Option<String>,
}

/// `GET /public/v1/public-key`.
pub async fn public_key(state: web::Data<State>) -> HttpResponse {
    ok(json!({ "public_key": state.kick_key.public_pem() }))
}

/// `GET /public/v1/users`: by ids, or the owner of the token.
pub async fn users(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    let inner = state.lock();
    let users = asked_or_own(&inner, &token, &query, "id");
    Ok(ok(users.into_iter().map(|user| user_json(user, &token)).collect()))
}

/// `GET /public/v1/channels`: by broadcaster ids, or the channel of the token's owner.
pub async fn channels(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    let inner = state.lock();
    let users = asked_or_own(&inner, &token, &query, "broadcaster_user_id");
    Ok(ok(users.into_iter().map(channel_json).collect()))
}

fn asked_or_own<'a>(
    inner: &'a Inner,
    token: &AccessToken,
    query: &[(String, String)],
    key: &str,
) -> Vec<&'a User> {
    let asked: Vec<&str> = query.iter().filter(|(name, _)| name == key).map(|(_, id)| id.as_str()).collect();
    let ids = if asked.is_empty() { token.user_id.as_deref().into_iter().collect() } else { asked };
    ids.into_iter().filter_map(|id| inner.user(Platform::Kick, id)).collect()
}

fn user_json(user: &User, token: &AccessToken) -> Value {
    let is_own = token.user_id.as_deref() == Some(&user.id) && token.has_scope("user:read");
    json!({
        "user_id": number(&user.id),
        "name": user.display_name,
        "email": if is_own { user.email.as_str() } else { "" },
        "profile_picture": user.avatar_url,
    })
}

fn channel_json(user: &User) -> Value {
    json!({
        "broadcaster_user_id": number(&user.id),
        "slug": user.login,
        "channel_description": "",
        "banner_picture": "",
        "stream_title": "",
        "category": { "id": 15, "name": "Just Chatting", "thumbnail": "" },
        "stream": { "is_live": false, "viewer_count": 0, "start_time": "0001-01-01T00:00:00Z" },
    })
}

/// Change of a channel.
#[derive(Debug, Deserialize)]
pub struct ChannelChange {
    stream_title: Option<String>,
}

/// `PATCH /public/v1/channels`: the channel of the token.
pub async fn update_channel(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<ChannelChange>,
) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    let channel = require_user(&token, "channel:write")?;
    let title = body.into_inner().stream_title.filter(|title| !title.is_empty());
    let title = title.ok_or_else(|| refuse(400, "Invalid request: stream_title is required"))?;
    let body = json!({ "channel": channel, "title": title });
    state.lock().record_engagement(EngagementCall { platform: Platform::Kick, action: "title", body });
    Ok(HttpResponse::NoContent().finish())
}

/// `POST /public/v1/chat`: a user writes into the named channel, a bot into the channel of the token.
pub async fn send_chat(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<SendChat>,
) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    let body = body.into_inner();
    let channel_id = target_channel(&token, &body)?;
    if body.content.is_empty() || body.content.chars().count() > MAX_CHARACTERS {
        return Err(refuse(400, "Invalid request: content must be 1 to 500 characters"));
    }
    let mut inner = state.lock();
    if inner.user(Platform::Kick, &channel_id).is_none() {
        return Err(refuse(404, "Not found"));
    }
    if inner.take_drop(Platform::Kick).is_some() {
        return Ok(ok(json!({ "is_sent": false, "message_id": "" })));
    }
    let message_id = identifier::uuid();
    inner.record_sent(SentMessage {
        platform: Platform::Kick,
        message_id: message_id.clone(),
        channel_id,
        sender_id: token.user_id,
        is_bot: body.sender_type == "bot",
        text: body.content,
        reply_to: body.reply_to_message_id,
        client_id: token.client_id,
        sent_at: clock::now(),
    });
    Ok(ok(json!({ "is_sent": true, "message_id": message_id })))
}

fn target_channel(token: &AccessToken, body: &SendChat) -> Result<String, Refusal> {
    let named = body.broadcaster_user_id.map(|id| id.to_string());
    match (body.sender_type.as_str(), &token.user_id) {
        ("user", Some(_)) => {
            require_scope(token, "chat:write")?;
            named.ok_or_else(|| refuse(400, "Invalid request: broadcaster_user_id is required"))
        }
        ("bot", Some(own)) => {
            require_scope(token, "chat:write")?;
            Ok(own.clone())
        }
        // An application has no channel of its own, so it has to name one.
        ("bot", None) => named.ok_or_else(|| refuse(400, "Invalid request: broadcaster_user_id is required")),
        ("user", None) => Err(refuse(403, "Forbidden")),
        _ => Err(refuse(400, "Invalid request: type must be user or bot")),
    }
}
