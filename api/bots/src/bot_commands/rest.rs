//! REST routes of `bot_commands`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post, put};
use api_core::{
    Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, created, listed, paged, path_uuid,
        single, tagged,
    },
};

use super::{
    AdminBotCommandsQuery, BotCommand, CreateBotCommandInput, OverrideGlobalCommandInput,
    UpdateBotCommandInput,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    // Must precede `/{id}`, which would match it too.
    config.service(global_bot_commands);
    config.service(override_global_command);
    config.service(reset_command_override);
    config.service(bot_commands);
    config.service(create_bot_command);
    config.service(bot_command);
    config.service(update_bot_command);
    config.service(delete_bot_command);
    config.service(admin_bot_commands);
    config.service(admin_create_bot_command);
    config.service(admin_update_bot_command);
    config.service(admin_delete_bot_command);
}

/// Routes for workers.
pub fn worker_routes(config: &mut ServiceConfig<'_>) {
    config.service(internal_bot_commands);
}

#[utoipa::path(tag = "bot_commands", operation_id = "botCommands",
    responses((status = 200, body = Listed<BotCommand>)))]
#[get("/v1/bot-commands")]
async fn bot_commands(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::bot_commands(&cx).await?))
}

#[utoipa::path(tag = "bot_commands", operation_id = "createBotCommand", request_body = CreateBotCommandInput,
    responses((status = 201, body = Enveloped<BotCommand>)))]
#[post("/v1/bot-commands")]
async fn create_bot_command(cx: Cx, input: JsonBody<CreateBotCommandInput>) -> Result<HttpResponse> {
    let command = super::create_bot_command(&cx, input.0).await?;
    Ok(created(format!("/v1/bot-commands/{}", command.id), command))
}

#[utoipa::path(tag = "bot_commands", operation_id = "botCommand", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<BotCommand>)))]
#[get("/v1/bot-commands/{id}")]
async fn bot_command(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::bot_command(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "bot_commands", operation_id = "updateBotCommand", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateBotCommandInput, responses((status = 200, body = Enveloped<BotCommand>)))]
#[patch("/v1/bot-commands/{id}")]
async fn update_bot_command(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateBotCommandInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_bot_command(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "bot_commands", operation_id = "deleteBotCommand", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/bot-commands/{id}")]
async fn delete_bot_command(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_bot_command(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "bot_commands", operation_id = "globalBotCommands",
    responses((status = 200, body = Listed<BotCommand>)))]
#[get("/v1/bot-commands/global")]
async fn global_bot_commands(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::global_bot_commands(&cx).await?))
}

#[utoipa::path(tag = "bot_commands", operation_id = "overrideGlobalCommand", params(("id" = uuid::Uuid, Path)),
    request_body = OverrideGlobalCommandInput, responses((status = 200, body = Enveloped<BotCommand>)))]
#[put("/v1/bot-commands/global/{id}/override")]
async fn override_global_command(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<OverrideGlobalCommandInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::override_global_command(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "bot_commands", operation_id = "resetCommandOverride", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/bot-commands/global/{id}/override")]
async fn reset_command_override(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::reset_command_override(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "bot_commands", operation_id = "adminBotCommands", params(AdminBotCommandsQuery),
    responses((status = 200, body = Collection<BotCommand>)))]
#[get("/v1/admin/bot-commands")]
async fn admin_bot_commands(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<AdminBotCommandsQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_bot_commands(&cx, query.0).await?))
}

#[utoipa::path(tag = "bot_commands", operation_id = "adminCreateBotCommand", request_body = CreateBotCommandInput,
    responses((status = 201, body = Enveloped<BotCommand>)))]
#[post("/v1/admin/bot-commands")]
async fn admin_create_bot_command(cx: Cx, input: JsonBody<CreateBotCommandInput>) -> Result<HttpResponse> {
    let command = super::admin_create_bot_command(&cx, input.0).await?;
    Ok(created(format!("/v1/admin/bot-commands/{}", command.id), command))
}

#[utoipa::path(tag = "bot_commands", operation_id = "adminUpdateBotCommand", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateBotCommandInput, responses((status = 200, body = Enveloped<BotCommand>)))]
#[patch("/v1/admin/bot-commands/{id}")]
async fn admin_update_bot_command(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateBotCommandInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_update_bot_command(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "bot_commands", operation_id = "adminDeleteBotCommand", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/bot-commands/{id}")]
async fn admin_delete_bot_command(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_delete_bot_command(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "internal", operation_id = "internalBotCommands", params(("account_id" = uuid::Uuid, Path)),
    responses((status = 200, body = extension_model::feeds::CommandFeed), (status = 304)))]
#[get("/v1/internal/bot-commands/{account_id}")]
async fn internal_bot_commands(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let account = path_uuid(&request, "account_id");
    tagged(&request, &super::internal_bot_commands(&cx, account).await?)
}
