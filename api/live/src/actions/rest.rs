//! Actions over REST, for our own services.

use actix_web::{Responder, post, web::Json};
use api_core::{Cx, Result, http::JsonBody};
use utoipa_actix_web::service_config::ServiceConfig;

use super::{ExtensionActionResult, RunExtensionActionInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(run_extension_action);
}

/// Carry out an action of an extension's handler, at most once for each install and invocation id.
#[utoipa::path(tag = "internal", operation_id = "runExtensionAction", request_body = RunExtensionActionInput,
    responses((status = 200, body = ExtensionActionResult)))]
#[post("/v1/internal/actions")]
async fn run_extension_action(cx: Cx, input: JsonBody<RunExtensionActionInput>) -> Result<impl Responder> {
    Ok(Json(super::run_extension_action(&cx, input.0).await?))
}
