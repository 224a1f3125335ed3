//! Secrets over the developer API.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put, web::Json};
use api_core::{
    Cx,
    http::{JsonBody, ServiceConfig, path_uuid},
};

use super::{SecretBody, SecretKeys};
use crate::envelope::{DeveloperErrorBody, Result};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_api_secrets);
    config.service(developer_api_set_secret);
    config.service(developer_api_delete_secret);
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiSecrets", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = SecretKeys), (status = "default", body = DeveloperErrorBody)))]
#[get("/developer/v1/extensions/{id}/secrets")]
async fn developer_api_secrets(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(Json(super::developer_api_secrets(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiSetSecret",
    params(("id" = uuid::Uuid, Path), ("key" = String, Path)), request_body = SecretBody,
    responses((status = 204), (status = "default", body = DeveloperErrorBody)))]
#[put("/developer/v1/extensions/{id}/secrets/{key}")]
async fn developer_api_set_secret(
    cx: Cx,
    request: HttpRequest,
    body: JsonBody<SecretBody>,
) -> Result<HttpResponse> {
    let key = request.match_info().get("key").unwrap_or_default();
    super::developer_api_set_secret(&cx, path_uuid(&request, "id"), key, body.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiDeleteSecret",
    params(("id" = uuid::Uuid, Path), ("key" = String, Path)),
    responses((status = 204), (status = "default", body = DeveloperErrorBody)))]
#[delete("/developer/v1/extensions/{id}/secrets/{key}")]
async fn developer_api_delete_secret(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let key = request.match_info().get("key").unwrap_or_default();
    super::developer_api_delete_secret(&cx, path_uuid(&request, "id"), key).await?;
    Ok(HttpResponse::NoContent().finish())
}
