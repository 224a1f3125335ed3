//! Server functions over REST.

use actix_web::{HttpRequest, Responder, post};
use api_core::{
    Cx, Result,
    graphql::Json,
    http::{Enveloped, JsonBody, ServiceConfig, path_uuid, single},
};

use super::CallExtensionFunctionInput;

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(call_extension_function);
}

#[utoipa::path(tag = "extension_installs", operation_id = "callExtensionFunction",
    params(("install_id" = uuid::Uuid, Path), ("function" = String, Path)),
    request_body = CallExtensionFunctionInput, responses((status = 200, body = Enveloped<Json>)))]
#[post("/v1/extension-functions/{install_id}/{function}")]
async fn call_extension_function(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CallExtensionFunctionInput>,
) -> Result<impl Responder> {
    let (install, function) = (path_uuid(&request, "install_id"), request.match_info().get("function"));
    let result = super::call_extension_function(&cx, install, function.unwrap_or_default(), input.0).await?;
    Ok(single(&request, result))
}
