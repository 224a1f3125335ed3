//! Uploads over REST.

use actix_multipart::Multipart;
use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post, web::Payload};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, LenientQuery, QueryOf, ServiceConfig, created, paged, path_uuid, single},
};
use utoipa::ToSchema;

use super::{Upload, UploadsQuery};
use crate::{files, signed::SignedQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(uploads);
    config.service(upload);
    config.service(create_upload);
    config.service(delete_upload);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(upload_media);
}

/// Fields of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the multipart form, which is read as a stream")]
struct UploadForm {
    /// The file.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// Purpose.
    purpose: super::UploadPurpose,
}

#[utoipa::path(tag = "uploads", operation_id = "uploads", params(UploadsQuery),
    responses((status = 200, body = Collection<Upload>)))]
#[get("/v1/uploads")]
async fn uploads(cx: Cx, request: HttpRequest, query: QueryOf<UploadsQuery>) -> Result<impl Responder> {
    Ok(paged(&request, super::uploads(&cx, query.0).await?))
}

#[utoipa::path(tag = "uploads", operation_id = "upload", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Upload>)))]
#[get("/v1/uploads/{id}")]
async fn upload(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::upload(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "uploads", operation_id = "createUpload",
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses((status = 201, body = Enveloped<Upload>)))]
#[post("/v1/uploads")]
async fn create_upload(cx: Cx, request: HttpRequest, body: Payload) -> Result<HttpResponse> {
    let form = Multipart::new(request.headers(), body);
    let new = super::create_upload(&cx, async |limits| files::read(form, limits).await).await?;
    Ok(created(format!("/v1/uploads/{}", new.id), new))
}

#[utoipa::path(tag = "uploads", operation_id = "deleteUpload", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/uploads/{id}")]
async fn delete_upload(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_upload(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "uploads", operation_id = "uploadMedia", params(("id" = uuid::Uuid, Path), SignedQuery),
    responses((status = 200, content_type = "*/*", body = String),
        (status = 206, content_type = "*/*", body = String), (status = 304), (status = 403), (status = 404),
        (status = 416)))]
#[get("/v1/media/upload/{id}")]
async fn upload_media(
    cx: Cx,
    request: HttpRequest,
    query: LenientQuery<SignedQuery>,
) -> Result<HttpResponse> {
    let file = super::upload_media(&cx, path_uuid(&request, "id"), query.0).await?;
    file.respond_to_all(&cx, &request).await
}
