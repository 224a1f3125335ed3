//! REST routes of `bot_modules`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, single},
};

use super::{BotModule, KillBotModuleInput, UpdateBotModuleInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(kill_bot_module);
    config.service(bot_modules);
    config.service(bot_module);
    config.service(update_bot_module);
    config.service(delete_bot_module);
}

#[utoipa::path(tag = "bot_modules", operation_id = "botModules",
    responses((status = 200, body = Listed<BotModule>)))]
#[get("/v1/bot-modules")]
async fn bot_modules(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::bot_modules(&cx).await?))
}

#[utoipa::path(tag = "bot_modules", operation_id = "botModule", params(("name" = String, Path)),
    responses((status = 200, body = Enveloped<BotModule>)))]
#[get("/v1/bot-modules/{name}")]
async fn bot_module(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::bot_module(&cx, name(&request)).await?))
}

#[utoipa::path(tag = "bot_modules", operation_id = "updateBotModule", params(("name" = String, Path)),
    request_body = UpdateBotModuleInput, responses((status = 200, body = Enveloped<BotModule>)))]
#[put("/v1/bot-modules/{name}")]
async fn update_bot_module(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateBotModuleInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::update_bot_module(&cx, name(&request), input.0).await?))
}

#[utoipa::path(tag = "bot_modules", operation_id = "deleteBotModule", params(("name" = String, Path)),
    responses((status = 204)))]
#[delete("/v1/bot-modules/{name}")]
async fn delete_bot_module(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_bot_module(&cx, name(&request)).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "bot_modules", operation_id = "killBotModule", request_body = KillBotModuleInput,
    responses((status = 204), (status = 404)))]
#[post("/v1/bot-modules/kill")]
async fn kill_bot_module(cx: Cx, input: JsonBody<KillBotModuleInput>) -> Result<HttpResponse> {
    super::kill_bot_module(&cx, input.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn name(request: &HttpRequest) -> &str {
    request.match_info().query("name")
}
