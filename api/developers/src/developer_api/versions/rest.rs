//! Versions over the developer API.

use actix_multipart::Multipart;
use actix_web::{
    HttpRequest, HttpResponse, Responder, get, post,
    web::{Json, Payload},
};
use api_core::{
    Cx,
    http::{Linked, PartLinks, QueryOf, ServiceConfig, path_uuid},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{CursorQuery, SubmittedVersion, Version, VersionPage, form, submit};
use crate::envelope::{DeveloperErrorBody, Result};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_api_versions);
    config.service(developer_api_version);
    config.service(developer_api_submit_version);
}

/// One version.
#[derive(Serialize, ToSchema)]
struct VersionBody {
    version: Version,
}

/// A version that waits for its review.
#[derive(Serialize, ToSchema)]
struct SubmittedVersionBody {
    version: SubmittedVersion,
}

/// Fields of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the multipart form, which is read as a stream")]
pub(crate) struct SubmitVersionForm {
    /// Semantic version, greater than every approved one.
    #[schema(extensions(("maxLength" = json!(extension_bundle::MAX_VERSION_LENGTH))))]
    version: String,
    /// At most 10,000 characters.
    #[schema(extensions(("maxLength" = json!(submit::MAX_CHANGELOG_LENGTH))))]
    changelog: Option<String>,
    /// `true` when accounts must accept the version.
    breaking: Option<bool>,
    /// A `.tar.gz` archive of at most 50 MB with `lumio.config.json` in its root. All files of a published
    /// version are public, `server.js` included and only `source.tar.gz` excepted: code must not hold
    /// secrets.
    #[schema(value_type = String, format = Binary)]
    bundle: Vec<u8>,
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiVersions",
    params(("id" = uuid::Uuid, Path), CursorQuery),
    responses((status = 200, body = VersionPage), (status = "default", body = DeveloperErrorBody)))]
#[get("/developer/v1/extensions/{id}/versions")]
async fn developer_api_versions(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<CursorQuery>,
) -> Result<impl Responder> {
    let page = super::developer_api_versions(&cx, path_uuid(&request, "id"), query.0).await?;
    let links = PartLinks::next(&request, "cursor", page.next_cursor.as_ref());
    Ok(Linked { body: page, links })
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiVersion",
    params(("id" = uuid::Uuid, Path), ("version_id" = uuid::Uuid, Path)),
    responses((status = 200, body = VersionBody), (status = "default", body = DeveloperErrorBody)))]
#[get("/developer/v1/extensions/{id}/versions/{version_id}")]
async fn developer_api_version(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let (id, version_id) = (path_uuid(&request, "id"), path_uuid(&request, "version_id"));
    Ok(Json(VersionBody { version: super::developer_api_version(&cx, id, version_id).await? }))
}

#[utoipa::path(tag = "developer_api", operation_id = "developerApiSubmitVersion", params(("id" = uuid::Uuid, Path)),
    request_body(content = SubmitVersionForm, content_type = "multipart/form-data"),
    responses((status = 202, body = SubmittedVersionBody), (status = "default", body = DeveloperErrorBody)))]
#[post("/developer/v1/extensions/{id}/versions")]
async fn developer_api_submit_version(cx: Cx, request: HttpRequest, body: Payload) -> Result<HttpResponse> {
    let form = form::read(Multipart::new(request.headers(), body));
    let version = super::developer_api_submit_version(&cx, path_uuid(&request, "id"), form).await?;
    Ok(HttpResponse::Accepted().json(SubmittedVersionBody { version }))
}
