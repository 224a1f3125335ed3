//! REST routes of `deliveries`.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, QueryOf, SelfLink, ServiceConfig, paged_by_cursor, path_uuid},
};

use super::{WebhookDeliveriesQuery, WebhookDelivery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(test_webhook_endpoint);
    config.service(webhook_deliveries);
    config.service(replay_webhook_delivery);
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "testWebhookEndpoint",
    params(("endpoint_id" = uuid::Uuid, Path)), responses((status = 202, body = Enveloped<WebhookDelivery>)))]
#[post("/v1/webhook-endpoints/{endpoint_id}/test")]
async fn test_webhook_endpoint(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    Ok(accepted(super::test_webhook_endpoint(&cx, path_uuid(&request, "endpoint_id")).await?))
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "webhookDeliveries",
    params(("endpoint_id" = uuid::Uuid, Path), WebhookDeliveriesQuery),
    responses((status = 200, body = Collection<WebhookDelivery>)))]
#[get("/v1/webhook-endpoints/{endpoint_id}/deliveries")]
async fn webhook_deliveries(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<WebhookDeliveriesQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "endpoint_id");
    Ok(paged_by_cursor(&request, super::webhook_deliveries(&cx, id, query.0).await?))
}

#[utoipa::path(tag = "webhook_endpoints", operation_id = "replayWebhookDelivery",
    params(("endpoint_id" = uuid::Uuid, Path), ("delivery_id" = uuid::Uuid, Path)),
    responses((status = 202, body = Enveloped<WebhookDelivery>)))]
#[post("/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay")]
async fn replay_webhook_delivery(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (endpoint, delivery) = (path_uuid(&request, "endpoint_id"), path_uuid(&request, "delivery_id"));
    Ok(accepted(super::replay_webhook_delivery(&cx, endpoint, delivery).await?))
}

/// 202: the outcome will be in the list of deliveries.
fn accepted(data: WebhookDelivery) -> HttpResponse {
    let links = SelfLink { this: format!("/v1/webhook-endpoints/{}/deliveries", data.endpoint_id) };
    HttpResponse::Accepted().json(Enveloped { data, links })
}
