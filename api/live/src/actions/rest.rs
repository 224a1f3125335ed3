//! Actions over REST, for our own services.

use actix_web::{HttpRequest, Responder, post, web::Json};
use api_core::{
    Cx, Result,
    http::{JsonBody, path_uuid},
};
use shared::feeds::CommandReply;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{ExtensionActionResult, RunExtensionActionInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(run_extension_action);
    config.service(internal_reply_to_command);
}

/// Carry out an action of an extension's handler, at most once for each install and invocation id.
#[utoipa::path(tag = "internal", operation_id = "runExtensionAction", request_body = RunExtensionActionInput,
    responses((status = 200, body = ExtensionActionResult)))]
#[post("/v1/internal/actions")]
async fn run_extension_action(cx: Cx, input: JsonBody<RunExtensionActionInput>) -> Result<impl Responder> {
    Ok(Json(super::run_extension_action(&cx, input.0).await?))
}

/// Answer a chat command, at most once for each chat line.
#[utoipa::path(tag = "internal", operation_id = "internalReplyToCommand",
    params(("command_id" = uuid::Uuid, Path)), request_body = CommandReply,
    responses((status = 200, body = ExtensionActionResult)))]
#[post("/v1/internal/bot-commands/{command_id}/replies")]
async fn internal_reply_to_command(
    cx: Cx,
    request: HttpRequest,
    reply: JsonBody<CommandReply>,
) -> Result<impl Responder> {
    let command = path_uuid(&request, "command_id");
    Ok(Json(super::internal_reply_to_command(&cx, command, reply.0).await?))
}
