//! REST routes of `secrets`.

use actix_web::{HttpRequest, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, ServiceConfig, path_uuid, single},
};

use super::WebhookSecret;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(webhook_secret);
    config.service(rotate_webhook_secret);
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "webhookSecret",
    params(("endpoint_id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<WebhookSecret>)))]
#[get("/v1/webhook-endpoints/{endpoint_id}/secret")]
async fn webhook_secret(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::webhook_secret(&cx, path_uuid(&request, "endpoint_id")).await?))
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "rotateWebhookSecret",
    params(("endpoint_id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<WebhookSecret>)))]
#[post("/v1/webhook-endpoints/{endpoint_id}/rotate-secret")]
async fn rotate_webhook_secret(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::rotate_webhook_secret(&cx, path_uuid(&request, "endpoint_id")).await?))
}
