//! REST routes of `automations`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{AutomationChanges, CreateAutomationInput};
use crate::objects::{Automation, AutomationSummary};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(automations);
    config.service(create_automation);
    config.service(automation);
    config.service(update_automation);
    config.service(delete_automation);
    config.service(duplicate_automation);
}

#[utoipa::path(tag = "automations", operation_id = "automations",
    responses((status = 200, body = Listed<AutomationSummary>)))]
#[get("/v1/automations")]
async fn automations(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::automations(&cx).await?))
}

#[utoipa::path(tag = "automations", operation_id = "createAutomation", request_body = CreateAutomationInput,
    responses((status = 201, body = Enveloped<Automation>)))]
#[post("/v1/automations")]
async fn create_automation(cx: Cx, input: JsonBody<CreateAutomationInput>) -> Result<HttpResponse> {
    let made = super::create_automation(&cx, input.0).await?;
    Ok(created(format!("/v1/automations/{}", made.id), made))
}

#[utoipa::path(tag = "automations", operation_id = "automation", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Automation>)))]
#[get("/v1/automations/{id}")]
async fn automation(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::automation(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "automations", operation_id = "updateAutomation", params(("id" = uuid::Uuid, Path)),
    request_body = AutomationChanges, responses((status = 200, body = Enveloped<Automation>)))]
#[patch("/v1/automations/{id}")]
async fn update_automation(
    cx: Cx,
    request: HttpRequest,
    changes: JsonBody<AutomationChanges>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_automation(&cx, id, changes.0).await?))
}

#[utoipa::path(tag = "automations", operation_id = "deleteAutomation", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/automations/{id}")]
async fn delete_automation(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_automation(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "automations", operation_id = "duplicateAutomation", params(("id" = uuid::Uuid, Path)),
    responses((status = 201, body = Enveloped<Automation>)))]
#[post("/v1/automations/{id}/duplicate")]
async fn duplicate_automation(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let made = super::duplicate_automation(&cx, path_uuid(&request, "id")).await?;
    Ok(created(format!("/v1/automations/{}", made.id), made))
}
