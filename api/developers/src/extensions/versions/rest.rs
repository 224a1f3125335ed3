//! Versions of the caller's extensions over REST.

use actix_multipart::Multipart;
use actix_web::{HttpRequest, HttpResponse, Responder, post, web::Payload};
use api_core::{
    Cx, Result,
    http::{Enveloped, SelfLink, ServiceConfig, path_uuid, single},
};

use super::DeveloperVersion;
use crate::developer_api::versions::{form, rest::SubmitVersionForm};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(upload_extension_version);
    config.service(withdraw_extension_version);
    config.service(submit_extension_version);
    config.service(request_extension_publication);
    config.service(abandon_extension_version);
}

#[utoipa::path(tag = "extensions", operation_id = "uploadExtensionVersion", params(("id" = uuid::Uuid, Path)),
    request_body(content = SubmitVersionForm, content_type = "multipart/form-data"),
    responses((status = 202, body = Enveloped<DeveloperVersion>)))]
#[post("/v1/developer/extensions/{id}/versions")]
async fn upload_extension_version(cx: Cx, request: HttpRequest, body: Payload) -> Result<HttpResponse> {
    let form = form::read(Multipart::new(request.headers(), body));
    let data = super::upload_extension_version(&cx, path_uuid(&request, "id"), form).await?;
    let links = SelfLink { this: format!("{}/{}", request.path(), data.id) };
    Ok(HttpResponse::Accepted().json(Enveloped { data, links }))
}

#[utoipa::path(tag = "extensions", operation_id = "withdrawExtensionVersion",
    params(("id" = uuid::Uuid, Path), ("v" = String, Path, description = "Id or number of the version.")),
    responses((status = 200, body = Enveloped<DeveloperVersion>)))]
#[post("/v1/developer/extensions/{id}/versions/{v}/withdraw")]
async fn withdraw_extension_version(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::withdraw_extension_version(&cx, id, version(&request)).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "submitExtensionVersion",
    params(("id" = uuid::Uuid, Path), ("v" = String, Path, description = "Id or number of the version.")),
    responses((status = 200, body = Enveloped<DeveloperVersion>)))]
#[post("/v1/developer/extensions/{id}/versions/{v}/submit")]
async fn submit_extension_version(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::submit_extension_version(&cx, id, version(&request)).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "requestExtensionPublication",
    params(("id" = uuid::Uuid, Path), ("v" = String, Path, description = "Id or number of the version.")),
    responses((status = 200, body = Enveloped<DeveloperVersion>)))]
#[post("/v1/developer/extensions/{id}/versions/{v}/request-publication")]
async fn request_extension_publication(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::request_extension_publication(&cx, id, version(&request)).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "abandonExtensionVersion",
    params(("id" = uuid::Uuid, Path), ("v" = String, Path, description = "Id or number of the version.")),
    responses((status = 200, body = Enveloped<DeveloperVersion>)))]
#[post("/v1/developer/extensions/{id}/versions/{v}/abandon")]
async fn abandon_extension_version(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::abandon_extension_version(&cx, id, version(&request)).await?))
}

fn version(request: &HttpRequest) -> &str {
    request.match_info().get("v").unwrap_or_default()
}
