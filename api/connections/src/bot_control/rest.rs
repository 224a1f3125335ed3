//! REST routes of `bot_control`.

use actix_web::{HttpRequest, Responder, get, post, web::Json};
use api_core::{
    Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, Linked, Listed, PartLinks, QueryOf, ServiceConfig, Success, listed,
        more_before, paged, path_uuid, single,
    },
};

use super::{
    BotChannel, BotChannelsQuery, BotControlQuery, BotControlRow, BotStatus, RejoinBotInput,
    ToggleBotForPlatformInput, channels::MAX_ROWS,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(bot_status);
    config.service(toggle_bot_for_platform);
    config.service(rejoin_bot);
    config.service(admin_bot_control);
    config.service(admin_pause_bot);
    config.service(admin_resume_bot);
    config.service(bot_channels);
}

#[utoipa::path(tag = "bot_connections", operation_id = "botStatus",
    responses((status = 200, body = Listed<BotStatus>)))]
#[get("/v1/bot-status")]
async fn bot_status(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::bot_status(&cx).await?))
}

#[utoipa::path(tag = "bot_connections", operation_id = "toggleBotForPlatform",
    request_body = ToggleBotForPlatformInput, responses((status = 200, body = Enveloped<BotStatus>), (status = 404)))]
#[post("/v1/bot-toggle")]
async fn toggle_bot_for_platform(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ToggleBotForPlatformInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::toggle_bot_for_platform(&cx, input.0).await?))
}

#[utoipa::path(tag = "bot_connections", operation_id = "rejoinBot", request_body = RejoinBotInput,
    responses((status = 200, body = Success), (status = 404)))]
#[post("/v1/bot-rejoin")]
async fn rejoin_bot(cx: Cx, input: JsonBody<RejoinBotInput>) -> Result<impl Responder> {
    Ok(Json(super::rejoin_bot(&cx, input.0).await?))
}

#[utoipa::path(tag = "bot_control", operation_id = "adminBotControl", params(BotControlQuery),
    responses((status = 200, body = Collection<BotControlRow>)))]
#[get("/v1/admin/bot-control")]
async fn admin_bot_control(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<BotControlQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_bot_control(&cx, query.0).await?))
}

#[utoipa::path(tag = "bot_control", operation_id = "adminPauseBot",
    params(("account_id" = uuid::Uuid, Path), ("platform" = String, Path)),
    responses((status = 200, body = Enveloped<BotControlRow>)))]
#[post("/v1/admin/bot-control/{account_id}/{platform}/pause")]
async fn admin_pause_bot(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let account = path_uuid(&request, "account_id");
    Ok(single(&request, super::admin_pause_bot(&cx, account, platform(&request)).await?))
}

#[utoipa::path(tag = "bot_control", operation_id = "adminResumeBot",
    params(("account_id" = uuid::Uuid, Path), ("platform" = String, Path)),
    responses((status = 200, body = Enveloped<BotControlRow>)))]
#[post("/v1/admin/bot-control/{account_id}/{platform}/resume")]
async fn admin_resume_bot(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let account = path_uuid(&request, "account_id");
    Ok(single(&request, super::admin_resume_bot(&cx, account, platform(&request)).await?))
}

#[utoipa::path(tag = "internal", operation_id = "botChannels", params(BotChannelsQuery),
    responses((status = 200, body = Listed<BotChannel>)))]
#[get("/v1/internal/bot-channels")]
async fn bot_channels(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<BotChannelsQuery>,
) -> Result<impl Responder> {
    let limit = query.0.as_ref().ok().and_then(|query| query.limit).unwrap_or(MAX_ROWS);
    let list = super::bot_channels(&cx, query.0).await?;
    let links =
        PartLinks::next(&request, "after", more_before(&list, limit, |row| row.account_id.to_string()));
    Ok(Linked { body: listed(&request, list).0, links })
}

fn platform(request: &HttpRequest) -> &str {
    request.match_info().get("platform").unwrap_or_default()
}
