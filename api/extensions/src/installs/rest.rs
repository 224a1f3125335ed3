//! Installs over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{AcceptExtensionUpdateInput, ConfigureExtensionInput, ExtensionInstall, InstallExtensionInput};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_installs);
    config.service(extension_install);
    config.service(install_extension);
    config.service(configure_extension);
    config.service(accept_extension_update);
    config.service(uninstall_extension);
}

#[utoipa::path(tag = "extension_installs", operation_id = "extensionInstalls",
    responses((status = 200, body = Listed<ExtensionInstall>)))]
#[get("/v1/extension-installs")]
async fn extension_installs(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::extension_installs(&cx).await?))
}

#[utoipa::path(tag = "extension_installs", operation_id = "extensionInstall", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<ExtensionInstall>)))]
#[get("/v1/extension-installs/{id}")]
async fn extension_install(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::extension_install(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "extension_installs", operation_id = "installExtension", request_body = InstallExtensionInput,
    responses((status = 201, body = Enveloped<ExtensionInstall>), (status = 404)))]
#[post("/v1/extension-installs")]
async fn install_extension(cx: Cx, input: JsonBody<InstallExtensionInput>) -> Result<HttpResponse> {
    let install = super::install_extension(&cx, input.0).await?;
    Ok(created(format!("/v1/extension-installs/{}", install.id), install))
}

#[utoipa::path(tag = "extension_installs", operation_id = "configureExtension", params(("id" = uuid::Uuid, Path)),
    request_body = ConfigureExtensionInput, responses((status = 200, body = Enveloped<ExtensionInstall>)))]
#[patch("/v1/extension-installs/{id}")]
async fn configure_extension(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ConfigureExtensionInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::configure_extension(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "extension_installs", operation_id = "acceptExtensionUpdate", params(("id" = uuid::Uuid, Path)),
    request_body = AcceptExtensionUpdateInput, responses((status = 200, body = Enveloped<ExtensionInstall>)))]
#[post("/v1/extension-installs/{id}/update")]
async fn accept_extension_update(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AcceptExtensionUpdateInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::accept_extension_update(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "extension_installs", operation_id = "uninstallExtension", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/extension-installs/{id}")]
async fn uninstall_extension(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::uninstall_extension(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
