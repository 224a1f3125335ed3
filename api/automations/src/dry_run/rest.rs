//! REST routes of `dry_run`.

use actix_web::{HttpRequest, Responder, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, path_uuid, single},
};

use super::{AutomationDryRun, DryRunAutomationInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(dry_run_automation);
}

#[utoipa::path(tag = "automations", operation_id = "dryRunAutomation", params(("id" = uuid::Uuid, Path)),
    request_body = DryRunAutomationInput, responses((status = 200, body = Enveloped<AutomationDryRun>)))]
#[post("/v1/automations/{id}/dry-run")]
async fn dry_run_automation(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<DryRunAutomationInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::dry_run_automation(&cx, id, input.0).await?))
}
