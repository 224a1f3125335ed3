//! Extensions over the developer API.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, http::header, patch, post, web::Json};
use api_core::{
    Cx,
    http::{JsonBody, Linked, PartLinks, QueryOf, ServiceConfig, path_uuid},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    CreateExtensionBody, CreatedExtension, CursorQuery, Extension, ExtensionPage, InstallStats,
    UpdateExtensionBody,
};
use crate::envelope::{BASE, DeveloperErrorBody, Result};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_api_extensions);
    config.service(developer_api_extension);
    config.service(developer_api_create_extension);
    config.service(developer_api_update_extension);
    config.service(developer_api_delete_extension);
    config.service(developer_api_install_stats);
}

/// A new extension.
#[derive(Serialize, ToSchema)]
struct CreatedExtensionBody {
    extension: CreatedExtension,
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiExtensions", params(CursorQuery),
    responses((status = 200, body = ExtensionPage), (status = "default", body = DeveloperErrorBody)))]
#[get("/developer/v1/extensions")]
async fn developer_api_extensions(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<CursorQuery>,
) -> Result<impl Responder> {
    let page = super::developer_api_extensions(&cx, query.0).await?;
    let links = PartLinks::next(&request, "cursor", page.next_cursor.as_ref());
    Ok(Linked { body: page, links })
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiExtension", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Extension), (status = "default", body = DeveloperErrorBody)))]
#[get("/developer/v1/extensions/{id}")]
async fn developer_api_extension(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(Json(super::developer_api_extension(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiCreateExtension", request_body = CreateExtensionBody,
    responses((status = 201, body = CreatedExtensionBody), (status = "default", body = DeveloperErrorBody)))]
#[post("/developer/v1/extensions")]
async fn developer_api_create_extension(cx: Cx, body: JsonBody<CreateExtensionBody>) -> Result<HttpResponse> {
    let extension = super::developer_api_create_extension(&cx, body.0).await?;
    Ok(HttpResponse::Created()
        .insert_header((header::LOCATION, format!("{BASE}/extensions/{}", extension.id)))
        .json(CreatedExtensionBody { extension }))
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiUpdateExtension", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateExtensionBody,
    responses((status = 200, body = Extension), (status = "default", body = DeveloperErrorBody)))]
#[patch("/developer/v1/extensions/{id}")]
async fn developer_api_update_extension(
    cx: Cx,
    request: HttpRequest,
    body: JsonBody<UpdateExtensionBody>,
) -> Result<impl Responder> {
    Ok(Json(super::developer_api_update_extension(&cx, path_uuid(&request, "id"), body.0).await?))
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiDeleteExtension", params(("id" = uuid::Uuid, Path)),
    responses((status = 204), (status = "default", body = DeveloperErrorBody)))]
#[delete("/developer/v1/extensions/{id}")]
async fn developer_api_delete_extension(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::developer_api_delete_extension(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiInstallStats", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = InstallStats), (status = "default", body = DeveloperErrorBody)))]
#[get("/developer/v1/extensions/{id}/installs")]
async fn developer_api_install_stats(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(Json(super::developer_api_install_stats(&cx, path_uuid(&request, "id")).await?))
}
