//! REST routes of `applications`.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Linked, PartLinks, QueryOf, ServiceConfig, created, path_uuid, single},
};

use super::{
    DeveloperApplication, DeveloperApplicationList, SubmitDeveloperApplicationInput,
    review::{
        self, AdminApproveDeveloperApplicationInput, AdminRejectDeveloperApplicationInput,
        DeveloperApplicationDecision, DeveloperApplicationQuery,
    },
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_application);
    config.service(submit_developer_application);
    config.service(admin_developer_applications);
    config.service(admin_developer_application);
    config.service(admin_approve_developer_application);
    config.service(admin_reject_developer_application);
}

#[utoipa::path(tag = "developer", operation_id = "developerApplication",
    responses((status = 200, body = Enveloped<DeveloperApplication>), (status = 404)))]
#[get("/v1/developer/application")]
async fn developer_application(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::developer_application(&cx).await?))
}

#[utoipa::path(tag = "developer", operation_id = "submitDeveloperApplication",
    request_body = SubmitDeveloperApplicationInput,
    responses((status = 201, body = Enveloped<DeveloperApplication>), (status = 404)))]
#[post("/v1/developer/application")]
async fn submit_developer_application(
    cx: Cx,
    input: JsonBody<SubmitDeveloperApplicationInput>,
) -> Result<HttpResponse> {
    let application = super::submit_developer_application(&cx, input.0).await?;
    Ok(created("/v1/developer/application".to_owned(), application))
}

#[utoipa::path(tag = "developer", operation_id = "adminDeveloperApplications", params(DeveloperApplicationQuery),
    responses((status = 200, body = Enveloped<DeveloperApplicationList>)))]
#[get("/v1/admin/developer-applications")]
async fn admin_developer_applications(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<DeveloperApplicationQuery>,
) -> Result<impl Responder> {
    let list = review::admin_developer_applications(&cx, query.0).await?;
    let links = PartLinks::by_page(&request, list.total.into());
    Ok(Linked { body: single(&request, list).0, links })
}

#[utoipa::path(tag = "developer", operation_id = "adminDeveloperApplication", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<DeveloperApplication>)))]
#[get("/v1/admin/developer-applications/{id}")]
async fn admin_developer_application(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, review::admin_developer_application(&cx, id).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminApproveDeveloperApplication",
    params(("id" = uuid::Uuid, Path)), request_body = AdminApproveDeveloperApplicationInput,
    responses((status = 200, body = Enveloped<DeveloperApplicationDecision>)))]
#[post("/v1/admin/developer-applications/{id}/approve")]
async fn admin_approve_developer_application(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminApproveDeveloperApplicationInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, review::admin_approve_developer_application(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminRejectDeveloperApplication",
    params(("id" = uuid::Uuid, Path)), request_body = AdminRejectDeveloperApplicationInput,
    responses((status = 200, body = Enveloped<DeveloperApplicationDecision>)))]
#[post("/v1/admin/developer-applications/{id}/reject")]
async fn admin_reject_developer_application(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminRejectDeveloperApplicationInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, review::admin_reject_developer_application(&cx, id, input.0).await?))
}
