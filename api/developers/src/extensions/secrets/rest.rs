//! Secrets over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put, web::Path};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, path_uuid, single},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::SetExtensionSecretInput;

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_secret_keys);
    config.service(set_extension_secret);
    config.service(delete_extension_secret);
}

/// Names of an extension's secrets.
#[derive(Serialize, ToSchema)]
struct ExtensionSecretKeys {
    keys: Vec<String>,
}

#[utoipa::path(tag = "extensions", operation_id = "extensionSecretKeys", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<ExtensionSecretKeys>)))]
#[get("/v1/developer/extensions/{id}/secrets")]
async fn extension_secret_keys(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let keys = super::extension_secret_keys(&cx, path_uuid(&request, "id")).await?;
    Ok(single(&request, ExtensionSecretKeys { keys }))
}

#[utoipa::path(tag = "extensions", operation_id = "setExtensionSecret",
    params(("id" = uuid::Uuid, Path), ("key" = String, Path)), request_body = SetExtensionSecretInput,
    responses((status = 204)))]
#[put("/v1/developer/extensions/{id}/secrets/{key}")]
async fn set_extension_secret(
    cx: Cx,
    request: HttpRequest,
    place: Path<(String, String)>,
    input: JsonBody<SetExtensionSecretInput>,
) -> Result<HttpResponse> {
    super::set_extension_secret(&cx, path_uuid(&request, "id"), &place.1, input.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "extensions", operation_id = "deleteExtensionSecret",
    params(("id" = uuid::Uuid, Path), ("key" = String, Path)), responses((status = 204)))]
#[delete("/v1/developer/extensions/{id}/secrets/{key}")]
async fn delete_extension_secret(
    cx: Cx,
    request: HttpRequest,
    place: Path<(String, String)>,
) -> Result<HttpResponse> {
    super::delete_extension_secret(&cx, path_uuid(&request, "id"), &place.1).await?;
    Ok(HttpResponse::NoContent().finish())
}
