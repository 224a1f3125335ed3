//! Tokens of pages over REST.

use actix_web::{HttpRequest, Responder, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, path_uuid, single},
};

use super::{ExtensionToken, IssueExtensionTokenInput};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(issue_extension_token);
}

#[utoipa::path(tag = "extension_installs", operation_id = "issueExtensionToken", params(("id" = uuid::Uuid, Path)),
    request_body = IssueExtensionTokenInput, responses((status = 200, body = Enveloped<ExtensionToken>)))]
#[post("/v1/extension-installs/{id}/token")]
async fn issue_extension_token(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<IssueExtensionTokenInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::issue_extension_token(&cx, path_uuid(&request, "id"), input.0).await?))
}
