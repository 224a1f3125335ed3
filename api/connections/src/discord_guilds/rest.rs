//! REST routes of `discord_guilds`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, PageRequest, Result,
    http::{
        Collection, Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, listed, paged, path_uuid, single,
    },
};

use super::{DiscordGuild, LinkedDiscordGuild};
use crate::oauth::{AuthorizeInput, OauthAuthorization};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(discord_guilds);
    config.service(authorize_discord_guild);
    config.service(admin_discord_guilds);
    config.service(admin_delete_discord_guild);
}

#[utoipa::path(tag = "bot_connections", operation_id = "discordGuilds",
    responses((status = 200, body = Listed<DiscordGuild>)))]
#[get("/v1/bot-connections/discord/guilds")]
async fn discord_guilds(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::discord_guilds(&cx).await?))
}

#[utoipa::path(tag = "bot_connections", operation_id = "authorizeDiscordGuild", request_body = AuthorizeInput,
    responses((status = 200, body = Enveloped<OauthAuthorization>)))]
#[post("/v1/bot-connections/discord/guilds/authorize")]
async fn authorize_discord_guild(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AuthorizeInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::authorize_discord_guild(&cx, input.0).await?))
}

#[utoipa::path(tag = "discord_guilds", operation_id = "adminDiscordGuilds", params(PageRequest),
    responses((status = 200, body = Collection<LinkedDiscordGuild>)))]
#[get("/v1/admin/discord-guilds")]
async fn admin_discord_guilds(
    cx: Cx,
    request: HttpRequest,
    page: QueryOf<PageRequest>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_discord_guilds(&cx, page.0).await?))
}

#[utoipa::path(tag = "discord_guilds", operation_id = "adminDeleteDiscordGuild",
    params(("id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/admin/discord-guilds/{id}")]
async fn admin_delete_discord_guild(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_delete_discord_guild(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
