//! Bans and removed messages on YouTube and Trovo.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use crate::{
    ModerationAction, Platform, User, clock, identifier,
    refusal::Refusal,
    state::{EngagementCall, Inner, State},
    trovo, youtube,
};

/// Longest time-out in seconds.
const MAX_YOUTUBE_SECS: u64 = 86_400;

#[derive(Debug, Deserialize)]
pub struct NewBan {
    snippet: BanSnippet,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BanSnippet {
    live_chat_id: String,
    #[serde(rename = "type")]
    ban_type: String,
    ban_duration_seconds: Option<u64>,
    banned_user_details: BannedUser,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BannedUser {
    channel_id: String,
}

#[derive(Debug, Deserialize)]
pub struct ById {
    id: String,
}

#[derive(Debug, Deserialize)]
pub struct Command {
    command: String,
    channel_id: String,
}

/// `liveChatBans.insert`: the owner of the chat may not be banned, nor its moderators.
pub async fn youtube_ban(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<NewBan>,
) -> Result<HttpResponse, Refusal> {
    let caller = youtube::youtube_user(&state, &request)?.1;
    let snippet = body.into_inner().snippet;
    let target = snippet.banned_user_details.channel_id;
    let mut inner = state.lock();
    let owner = chat_owner(&inner, &snippet.live_chat_id)?;
    let caller_channel = youtube::channel_id(&caller);
    let protects =
        |channel: &str| channel == youtube::channel_id(&owner) || is_moderator(&inner, &owner, channel);
    if !protects(&caller_channel) {
        return Err(refuse(403, "The caller is not permitted to ban users from the specified live chat."));
    }
    if protects(&target) {
        return Err(refuse(403, "The owner and the moderators of a live chat cannot be banned."));
    }
    let action = match (snippet.ban_type.as_str(), snippet.ban_duration_seconds) {
        ("permanent", None) => "ban",
        ("temporary", Some(secs)) if (1..=MAX_YOUTUBE_SECS).contains(&secs) => "timeout",
        _ => return Err(refuse(400, "The ban is not valid.")),
    };
    inner.record_moderation(ModerationAction {
        platform: Platform::Youtube,
        action,
        channel_id: snippet.live_chat_id,
        target_id: target,
        duration_secs: snippet.ban_duration_seconds,
        reason: None,
        at: clock::now(),
    });
    Ok(HttpResponse::Ok().json(json!({ "kind": "youtube#liveChatBan", "id": identifier::token(40) })))
}

/// `liveChatMessages.delete`.
pub async fn youtube_delete(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<ById>,
) -> Result<HttpResponse, Refusal> {
    let caller = youtube::youtube_user(&state, &request)?.1;
    state.lock().record_moderation(ModerationAction {
        platform: Platform::Youtube,
        action: "delete",
        channel_id: youtube::channel_id(&caller),
        target_id: query.into_inner().id,
        duration_secs: None,
        reason: None,
        at: clock::now(),
    });
    Ok(HttpResponse::NoContent().finish())
}

/// `POST /openplatform/channels/command`: supports `ban` and `settitle`.
pub async fn trovo_command(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<Command>,
) -> Result<HttpResponse, Refusal> {
    let (token, caller) = trovo::trovo_user(&state, &request)?;
    if !token.has_scope("manage_messages") || caller.id != body.channel_id {
        return Err(Refusal::of(Platform::Trovo, 403, "scope manage_messages is missing"));
    }
    if let Some(title) = body.command.strip_prefix("settitle ") {
        state.lock().record_engagement(EngagementCall {
            platform: Platform::Trovo,
            action: "title",
            body: json!({ "channel": body.channel_id, "title": title }),
        });
        return Ok(HttpResponse::Ok().json(json!({ "is_success": true, "display_msg": "" })));
    }
    let Some(name) = body.command.strip_prefix("ban ") else {
        return Ok(HttpResponse::Ok().json(json!({ "is_success": false, "display_msg": "unknown command" })));
    };
    let mut inner = state.lock();
    let Some(target_id) = inner.user_by_login(Platform::Trovo, name).map(|user| user.id.clone()) else {
        return Ok(
            HttpResponse::Ok().json(json!({ "is_success": false, "display_msg": "User doesn't exist" }))
        );
    };
    inner.record_moderation(ModerationAction {
        platform: Platform::Trovo,
        action: "ban",
        channel_id: body.channel_id.clone(),
        target_id,
        duration_secs: None,
        reason: None,
        at: clock::now(),
    });
    Ok(HttpResponse::Ok().json(json!({ "is_success": true, "display_msg": "" })))
}

fn chat_owner(inner: &Inner, live_chat_id: &str) -> Result<User, Refusal> {
    let is_owner =
        |user: &&User| user.platform == Platform::Youtube && youtube::live_chat_id(user) == live_chat_id;
    let owner = inner.users.iter().find(is_owner).cloned();
    owner.ok_or_else(|| refuse(404, "The live chat that you are trying to use cannot be found."))
}

fn is_moderator(inner: &Inner, owner: &User, channel: &str) -> bool {
    inner.moderators.contains(&(owner.id.clone(), channel.to_owned()))
}

fn refuse(status: u16, message: &str) -> Refusal {
    Refusal::of(Platform::Youtube, status, message)
}
