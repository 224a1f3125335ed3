//! Automation nodes and webhooks over REST.

use actix_web::{
    HttpRequest, HttpResponse, Responder, ResponseError, get, post,
    web::{Data, Payload},
};
use api_core::{
    Cx, Result, State,
    http::{Enveloped, Listed, ServiceConfig, Success, client_ip, listed, path_uuid, single},
    webhooks::{RawDelivery, anonymous_cx},
};

use super::{AutomationWebhook, ExtensionAutomationNode, MAX_BODY_BYTES};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(installed_automation_nodes);
    config.service(automation_webhook_url);
}

/// Registers the route that requires the secret of a webhook instead of a credential.
pub fn webhook_routes(config: &mut ServiceConfig) {
    config.service(receive_automation_webhook);
}

#[utoipa::path(tag = "automations", operation_id = "installedAutomationNodes",
    responses((status = 200, body = Listed<ExtensionAutomationNode>)))]
#[get("/v1/automation/extension-nodes")]
async fn installed_automation_nodes(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::installed_automation_nodes(&cx).await?))
}

#[utoipa::path(tag = "automations", operation_id = "automationWebhookUrl",
    params(("install_id" = uuid::Uuid, Path), ("automation_id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AutomationWebhook>)))]
#[get("/v1/automation/webhooks/{install_id}/{automation_id}")]
async fn automation_webhook_url(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let (install, automation) = (path_uuid(&request, "install_id"), path_uuid(&request, "automation_id"));
    Ok(single(&request, super::automation_webhook_url(&cx, install, automation).await?))
}

#[utoipa::path(tag = "automations", operation_id = "receiveAutomationWebhook",
    request_body(content = serde_json::Value, content_type = "application/json",
        description = "Any JSON, at most 64 KiB."),
    params(
        ("extension_id" = uuid::Uuid, Path),
        ("install_id" = uuid::Uuid, Path),
        ("X-Webhook-Secret" = String, Header, description = "The secret of the webhook."),
    ),
    responses((status = 200, body = Enveloped<Success>)))]
#[post("/v1/automation/webhooks/{extension_id}/{install_id}")]
async fn receive_automation_webhook(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let cx = anonymous_cx(&state);
    let (extension, install) = (path_uuid(&request, "extension_id"), path_uuid(&request, "install_id"));
    let sender = client_ip(&request, state.config.http.trusted_proxy_hops);
    let delivery = RawDelivery::read(&request, payload, MAX_BODY_BYTES).await;
    match super::receive_automation_webhook(&cx, extension, install, delivery, sender).await {
        Ok(done) => single(&request, done).respond_to(&request).map_into_boxed_body(),
        Err(refusal) => {
            let mut response = refusal.error_response();
            if let Some(verdict) = cx.reported_limit() {
                verdict.write(response.headers_mut());
            }
            response
        }
    }
}
