//! Review over REST.

use actix_web::{HttpRequest, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, paged, path_uuid, single},
};

use super::{
    RejectExtensionVersionInput, ReviewQuery, ReviewVersion, ReviewVersionDetail, ReviewedExtension,
    RevokeExtensionVersionInput, SuspendExtensionInput,
};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(admin_extension_versions);
    config.service(admin_extension_version);
    config.service(admin_approve_extension_testing);
    config.service(admin_publish_extension_version);
    config.service(admin_reject_extension_version);
    config.service(admin_revoke_extension_version);
    config.service(admin_suspend_extension);
    config.service(admin_unsuspend_extension);
}

#[utoipa::path(tag = "extension_review", operation_id = "adminExtensionVersions", params(ReviewQuery),
    responses((status = 200, body = Collection<ReviewVersion>)))]
#[get("/v1/admin/extension-versions")]
async fn admin_extension_versions(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<ReviewQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_extension_versions(&cx, query.0).await?))
}

#[utoipa::path(tag = "extension_review", operation_id = "adminExtensionVersion", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<ReviewVersionDetail>)))]
#[get("/v1/admin/extension-versions/{id}")]
async fn admin_extension_version(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_extension_version(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "extension_review", operation_id = "adminApproveExtensionTesting",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<ReviewVersion>)))]
#[post("/v1/admin/extension-versions/{id}/approve-testing")]
async fn admin_approve_extension_testing(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_approve_extension_testing(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "extension_review", operation_id = "adminPublishExtensionVersion",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<ReviewVersion>)))]
#[post("/v1/admin/extension-versions/{id}/publish")]
async fn admin_publish_extension_version(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_publish_extension_version(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "extension_review", operation_id = "adminRejectExtensionVersion",
    params(("id" = uuid::Uuid, Path)), request_body = RejectExtensionVersionInput,
    responses((status = 200, body = Enveloped<ReviewVersion>)))]
#[post("/v1/admin/extension-versions/{id}/reject")]
async fn admin_reject_extension_version(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<RejectExtensionVersionInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_reject_extension_version(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "extension_review", operation_id = "adminRevokeExtensionVersion",
    params(("id" = uuid::Uuid, Path)), request_body = RevokeExtensionVersionInput,
    responses((status = 200, body = Enveloped<ReviewVersion>)))]
#[post("/v1/admin/extension-versions/{id}/revoke")]
async fn admin_revoke_extension_version(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<RevokeExtensionVersionInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_revoke_extension_version(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "extension_review", operation_id = "adminSuspendExtension",
    params(("id" = uuid::Uuid, Path)), request_body = SuspendExtensionInput,
    responses((status = 200, body = Enveloped<ReviewedExtension>)))]
#[post("/v1/admin/extensions/{id}/suspend")]
async fn admin_suspend_extension(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SuspendExtensionInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_suspend_extension(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "extension_review", operation_id = "adminUnsuspendExtension",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<ReviewedExtension>)))]
#[post("/v1/admin/extensions/{id}/unsuspend")]
async fn admin_unsuspend_extension(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_unsuspend_extension(&cx, path_uuid(&request, "id")).await?))
}
