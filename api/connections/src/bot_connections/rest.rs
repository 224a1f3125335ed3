//! REST routes of `bot_connections`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, single},
};
use connection_access::{self as connections, BotConnection};

use super::SetDiscordBotTokenInput;
use crate::oauth::{AuthorizeInput, OauthAuthorization};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(bot_connections);
    config.service(authorize_bot);
    config.service(disconnect_bot);
    config.service(admin_bot_connections);
    config.service(admin_authorize_bot);
    // Must precede `/{platform}`, which would match it too.
    config.service(admin_set_discord_bot_token);
    config.service(admin_disconnect_bot);
}

#[utoipa::path(tag = "bot_connections", operation_id = "botConnections",
    responses((status = 200, body = Listed<BotConnection>)))]
#[get("/v1/bot-connections")]
async fn bot_connections(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, connections::bot_connections(&cx).await?))
}

#[utoipa::path(tag = "bot_connections", operation_id = "authorizeBot", params(("platform" = String, Path)),
    request_body = AuthorizeInput, responses((status = 200, body = Enveloped<OauthAuthorization>)))]
#[post("/v1/bot-connections/{platform}")]
async fn authorize_bot(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AuthorizeInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::authorize_bot(&cx, platform(&request), input.0).await?))
}

#[utoipa::path(tag = "bot_connections", operation_id = "disconnectBot", params(("platform" = String, Path)),
    responses((status = 204)))]
#[delete("/v1/bot-connections/{platform}")]
async fn disconnect_bot(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::disconnect_bot(&cx, platform(&request)).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "bot_connections", operation_id = "adminBotConnections",
    responses((status = 200, body = Listed<BotConnection>)))]
#[get("/v1/admin/bot-connections")]
async fn admin_bot_connections(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_bot_connections(&cx).await?))
}

#[utoipa::path(tag = "bot_connections", operation_id = "adminAuthorizeBot", params(("platform" = String, Path)),
    request_body = AuthorizeInput, responses((status = 200, body = Enveloped<OauthAuthorization>)))]
#[post("/v1/admin/bot-connections/{platform}/authorize")]
async fn admin_authorize_bot(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AuthorizeInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::admin_authorize_bot(&cx, platform(&request), input.0).await?))
}

#[utoipa::path(tag = "bot_connections", operation_id = "adminSetDiscordBotToken",
    request_body = SetDiscordBotTokenInput, responses((status = 200, body = Enveloped<BotConnection>)))]
#[put("/v1/admin/bot-connections/discord/token")]
async fn admin_set_discord_bot_token(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetDiscordBotTokenInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::admin_set_discord_bot_token(&cx, input.0).await?))
}

#[utoipa::path(tag = "bot_connections", operation_id = "adminDisconnectBot", params(("platform" = String, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/bot-connections/{platform}")]
async fn admin_disconnect_bot(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_disconnect_bot(&cx, platform(&request)).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn platform(request: &HttpRequest) -> &str {
    request.match_info().get("platform").unwrap_or_default()
}
