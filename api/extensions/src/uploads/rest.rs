//! Uploads of extensions over REST.

use actix_multipart::Multipart;
use actix_web::{
    HttpRequest, HttpResponse, Responder, get, post,
    web::{Path, Payload},
};
use api_core::{
    Cx, Result,
    http::{Enveloped, Sandbox, ServiceConfig, created, path_uuid, single},
    validate,
};
use utoipa::ToSchema;

use super::{ExtensionUpload, Uploaded, form};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(upload_extension_file);
}

/// Registers the routes that accept callers without a credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_upload);
}

/// Fields of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the multipart form, which is read as a stream")]
struct ExtensionUploadForm {
    /// A PNG, JPEG, GIF, SVG, WebP or AVIF image of at most 256 KB.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

#[utoipa::path(tag = "extension_bundles", operation_id = "uploadExtensionFile",
    params(("extension_id" = uuid::Uuid, Path)),
    request_body(content = ExtensionUploadForm, content_type = "multipart/form-data"),
    responses((status = 201, body = Enveloped<ExtensionUpload>), (status = 200, body = Enveloped<ExtensionUpload>)))]
#[post("/v1/extensions/{extension_id}/uploads")]
async fn upload_extension_file(cx: Cx, request: HttpRequest, body: Payload) -> Result<HttpResponse> {
    let file = form::read(Multipart::new(request.headers(), body));
    let extension_id = path_uuid(&request, "extension_id");
    Ok(match super::upload_extension_file(&cx, extension_id, file).await? {
        Uploaded::New(upload) => created(upload.url.clone(), upload),
        Uploaded::Known(upload) => single(&request, upload).respond_to(&request).map_into_boxed_body(),
    })
}

#[utoipa::path(tag = "extension_bundles", operation_id = "extensionUpload",
    params(("extension_id" = uuid::Uuid, Path), ("filename" = String, Path)),
    responses((status = 200, content_type = "*/*", body = String),
        (status = 206, content_type = "*/*", body = String), (status = 304), (status = 416)))]
#[get("/v1/extensions/{extension_id}/uploads/{filename}")]
async fn extension_upload(
    cx: Cx,
    request: HttpRequest,
    place: Path<(String, String)>,
) -> Result<HttpResponse> {
    let (extension_id, filename) = place.into_inner();
    let extension_id = validate::uuid("extension_id", &extension_id);
    let file = super::extension_upload(&cx, extension_id, &filename).await?;
    file.respond(&cx, &request, Sandbox::Closed).await
}
