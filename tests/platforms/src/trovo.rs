//! Trovo (reference/platforms.md#trovo): JSON bodies where others take forms, and its own error codes.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Platform, SentMessage, User, clock, identifier, moderation,
    oauth::{self, AccessToken, AuthorizeQuery, GrantError, TokenRequest},
    on_air,
    refusal::Refusal,
    state::State,
};

const MAX_CHARACTERS: usize = 300;

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/trovo/auth/page/login.html", web::get().to(authorize))
        .route("/trovo/auth/openplatform/exchangetoken", web::post().to(token))
        .route("/trovo/auth/openplatform/refreshtoken", web::post().to(token))
        .route("/trovo/auth/openplatform/validate", web::get().to(validate))
        .route("/trovo/auth/openplatform/revoke", web::post().to(revoke))
        .route("/trovo/api/openplatform/getuserinfo", web::get().to(user_info))
        .route("/trovo/api/openplatform/getusers", web::post().to(users))
        .route("/trovo/api/openplatform/channels/id", web::post().to(on_air::trovo_channel))
        .route("/trovo/api/openplatform/channels/command", web::post().to(moderation::trovo_command))
        .route("/trovo/api/openplatform/chat/send", web::post().to(send_chat));
}

#[derive(Debug, Deserialize)]
struct RevokeBody {
    access_token: String,
}

#[derive(Debug, Deserialize)]
struct UsersBody {
    user: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct SendChat {
    content: String,
    channel_id: Option<String>,
}

async fn authorize(
    state: web::Data<State>,
    query: web::Query<AuthorizeQuery>,
) -> Result<HttpResponse, Refusal> {
    let target = oauth::authorize(&mut state.lock(), Platform::Trovo, query.into_inner());
    let target = target.map_err(|reason| refuse(400, 1002, &reason))?;
    Ok(HttpResponse::Found().insert_header(("Location", target.as_str())).finish())
}

/// The client id is in a header, the rest in a JSON body.
async fn token(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<TokenRequest>,
) -> Result<HttpResponse, Refusal> {
    let body = TokenRequest { client_id: client_id(&request).map(str::to_owned), ..body.into_inner() };
    let grant = oauth::grant(&mut state.lock(), Platform::Trovo, &body).map_err(|error| match error {
        GrantError::InvalidRefreshToken => refuse(401, 11712, "invalid refresh token"),
        GrantError::InvalidCode | GrantError::InvalidVerifier => {
            refuse(401, 11703, "invalid authorization code")
        }
        GrantError::UnknownClient | GrantError::WrongSecret => refuse(401, 11701, "invalid client"),
        GrantError::UnsupportedGrant => refuse(400, 1002, "invalid grant type"),
    })?;
    Ok(HttpResponse::Ok().json(json!({
        "access_token": grant.access_token,
        "expires_in": grant.expires_in,
        "refresh_token": grant.refresh_token,
        "token_type": "OAuth",
    })))
}

async fn validate(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let (token, user) = trovo_user(&state, &request)?;
    Ok(HttpResponse::Ok().json(json!({
        "uid": user.id,
        "client_id": token.client_id,
        "nick_name": user.display_name,
        "scopes": token.scopes,
        "expire_ts": token.expires_at.timestamp().to_string(),
    })))
}

async fn revoke(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<RevokeBody>,
) -> Result<HttpResponse, Refusal> {
    require_client(&request)?;
    if !state.lock().oauth.revoke(Platform::Trovo, &body.access_token) {
        return Err(refuse(401, 11704, "invalid access token"));
    }
    Ok(HttpResponse::Ok().json(json!({})))
}

async fn user_info(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let (token, user) = trovo_user(&state, &request)?;
    require_scope(&token, "user_details_self")?;
    Ok(HttpResponse::Ok().json(json!({
        "userId": user.id,
        "userName": user.login,
        "nickName": user.display_name,
        "email": user.email,
        "profilePic": user.avatar_url,
        "info": "",
        "channelId": user.id,
    })))
}

/// Needs no token, only the client id.
async fn users(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<UsersBody>,
) -> Result<HttpResponse, Refusal> {
    require_client(&request)?;
    let inner = state.lock();
    let found = body.user.iter().filter_map(|login| inner.user_by_login(Platform::Trovo, login));
    let users: Vec<Value> = found
        .map(|user| {
            json!({
                "user_id": user.id,
                "username": user.login,
                "nickname": user.display_name,
                "channel_id": user.id,
            })
        })
        .collect();
    Ok(HttpResponse::Ok().json(json!({ "total": users.len(), "users": users })))
}

/// An empty object means that the message was taken.
async fn send_chat(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<SendChat>,
) -> Result<HttpResponse, Refusal> {
    let (token, user) = trovo_user(&state, &request)?;
    require_scope(&token, "chat_send_self")?;
    let SendChat { content, channel_id } = body.into_inner();
    if content.is_empty() || content.chars().count() > MAX_CHARACTERS {
        return Err(refuse(400, 1002, "content must be 1 to 300 characters"));
    }
    let channel_id = channel_id.unwrap_or_else(|| user.id.clone());
    let mut inner = state.lock();
    if inner.user(Platform::Trovo, &channel_id).is_none() {
        return Err(refuse(404, 20000, "channel not found"));
    }
    if let Some(reason) = inner.take_drop(Platform::Trovo) {
        return Err(refuse(403, 12906, &reason));
    }
    inner.record_sent(SentMessage {
        platform: Platform::Trovo,
        message_id: identifier::uuid(),
        channel_id,
        sender_id: Some(user.id),
        is_bot: false,
        text: content,
        reply_to: None,
        client_id: token.client_id,
        sent_at: clock::now(),
    });
    Ok(HttpResponse::Ok().json(json!({})))
}

fn client_id(request: &HttpRequest) -> Option<&str> {
    request.headers().get("Client-ID")?.to_str().ok()
}

pub(crate) fn require_client(request: &HttpRequest) -> Result<&str, Refusal> {
    client_id(request).ok_or_else(|| refuse(401, 11701, "the Client-ID header is missing"))
}

pub(crate) fn trovo_user(state: &State, request: &HttpRequest) -> Result<(AccessToken, User), Refusal> {
    let client_id = require_client(request)?;
    let inner = state.lock();
    let token = oauth::authorization(request, "OAuth");
    let token = token.and_then(|token| inner.oauth.access(Platform::Trovo, token));
    let token = token.ok_or_else(|| refuse(401, 11704, "invalid access token"))?;
    if token.client_id != client_id {
        return Err(refuse(401, 10703, "the access token belongs to another client"));
    }
    let user = token.user_id.as_deref().and_then(|id| inner.user(Platform::Trovo, id));
    let user = user.ok_or_else(|| refuse(401, 11704, "invalid access token"))?;
    Ok((token.clone(), user.clone()))
}

fn require_scope(token: &AccessToken, scope: &str) -> Result<(), Refusal> {
    if token.has_scope(scope) {
        Ok(())
    } else {
        Err(refuse(403, 11730, &format!("scope {scope} is missing")))
    }
}

fn refuse(status: u16, code: i64, message: &str) -> Refusal {
    Refusal::new(status, json!({ "status": code, "error": "error", "message": message }))
}
