//! REST routes of `graphs`.

use actix_web::{HttpRequest, Responder, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, path_uuid, single},
};

use super::UpdateAutomationGraphInput;
use crate::objects::Automation;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(update_automation_graph);
}

#[utoipa::path(tag = "automations", operation_id = "updateAutomationGraph", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateAutomationGraphInput, responses((status = 200, body = Enveloped<Automation>)))]
#[put("/v1/automations/{id}/graph")]
async fn update_automation_graph(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateAutomationGraphInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_automation_graph(&cx, id, input.0).await?))
}
