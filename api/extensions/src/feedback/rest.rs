//! Feedback of testers over REST.

use actix_web::{HttpRequest, HttpResponse, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, created, path_uuid},
};

use super::{ExtensionFeedback, SubmitExtensionFeedbackInput};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(submit_extension_feedback);
}

#[utoipa::path(tag = "extension_installs", operation_id = "submitExtensionFeedback",
    params(("id" = uuid::Uuid, Path)), request_body = SubmitExtensionFeedbackInput,
    responses((status = 201, body = Enveloped<ExtensionFeedback>)))]
#[post("/v1/extension-installs/{id}/feedback")]
async fn submit_extension_feedback(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SubmitExtensionFeedbackInput>,
) -> Result<HttpResponse> {
    let feedback = super::submit_extension_feedback(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(request.path().to_owned(), feedback))
}
