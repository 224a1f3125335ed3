//! Extensions of a developer over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{
    CreateExtensionInput, DeveloperExtension, DeveloperExtensionDetail, SetExtensionVisibilityInput,
    TransferExtensionInput, UpdateExtensionInput,
};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_extensions);
    config.service(create_extension);
    config.service(developer_extension);
    config.service(update_extension);
    config.service(delete_extension);
    config.service(set_extension_visibility);
    config.service(transfer_extension);
}

#[utoipa::path(tag = "extensions", operation_id = "developerExtensions",
    responses((status = 200, body = Listed<DeveloperExtension>)))]
#[get("/v1/developer/extensions")]
async fn developer_extensions(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::developer_extensions(&cx).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "createExtension", request_body = CreateExtensionInput,
    responses((status = 201, body = Enveloped<DeveloperExtension>)))]
#[post("/v1/developer/extensions")]
async fn create_extension(cx: Cx, input: JsonBody<CreateExtensionInput>) -> Result<HttpResponse> {
    let extension = super::create_extension(&cx, input.0).await?;
    Ok(created(format!("/v1/developer/extensions/{}", extension.id), extension))
}

#[utoipa::path(tag = "extensions", operation_id = "developerExtension", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<DeveloperExtensionDetail>)))]
#[get("/v1/developer/extensions/{id}")]
async fn developer_extension(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::developer_extension(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "updateExtension", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateExtensionInput, responses((status = 200, body = Enveloped<DeveloperExtension>)))]
#[patch("/v1/developer/extensions/{id}")]
async fn update_extension(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateExtensionInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_extension(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "deleteExtension", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/developer/extensions/{id}")]
async fn delete_extension(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_extension(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "extensions", operation_id = "setExtensionVisibility", params(("id" = uuid::Uuid, Path)),
    request_body = SetExtensionVisibilityInput, responses((status = 200, body = Enveloped<DeveloperExtension>)))]
#[put("/v1/developer/extensions/{id}/visibility")]
async fn set_extension_visibility(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetExtensionVisibilityInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::set_extension_visibility(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "transferExtension", params(("id" = uuid::Uuid, Path)),
    request_body = TransferExtensionInput, responses((status = 200, body = Enveloped<DeveloperExtension>)))]
#[post("/v1/developer/extensions/{id}/transfer")]
async fn transfer_extension(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<TransferExtensionInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::transfer_extension(&cx, id, input.0).await?))
}
