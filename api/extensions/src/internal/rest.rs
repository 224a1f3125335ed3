//! Internal feeds over REST: raw bodies, with `ETag` where workers poll.

use actix_web::{HttpRequest, HttpResponse, get, http::header, post, put, web};
use api_core::{
    Cx, Result,
    http::{JsonBody, Linked, PartLinks, QueryOf, ServiceConfig, path_uuid, tagged, tagged_part},
};
use extension_model::feeds::{
    ActiveAccounts, FireTrigger, PollFeed, PollState, Secrets, TelemetryAccepted, TelemetryBatch,
    TriggerFired,
};

use super::{ActiveQuery, HandlersQuery, PollsQuery};

/// Registers the feeds of handler code, which are left out of the OpenAPI document
/// (reference/telemetry.md#internal-feeds).
pub fn undocumented_routes(config: &mut web::ServiceConfig) {
    config.service(internal_bot_module_handlers);
    config.service(internal_bot_module_triggers);
    config.service(internal_automation_node_handlers);
}

/// Registers the routes that require a system key.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(internal_automation_polls);
    config.service(internal_automation_trigger_state);
    config.service(internal_fire_automation_trigger);
    config.service(internal_active_accounts);
    config.service(internal_extension_secrets);
    config.service(internal_telemetry);
}

#[get("/v1/internal/bot-modules/handlers")]
async fn internal_bot_module_handlers(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<HandlersQuery>,
) -> Result<HttpResponse> {
    tagged(&request, &super::internal_bot_module_handlers(&cx, query.0).await?)
}

#[get("/v1/internal/bot-modules/{account_id}/triggers")]
async fn internal_bot_module_triggers(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let account_id = path_uuid(&request, "account_id");
    tagged(&request, &super::internal_bot_module_triggers(&cx, account_id).await?)
}

#[get("/v1/internal/automation-nodes/handlers")]
async fn internal_automation_node_handlers(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<HandlersQuery>,
) -> Result<HttpResponse> {
    tagged(&request, &super::internal_automation_node_handlers(&cx, query.0).await?)
}

#[utoipa::path(tag = "internal", operation_id = "internalAutomationPolls", params(PollsQuery),
    responses((status = 200, body = PollFeed), (status = 304)))]
#[get("/v1/internal/automation-triggers/polls")]
async fn internal_automation_polls(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<PollsQuery>,
) -> Result<HttpResponse> {
    let feed = super::internal_automation_polls(&cx, query.0).await?;
    let links = PartLinks::next(&request, "after", feed.next);
    tagged_part(&request, &Linked { body: feed, links })
}

#[utoipa::path(tag = "internal", operation_id = "internalAutomationTriggerState",
    params(("id" = uuid::Uuid, Path)), request_body = PollState, responses((status = 204)))]
#[put("/v1/internal/automation-triggers/{id}/state")]
async fn internal_automation_trigger_state(
    cx: Cx,
    request: HttpRequest,
    state: JsonBody<PollState>,
) -> Result<HttpResponse> {
    super::internal_automation_trigger_state(&cx, path_uuid(&request, "id"), state.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "internal", operation_id = "internalFireAutomationTrigger", request_body = FireTrigger,
    responses((status = 202, body = TriggerFired), (status = 404)))]
#[post("/v1/internal/automation-triggers/fire")]
async fn internal_fire_automation_trigger(cx: Cx, fire: JsonBody<FireTrigger>) -> Result<HttpResponse> {
    Ok(HttpResponse::Accepted().json(super::internal_fire_automation_trigger(&cx, fire.0).await?))
}

#[utoipa::path(tag = "internal", operation_id = "internalActiveAccounts", params(ActiveQuery),
    responses((status = 200, body = ActiveAccounts), (status = 304)))]
#[get("/v1/internal/accounts/active")]
async fn internal_active_accounts(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<ActiveQuery>,
) -> Result<HttpResponse> {
    let feed = super::internal_active_accounts(&cx, query.0).await?;
    let links = PartLinks::next(&request, "after", feed.next);
    tagged_part(&request, &Linked { body: feed, links })
}

#[utoipa::path(tag = "internal", operation_id = "internalExtensionSecrets",
    params(("extension_id" = uuid::Uuid, Path)), responses((status = 200, body = Secrets)))]
#[post("/v1/internal/secrets/{extension_id}")]
async fn internal_extension_secrets(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let secrets = super::internal_extension_secrets(&cx, path_uuid(&request, "extension_id")).await?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "private, no-store")).json(secrets))
}

#[utoipa::path(tag = "internal", operation_id = "internalTelemetry", request_body = TelemetryBatch,
    responses((status = 202, body = TelemetryAccepted)))]
#[post("/v1/internal/telemetry")]
async fn internal_telemetry(cx: Cx, batch: JsonBody<TelemetryBatch>) -> Result<HttpResponse> {
    Ok(HttpResponse::Accepted().json(super::internal_telemetry(&cx, batch.0).await?))
}
