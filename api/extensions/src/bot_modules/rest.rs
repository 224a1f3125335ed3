//! Bot modules over REST.

use actix_web::{HttpResponse, post};
use api_core::{Cx, Result, http::JsonBody};
use utoipa_actix_web::service_config::ServiceConfig;

use super::KillBotModuleInput;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(kill_bot_module);
}

/// Stop a bot module at once.
#[utoipa::path(tag = "bot_modules", operation_id = "killBotModule", request_body = KillBotModuleInput,
    responses((status = 204)))]
#[post("/v1/bot-modules/kill")]
async fn kill_bot_module(cx: Cx, input: JsonBody<KillBotModuleInput>) -> Result<HttpResponse> {
    super::kill_bot_module(&cx, input.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
