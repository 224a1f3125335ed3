//! YouTube and Google accounts (reference/platforms.md#youtube).

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Platform, SentMessage, User, clock, identifier, moderation,
    oauth::{self, AccessToken, AuthorizeQuery, GrantError, TokenRequest},
    on_air,
    refusal::Refusal,
    state::State,
};

const MAX_CHARACTERS: usize = 200;
const YOUTUBE_SCOPES: [&str; 2] =
    ["https://www.googleapis.com/auth/youtube", "https://www.googleapis.com/auth/youtube.force-ssl"];

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/youtube/auth/o/oauth2/v2/auth", web::get().to(authorize))
        .route("/youtube/auth/token", web::post().to(token))
        .route("/youtube/auth/tokeninfo", web::get().to(token_info))
        .route("/youtube/auth/revoke", web::post().to(revoke))
        .route("/youtube/api/youtube/v3/channels", web::get().to(crate::people::youtube_channels))
        .route("/youtube/api/youtube/v3/videos", web::get().to(on_air::youtube_videos))
        .route("/youtube/api/youtube/v3/liveBroadcasts", web::get().to(live_broadcasts))
        .route("/youtube/api/youtube/v3/liveChat/messages", web::post().to(insert_message))
        .route("/youtube/api/youtube/v3/liveChat/messages", web::delete().to(moderation::youtube_delete))
        .route("/youtube/api/youtube/v3/liveChat/bans", web::post().to(moderation::youtube_ban));
}

/// The channel of a Google account.
#[must_use]
pub fn channel_id(user: &User) -> String {
    format!("UC{:0>22}", user.id)
}

/// Chat of the live broadcast that every channel of the stand-in has.
#[must_use]
pub fn live_chat_id(user: &User) -> String {
    format!("live-chat-{}", channel_id(user))
}

#[derive(Debug, Deserialize)]
struct TokenInfoQuery {
    access_token: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RevokeForm {
    token: String,
}

#[derive(Debug, Deserialize)]
struct NewMessage {
    snippet: NewSnippet,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewSnippet {
    live_chat_id: String,
    #[serde(rename = "type")]
    message_type: String,
    text_message_details: TextMessageDetails,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TextMessageDetails {
    message_text: String,
}

async fn authorize(
    state: web::Data<State>,
    query: web::Query<AuthorizeQuery>,
) -> Result<HttpResponse, Refusal> {
    let target = oauth::authorize(&mut state.lock(), Platform::Youtube, query.into_inner());
    let target = target.map_err(|reason| oauth_refusal(400, "invalid_request", &reason))?;
    Ok(HttpResponse::Found().insert_header(("Location", target.as_str())).finish())
}

async fn token(state: web::Data<State>, form: web::Form<TokenRequest>) -> Result<HttpResponse, Refusal> {
    let grant = oauth::grant(&mut state.lock(), Platform::Youtube, &form).map_err(|error| match error {
        GrantError::UnknownClient => oauth_refusal(401, "invalid_client", "The OAuth client was not found."),
        GrantError::WrongSecret => oauth_refusal(401, "invalid_client", "Unauthorized"),
        other => oauth_refusal(400, other.standard_code(), "Bad Request"),
    })?;
    let mut json = json!({
        "access_token": grant.access_token,
        "expires_in": grant.expires_in,
        "scope": grant.scopes.join(" "),
        "token_type": "Bearer",
    });
    if let Some(refresh_token) = grant.refresh_token {
        json["refresh_token"] = json!(refresh_token);
    }
    Ok(HttpResponse::Ok().json(json))
}

/// Google writes the numbers and booleans of this response as texts.
async fn token_info(
    state: web::Data<State>,
    query: web::Query<TokenInfoQuery>,
) -> Result<HttpResponse, Refusal> {
    let inner = state.lock();
    let token = query.access_token.as_deref().and_then(|token| inner.oauth.access(Platform::Youtube, token));
    let token = token.ok_or_else(|| oauth_refusal(400, "invalid_token", "Invalid Value"))?;
    let mut json = json!({
        "azp": token.client_id,
        "aud": token.client_id,
        "sub": token.user_id,
        "scope": token.scopes.join(" "),
        "exp": token.expires_at.timestamp().to_string(),
        "expires_in": token.expires_in().to_string(),
        "access_type": "offline",
    });
    let user = token.user_id.as_deref().and_then(|id| inner.user(Platform::Youtube, id));
    if let Some(user) = user.filter(|_| token.has_scope("email")) {
        json["email"] = json!(user.email);
        json["email_verified"] = json!("true");
    }
    Ok(HttpResponse::Ok().json(json))
}

async fn revoke(state: web::Data<State>, form: web::Form<RevokeForm>) -> Result<HttpResponse, Refusal> {
    if !state.lock().oauth.revoke_authorisation(Platform::Youtube, &form.token) {
        return Err(oauth_refusal(400, "invalid_token", "Token expired or revoked"));
    }
    Ok(HttpResponse::Ok().json(json!({})))
}

/// `liveBroadcasts.list`: one broadcast that is live, unless the channel is off the air.
async fn live_broadcasts(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let user = youtube_user(&state, &request)?.1;
    let chats = &mut state.lock().live_chats;
    chats.searches += 1;
    let mut items: Vec<Value> = chats.announced.get(&user.id).into_iter().flatten().map(announced).collect();
    if !chats.off_air.contains(&user.id) {
        items.push(json!({
            "kind": "youtube#liveBroadcast",
            "id": format!("live-{}", user.id),
            "snippet": {
                "channelId": channel_id(&user),
                "title": format!("{} is live", user.display_name),
                "liveChatId": live_chat_id(&user),
                "actualStartTime": clock::seconds(clock::now()),
            },
            "status": { "lifeCycleStatus": "live", "privacyStatus": "public" },
        }));
    }
    let answer = json!({ "kind": "youtube#liveBroadcastListResponse", "items": items });
    Ok(HttpResponse::Ok().json(answer))
}

fn announced((id, title, at): &(String, String, DateTime<Utc>)) -> Value {
    json!({
        "kind": "youtube#liveBroadcast",
        "id": id,
        "snippet": { "title": title, "liveChatId": format!("chat-{id}"), "scheduledStartTime": clock::seconds(*at) },
        "status": { "lifeCycleStatus": "ready", "privacyStatus": "public" },
    })
}

/// `liveChatMessages.insert`.
async fn insert_message(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<NewMessage>,
) -> Result<HttpResponse, Refusal> {
    let (token, author) = youtube_user(&state, &request)?;
    let snippet = body.into_inner().snippet;
    let text = snippet.text_message_details.message_text;
    if snippet.message_type != "textMessageEvent" {
        return Err(refuse(400, "The type of the message is not supported."));
    }
    if text.is_empty() || text.chars().count() > MAX_CHARACTERS {
        return Err(refuse(400, "The message text is not valid."));
    }
    let mut inner = state.lock();
    let is_this_chat =
        |user: &&User| user.platform == Platform::Youtube && live_chat_id(user) == snippet.live_chat_id;
    if !inner.users.iter().any(|user| is_this_chat(&user)) {
        return Err(refuse(404, "The live chat that you are trying to use cannot be found."));
    }
    if let Some(reason) = inner.take_drop(Platform::Youtube) {
        return Err(refuse(403, &reason));
    }
    let (message_id, now) = (identifier::token(40), clock::now());
    inner.record_sent(SentMessage {
        platform: Platform::Youtube,
        message_id: message_id.clone(),
        channel_id: snippet.live_chat_id.clone(),
        sender_id: Some(author.id.clone()),
        is_bot: false,
        text: text.clone(),
        reply_to: None,
        client_id: token.client_id,
        sent_at: now,
    });
    Ok(HttpResponse::Ok().json(json!({
        "kind": "youtube#liveChatMessage",
        "etag": identifier::token(27),
        "id": message_id,
        "snippet": {
            "type": "textMessageEvent",
            "liveChatId": snippet.live_chat_id,
            "authorChannelId": channel_id(&author),
            "publishedAt": clock::seconds(now),
            "hasDisplayContent": true,
            "displayMessage": text,
            "textMessageDetails": { "messageText": text },
        },
    })))
}

/// The token and its owner, who granted access to YouTube.
pub(crate) fn youtube_user(state: &State, request: &HttpRequest) -> Result<(AccessToken, User), Refusal> {
    let inner = state.lock();
    let token = oauth::authorization(request, "Bearer");
    let token = token.and_then(|token| inner.oauth.access(Platform::Youtube, token));
    let token = token.ok_or_else(|| refuse(401, "Request had invalid authentication credentials."))?;
    if !YOUTUBE_SCOPES.iter().any(|scope| token.has_scope(scope)) {
        return Err(refuse(403, "Request had insufficient authentication scopes."));
    }
    let user = token.user_id.as_deref().and_then(|id| inner.user(Platform::Youtube, id));
    let user = user.ok_or_else(|| refuse(401, "Request had invalid authentication credentials."))?;
    Ok((token.clone(), user.clone()))
}

fn refuse(status: u16, message: &str) -> Refusal {
    Refusal::of(Platform::Youtube, status, message)
}

fn oauth_refusal(status: u16, error: &str, description: &str) -> Refusal {
    Refusal::new(status, json!({ "error": error, "error_description": description }))
}
