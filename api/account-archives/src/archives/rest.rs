//! Archives over REST.

use actix_web::{
    HttpRequest, HttpResponse, Responder, delete, get,
    http::header::{CONTENT_DISPOSITION, HeaderValue},
    post,
};
use api_core::{
    Cx, Result,
    http::{
        Enveloped, JsonBody, LenientQuery, Listed, Sandbox, ServiceConfig, created, listed, path_uuid, single,
    },
};

use super::{AccountArchive, ExportAccountInput, SignedAddress};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(account_archives);
    config.service(export_account);
    config.service(account_archive);
    config.service(delete_account_archive);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(download_account_archive);
}

#[utoipa::path(tag = "account_archives", operation_id = "accountArchives", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<AccountArchive>)))]
#[get("/v1/accounts/{id}/archives")]
async fn account_archives(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::account_archives(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "account_archives", operation_id = "exportAccount", params(("id" = uuid::Uuid, Path)),
    request_body = ExportAccountInput, responses((status = 201, body = Enveloped<AccountArchive>), (status = 409)))]
#[post("/v1/accounts/{id}/archives")]
async fn export_account(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ExportAccountInput>,
) -> Result<HttpResponse> {
    let archive = super::export_account(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("/v1/accounts/{}/archives/{}", archive.account_id, archive.id), archive))
}

#[utoipa::path(tag = "account_archives", operation_id = "accountArchive",
    params(("id" = uuid::Uuid, Path), ("archive_id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AccountArchive>)))]
#[get("/v1/accounts/{id}/archives/{archive_id}")]
async fn account_archive(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let (id, archive_id) = (path_uuid(&request, "id"), path_uuid(&request, "archive_id"));
    Ok(single(&request, super::account_archive(&cx, id, archive_id).await?))
}

#[utoipa::path(tag = "account_archives", operation_id = "deleteAccountArchive",
    params(("id" = uuid::Uuid, Path), ("archive_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/accounts/{id}/archives/{archive_id}")]
async fn delete_account_archive(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (id, archive_id) = (path_uuid(&request, "id"), path_uuid(&request, "archive_id"));
    super::delete_account_archive(&cx, id, archive_id).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "account_archives", operation_id = "downloadAccountArchive",
    params(("id" = uuid::Uuid, Path), SignedAddress),
    responses((status = 200, content_type = "application/zip", body = String),
        (status = 206, content_type = "application/zip", body = String), (status = 304), (status = 403),
        (status = 404), (status = 416)))]
#[get("/v1/media/archive/{id}")]
async fn download_account_archive(
    cx: Cx,
    request: HttpRequest,
    address: LenientQuery<SignedAddress>,
) -> Result<HttpResponse> {
    let file = super::download_account_archive(&cx, path_uuid(&request, "id"), address.0).await?;
    let mut response = file.respond(&cx, &request, Sandbox::Closed).await?;
    let disposition = HeaderValue::from_static("attachment; filename=\"account.zip\"");
    response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    Ok(response)
}
