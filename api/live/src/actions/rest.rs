//! REST routes of actions, for the workers.

use actix_web::{HttpRequest, Responder, post, web::Json};
use api_core::{
    Cx, Result,
    http::{JsonBody, ServiceConfig, path_uuid},
};
use extension_model::feeds::CommandReply;

use super::{
    AutomationActionInput, AutomationActionResult, ExtensionActionResult, RewardRedemptionInput,
    RewardRedemptionResult, RunExtensionActionInput,
};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(run_extension_action);
    config.service(internal_reply_to_command);
    config.service(internal_redeem_reward);
    config.service(internal_run_automation_action);
}

#[utoipa::path(tag = "internal", operation_id = "runExtensionAction", request_body = RunExtensionActionInput,
    responses((status = 200, body = ExtensionActionResult)))]
#[post("/v1/internal/actions")]
async fn run_extension_action(cx: Cx, input: JsonBody<RunExtensionActionInput>) -> Result<impl Responder> {
    Ok(Json(super::run_extension_action(&cx, input.0).await?))
}

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

#[utoipa::path(tag = "internal", operation_id = "internalRedeemReward",
    params(("reward_id" = uuid::Uuid, Path)), request_body = RewardRedemptionInput,
    responses((status = 200, body = RewardRedemptionResult)))]
#[post("/v1/internal/rewards/{reward_id}/redemptions")]
async fn internal_redeem_reward(
    cx: Cx,
    request: HttpRequest,
    redemption: JsonBody<RewardRedemptionInput>,
) -> Result<impl Responder> {
    let reward = path_uuid(&request, "reward_id");
    Ok(Json(super::internal_redeem_reward(&cx, reward, redemption.0).await?))
}

#[utoipa::path(tag = "internal", operation_id = "internalRunAutomationAction",
    request_body = AutomationActionInput, responses((status = 200, body = AutomationActionResult), (status = 404),
    (status = 409)))]
#[post("/v1/internal/automation-actions")]
async fn internal_run_automation_action(
    cx: Cx,
    input: JsonBody<AutomationActionInput>,
) -> Result<impl Responder> {
    Ok(Json(super::internal_run_automation_action(&cx, input.0).await?))
}
