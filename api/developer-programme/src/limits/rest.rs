//! REST routes of `limits`.

use actix_web::{HttpRequest, Responder, get, patch};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, Success, path_uuid, single},
};

use super::{AdminUpdateExtensionLimitsInput, DeveloperLimits, ExtensionLimits};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_limits);
    config.service(extension_limits);
    config.service(admin_update_extension_limits);
}

#[utoipa::path(tag = "developer", operation_id = "developerLimits",
    responses((status = 200, body = Enveloped<DeveloperLimits>), (status = 404)))]
#[get("/v1/developer/limits")]
async fn developer_limits(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::developer_limits(&cx).await?))
}

#[utoipa::path(tag = "developer", operation_id = "extensionLimits", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<ExtensionLimits>)))]
#[get("/v1/developer/extensions/{id}/limits")]
async fn extension_limits(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::extension_limits(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminUpdateExtensionLimits",
    params(("id" = uuid::Uuid, Path)), request_body = AdminUpdateExtensionLimitsInput,
    responses((status = 200, body = Enveloped<Success>)))]
#[patch("/v1/admin/extensions/{id}/limits")]
async fn admin_update_extension_limits(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdateExtensionLimitsInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_update_extension_limits(&cx, id, input.0).await?))
}
