//! Files of versions over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, get, web::Path};
use api_core::{
    Cx, Result,
    http::{Listed, Sandbox, ServiceConfig, listed},
    validate,
};

use super::{BundleFile, origin};

/// Registers the routes that accept callers without a credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    // Before the route with the rest of the path, which would match it too.
    config.service(extension_bundle);
    config.service(extension_bundle_file);
    config.service(extension_version_files);
}

#[utoipa::path(tag = "extension_bundles", operation_id = "extensionBundleFile",
    params(("extension_id" = uuid::Uuid, Path), ("version" = String, Path),
        ("path" = String, Path, description = "The rest of the address: the path in the bundle.")),
    responses((status = 200, content_type = "*/*", body = serde_json::Value),
        (status = 206, content_type = "*/*", body = String), (status = 304),
        (status = 307, description = "Published files are at `LUMIO_BUNDLE_URL`, where one is configured."),
        (status = 416)))]
#[get("/v1/extension-bundles/{extension_id}/{version}/{path:.*}")]
async fn extension_bundle_file(
    cx: Cx,
    request: HttpRequest,
    place: Path<(String, String, String)>,
) -> Result<HttpResponse> {
    let (extension_id, version, path) = place.into_inner();
    let extension_id = validate::uuid("extension_id", &extension_id);
    let file = super::extension_bundle_file(&cx, extension_id, &version, &path).await?;
    if let Some(elsewhere) = origin::redirect(&cx, &request, &file) {
        return Ok(elsewhere);
    }
    file.respond(&cx, &request, Sandbox::WithScripts).await
}

#[utoipa::path(tag = "extension_bundles", operation_id = "extensionBundle",
    params(("extension_id" = uuid::Uuid, Path), ("version" = String, Path)),
    responses((status = 200, content_type = "text/javascript", body = String),
        (status = 206, content_type = "text/javascript", body = String), (status = 304),
        (status = 307, description = "Published files are at `LUMIO_BUNDLE_URL`, where one is configured."),
        (status = 416)))]
#[get("/v1/extension-bundles/{extension_id}/{version}/bundle.js")]
async fn extension_bundle(
    cx: Cx,
    request: HttpRequest,
    place: Path<(String, String)>,
) -> Result<HttpResponse> {
    let (extension_id, version) = place.into_inner();
    let extension_id = validate::uuid("extension_id", &extension_id);
    let file = super::extension_bundle(&cx, extension_id, &version).await?;
    if let Some(elsewhere) = origin::redirect(&cx, &request, &file) {
        return Ok(elsewhere);
    }
    file.respond(&cx, &request, Sandbox::WithScripts).await
}

#[utoipa::path(tag = "extension_bundles", operation_id = "extensionVersionFiles",
    params(("id" = uuid::Uuid, Path), ("version" = String, Path)),
    responses((status = 200, body = Listed<BundleFile>)))]
#[get("/v1/extensions/{id}/versions/{version}/files")]
async fn extension_version_files(
    cx: Cx,
    request: HttpRequest,
    place: Path<(String, String)>,
) -> Result<impl Responder> {
    let (id, version) = place.into_inner();
    let id = validate::uuid("id", &id);
    Ok(listed(&request, super::extension_version_files(&cx, id, &version).await?))
}
