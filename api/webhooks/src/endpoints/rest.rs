//! REST routes of `endpoints`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateWebhookEndpointInput, CreatedWebhookEndpoint, WebhookEndpoint, WebhookEndpointChanges};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(webhook_endpoints);
    config.service(create_webhook_endpoint);
    config.service(webhook_endpoint);
    config.service(update_webhook_endpoint);
    config.service(delete_webhook_endpoint);
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "webhookEndpoints",
    responses((status = 200, body = Listed<WebhookEndpoint>)))]
#[get("/v1/webhook-endpoints")]
async fn webhook_endpoints(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::webhook_endpoints(&cx).await?))
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "createWebhookEndpoint",
    request_body = CreateWebhookEndpointInput, responses((status = 201, body = Enveloped<CreatedWebhookEndpoint>)))]
#[post("/v1/webhook-endpoints")]
async fn create_webhook_endpoint(
    cx: Cx,
    input: JsonBody<CreateWebhookEndpointInput>,
) -> Result<HttpResponse> {
    let made = super::create_webhook_endpoint(&cx, input.0).await?;
    Ok(created(format!("/v1/webhook-endpoints/{}", made.id), made))
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "webhookEndpoint",
    params(("endpoint_id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<WebhookEndpoint>)))]
#[get("/v1/webhook-endpoints/{endpoint_id}")]
async fn webhook_endpoint(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "endpoint_id");
    Ok(single(&request, super::webhook_endpoint(&cx, id).await?))
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "updateWebhookEndpoint",
    params(("endpoint_id" = uuid::Uuid, Path)), request_body = WebhookEndpointChanges,
    responses((status = 200, body = Enveloped<WebhookEndpoint>)))]
#[patch("/v1/webhook-endpoints/{endpoint_id}")]
async fn update_webhook_endpoint(
    cx: Cx,
    request: HttpRequest,
    changes: JsonBody<WebhookEndpointChanges>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "endpoint_id");
    Ok(single(&request, super::update_webhook_endpoint(&cx, id, changes.0).await?))
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "deleteWebhookEndpoint",
    params(("endpoint_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/webhook-endpoints/{endpoint_id}")]
async fn delete_webhook_endpoint(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_webhook_endpoint(&cx, path_uuid(&request, "endpoint_id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
