//! Discord (reference/platforms.md#discord).

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Platform, SentMessage, User, clock, identifier,
    oauth::{self, AuthorizeQuery, GrantError, RevokeForm, TokenRequest},
    refusal::Refusal,
    state::{Inner, State},
};

const MAX_CHARACTERS: usize = 2000;

/// The token of the one bot; its user id is [`BOT_USER_ID`].
pub const BOT_TOKEN: &str = "stand-in-discord-bot-token";
/// The server of a bot when the test picks none.
pub const GUILD_ID: &str = "1100000000000000001";
/// Author of the bot's messages.
pub const BOT_USER_ID: &str = "1000000000000000001";

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/discord/auth/oauth2/authorize", web::get().to(authorize))
        .route("/discord/auth/api/oauth2/token", web::post().to(token))
        .route("/discord/auth/api/oauth2/token/revoke", web::post().to(revoke))
        .route("/discord/api/v10/oauth2/@me", web::get().to(authorization))
        .route("/discord/api/v10/users/@me", web::get().to(me))
        .route("/discord/api/v10/channels/{channel_id}", web::get().to(channel))
        .route("/discord/api/v10/channels/{channel_id}/messages", web::post().to(create_message));
}

#[derive(Debug, Deserialize)]
struct NewMessage {
    content: String,
    allowed_mentions: Option<Value>,
    message_reference: Option<MessageReference>,
}

#[derive(Debug, Deserialize)]
struct MessageReference {
    message_id: String,
}

async fn authorize(
    state: web::Data<State>,
    query: web::Query<AuthorizeQuery>,
) -> Result<HttpResponse, Refusal> {
    let mut inner = state.lock();
    let asks_for_bot = query.scope.as_deref().unwrap_or_default().split(' ').any(|scope| scope == "bot");
    let target = oauth::authorize(&mut inner, Platform::Discord, query.into_inner());
    let mut target = target.map_err(|reason| oauth_refusal(400, "invalid_request", &reason))?;
    if asks_for_bot {
        target.query_pairs_mut().append_pair("guild_id", &guild(&inner).0);
    }
    Ok(HttpResponse::Found().insert_header(("Location", target.as_str())).finish())
}

/// Credentials in a Basic header or in the body.
async fn token(
    state: web::Data<State>,
    request: HttpRequest,
    form: web::Form<TokenRequest>,
) -> Result<HttpResponse, Refusal> {
    let mut form = form.into_inner();
    if let Some((id, secret)) = oauth::basic_credentials(&request) {
        form.client_id = Some(id);
        form.client_secret = Some(secret);
    }
    let mut inner = state.lock();
    let grant = oauth::grant(&mut inner, Platform::Discord, &form).map_err(|error| match error {
        GrantError::UnknownClient | GrantError::WrongSecret => {
            oauth_refusal(401, "invalid_client", "Unauthorized")
        }
        other => {
            oauth_refusal(400, other.standard_code(), "Invalid \"code\" or \"refresh_token\" in request.")
        }
    })?;
    let mut json = json!({
        "token_type": "Bearer",
        "access_token": grant.access_token,
        "expires_in": grant.expires_in,
        "scope": grant.scopes.join(" "),
    });
    if let Some(refresh_token) = grant.refresh_token {
        json["refresh_token"] = json!(refresh_token);
    }
    if form.grant_type == "authorization_code" && grant.scopes.iter().any(|scope| scope == "bot") {
        let (id, name) = guild(&inner);
        json["guild"] = json!({ "id": id, "name": name, "icon": null });
    }
    Ok(HttpResponse::Ok().json(json))
}

fn guild(inner: &Inner) -> (String, String) {
    inner.discord_guild.clone().unwrap_or_else(|| (GUILD_ID.to_owned(), "Stand-in server".to_owned()))
}

/// Revokes every token of the authorisation.
async fn revoke(state: web::Data<State>, form: web::Form<RevokeForm>) -> Result<HttpResponse, Refusal> {
    let token = form.token.as_deref();
    let token =
        token.ok_or_else(|| oauth_refusal(400, "invalid_request", "Missing \"token\" in request."))?;
    // An unknown token is not an error (RFC 7009 §2.2), so the result is ignored.
    state.lock().oauth.revoke_authorisation(Platform::Discord, token);
    Ok(HttpResponse::Ok().json(json!({})))
}

/// `GET /oauth2/@me`: user and application of a token.
async fn authorization(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let inner = state.lock();
    let token = oauth::authorization(&request, "Bearer");
    let token = token.and_then(|token| inner.oauth.access(Platform::Discord, token));
    let token = token.ok_or_else(unauthorized)?;
    let mut json = json!({
        "application": {
            "id": token.client_id,
            "name": "Lumio",
            "icon": null,
            "description": "",
            "hook": true,
            "bot_public": true,
            "bot_require_code_grant": false,
            "verify_key": "00",
        },
        "scopes": token.scopes,
        "expires": clock::seconds(token.expires_at),
    });
    let user = token.user_id.as_deref().and_then(|id| inner.user(Platform::Discord, id));
    if let Some(user) = user.filter(|_| token.has_scope("identify")) {
        json["user"] = user_json(user);
    }
    Ok(HttpResponse::Ok().json(json))
}

/// `GET /users/@me`.
async fn me(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    if oauth::authorization(&request, "Bot") == Some(BOT_TOKEN) {
        let bot = json!({ "id": BOT_USER_ID, "username": "lumio", "global_name": null, "avatar": null, "bot": true });
        return Ok(HttpResponse::Ok().json(bot));
    }
    let inner = state.lock();
    let token = oauth::authorization(&request, "Bearer");
    let token = token.and_then(|token| inner.oauth.access(Platform::Discord, token));
    let token = token.filter(|token| token.has_scope("identify")).ok_or_else(unauthorized)?;
    let user = token.user_id.as_deref().and_then(|id| inner.user(Platform::Discord, id));
    let user = user.ok_or_else(unauthorized)?;
    let mut json = user_json(user);
    if token.has_scope("email") {
        json["email"] = json!(user.email);
        json["verified"] = json!(true);
    }
    Ok(HttpResponse::Ok().json(json))
}

/// `GET /channels/{id}`, for the bot only.
async fn channel(
    state: web::Data<State>,
    request: HttpRequest,
    channel_id: web::Path<String>,
) -> Result<HttpResponse, Refusal> {
    if oauth::authorization(&request, "Bot") != Some(BOT_TOKEN) {
        return Err(unauthorized());
    }
    let guild_id = state.lock().discord_channels.get(channel_id.as_str()).cloned();
    let guild_id = guild_id.ok_or_else(|| refuse(404, "Unknown Channel"))?;
    let channel = json!({ "id": *channel_id, "type": 0, "guild_id": guild_id, "name": "general" });
    Ok(HttpResponse::Ok().json(channel))
}

/// `POST /channels/{id}/messages`, for the bot only. Any snowflake is a channel here.
async fn create_message(
    state: web::Data<State>,
    request: HttpRequest,
    channel_id: web::Path<String>,
    body: web::Json<NewMessage>,
) -> Result<HttpResponse, Refusal> {
    if oauth::authorization(&request, "Bot") != Some(BOT_TOKEN) {
        return Err(unauthorized());
    }
    let user_agent = request.headers().get("User-Agent").and_then(|value| value.to_str().ok());
    if !user_agent.is_some_and(|agent| agent.starts_with("DiscordBot (")) {
        return Err(refuse(403, "a User-Agent of the form DiscordBot (url, version) is required"));
    }
    let channel_id = channel_id.into_inner();
    if channel_id.parse::<u64>().is_err() {
        return Err(refuse(404, "Unknown Channel"));
    }
    let body = body.into_inner();
    if body.content.is_empty() || body.content.chars().count() > MAX_CHARACTERS {
        return Err(refuse(400, "Invalid Form Body"));
    }
    let mut inner = state.lock();
    if let Some(reason) = inner.take_drop(Platform::Discord) {
        return Err(refuse(403, &reason));
    }
    let (message_id, now) = (identifier::snowflake(), clock::now());
    let client_id = inner.default_app(Platform::Discord).client_id;
    inner.record_sent(SentMessage {
        platform: Platform::Discord,
        message_id: message_id.clone(),
        channel_id: channel_id.clone(),
        sender_id: Some(BOT_USER_ID.into()),
        is_bot: true,
        text: body.content.clone(),
        reply_to: body.message_reference.map(|reference| reference.message_id),
        client_id,
        sent_at: now,
    });
    let mentions_everyone = body.allowed_mentions.is_none() && body.content.contains("@everyone");
    Ok(HttpResponse::Ok().json(json!({
        "id": message_id,
        "type": 0,
        "channel_id": channel_id,
        "content": body.content,
        "author": { "id": BOT_USER_ID, "username": "lumio", "global_name": null, "bot": true },
        "mention_everyone": mentions_everyone,
        "timestamp": clock::seconds(now),
    })))
}

fn user_json(user: &User) -> Value {
    json!({
        "id": user.id,
        "username": user.login,
        "global_name": user.display_name,
        "avatar": "0123456789abcdef",
        "discriminator": "0",
        "public_flags": 0,
    })
}

fn unauthorized() -> Refusal {
    refuse(401, "401: Unauthorized")
}

fn refuse(status: u16, message: &str) -> Refusal {
    Refusal::of(Platform::Discord, status, message)
}

fn oauth_refusal(status: u16, error: &str, description: &str) -> Refusal {
    Refusal::new(status, json!({ "error": error, "error_description": description }))
}
