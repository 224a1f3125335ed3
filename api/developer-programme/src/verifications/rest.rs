//! REST routes of `verifications`.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged, path_uuid, single},
};

use super::{
    DeveloperVerification, DeveloperVerificationItem, SubmitDeveloperVerificationInput,
    review::{
        self, AdminApproveDeveloperVerificationInput, AdminDeveloperVerification,
        AdminRejectDeveloperVerificationInput, DeveloperVerificationDecision, DeveloperVerificationQuery,
    },
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_verification);
    config.service(submit_developer_verification);
    config.service(admin_developer_verifications);
    config.service(admin_developer_verification);
    config.service(admin_approve_developer_verification);
    config.service(admin_reject_developer_verification);
}

#[utoipa::path(tag = "developer", operation_id = "developerVerification",
    responses((status = 200, body = Enveloped<Option<DeveloperVerification>>)))]
#[get("/v1/developer/verification")]
async fn developer_verification(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::developer_verification(&cx).await?))
}

#[utoipa::path(tag = "developer", operation_id = "submitDeveloperVerification",
    request_body = SubmitDeveloperVerificationInput,
    responses((status = 201, body = Enveloped<DeveloperVerification>), (status = 404)))]
#[post("/v1/developer/verification")]
async fn submit_developer_verification(
    cx: Cx,
    input: JsonBody<SubmitDeveloperVerificationInput>,
) -> Result<HttpResponse> {
    let verification = super::submit_developer_verification(&cx, input.0).await?;
    Ok(created("/v1/developer/verification".to_owned(), verification))
}

#[utoipa::path(tag = "developer", operation_id = "adminDeveloperVerifications",
    params(DeveloperVerificationQuery),
    responses((status = 200, body = Collection<DeveloperVerificationItem>)))]
#[get("/v1/admin/developer-verifications")]
async fn admin_developer_verifications(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<DeveloperVerificationQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, review::admin_developer_verifications(&cx, query.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminDeveloperVerification", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AdminDeveloperVerification>)))]
#[get("/v1/admin/developer-verifications/{id}")]
async fn admin_developer_verification(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, review::admin_developer_verification(&cx, id).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminApproveDeveloperVerification",
    params(("id" = uuid::Uuid, Path)), request_body = AdminApproveDeveloperVerificationInput,
    responses((status = 200, body = Enveloped<DeveloperVerificationDecision>)))]
#[post("/v1/admin/developer-verifications/{id}/approve")]
async fn admin_approve_developer_verification(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminApproveDeveloperVerificationInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, review::admin_approve_developer_verification(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminRejectDeveloperVerification",
    params(("id" = uuid::Uuid, Path)), request_body = AdminRejectDeveloperVerificationInput,
    responses((status = 200, body = Enveloped<DeveloperVerificationDecision>)))]
#[post("/v1/admin/developer-verifications/{id}/reject")]
async fn admin_reject_developer_verification(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminRejectDeveloperVerificationInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, review::admin_reject_developer_verification(&cx, id, input.0).await?))
}
