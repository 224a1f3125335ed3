//! Shared storage over REST.

use actix_web::{HttpRequest, Responder, get, http::header, post, put};
use api_core::{
    ApiError, Cx, Input, Result,
    graphql::Int64,
    http::{Enveloped, JsonBody, ServiceConfig, path_uuid, single},
};
use extension_calls::ExtensionStorage;

use super::SetExtensionStorageInput;

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_storage);
    config.service(set_extension_storage);
    config.service(set_extension_storage_by_post);
}

#[utoipa::path(tag = "extension_installs", operation_id = "extensionStorage", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<ExtensionStorage>)))]
#[get("/v1/extension-installs/{id}/storage")]
async fn extension_storage(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::extension_storage(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "extension_installs", operation_id = "setExtensionStorage", params(("id" = uuid::Uuid, Path)),
    request_body = SetExtensionStorageInput, responses((status = 200, body = Enveloped<ExtensionStorage>)))]
#[put("/v1/extension-installs/{id}/storage")]
async fn set_extension_storage(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetExtensionStorageInput>,
) -> Result<impl Responder> {
    let input = if_match(&request, input.0);
    Ok(single(&request, super::set_extension_storage(&cx, path_uuid(&request, "id"), input).await?))
}

#[utoipa::path(tag = "extension_installs", operation_id = "setExtensionStorageByPost",
    params(("id" = uuid::Uuid, Path)),
    request_body = SetExtensionStorageInput, responses((status = 200, body = Enveloped<ExtensionStorage>)))]
#[post("/v1/extension-installs/{id}/storage")]
async fn set_extension_storage_by_post(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetExtensionStorageInput>,
) -> Result<impl Responder> {
    let input = if_match(&request, input.0);
    Ok(single(&request, super::set_extension_storage_by_post(&cx, path_uuid(&request, "id"), input).await?))
}

/// Applies `If-Match`, which takes precedence over the body.
fn if_match(
    request: &HttpRequest,
    input: Input<SetExtensionStorageInput>,
) -> Input<SetExtensionStorageInput> {
    let Some(header) = request.headers().get(header::IF_MATCH) else { return input };
    let text = header.to_str().unwrap_or_default().trim().trim_matches('"');
    let version = text.parse().map_err(|_malformed| {
        ApiError::invalid("If-Match must be the version of the storage, a whole number")
    })?;
    Ok(SetExtensionStorageInput { version: Some(Int64(version)), ..input? })
}
