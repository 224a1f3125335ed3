//! REST routes of `node_types`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, ServiceConfig, listed},
};

use super::AutomationNodeTypeEntry;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(automation_node_types);
}

#[utoipa::path(tag = "automations", operation_id = "automationNodeTypes",
    responses((status = 200, body = Listed<AutomationNodeTypeEntry>)))]
#[get("/v1/automation/node-types")]
async fn automation_node_types(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::automation_node_types(&cx).await?))
}
