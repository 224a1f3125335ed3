//! REST routes of `limit_requests`.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post, put};
use api_core::{
    Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, created, listed, paged, path_uuid,
        single,
    },
};

use super::{
    CreateLimitRequestInput, LimitRequest, LimitRequestEvent, LimitRequestQuery,
    review::{self, AdminReviewLimitRequestInput},
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_limit_requests);
    config.service(developer_limit_request);
    config.service(create_limit_request);
    config.service(developer_limit_request_events);
    config.service(admin_limit_requests);
    config.service(admin_developer_limit_requests);
    config.service(admin_limit_request);
    config.service(admin_review_limit_request);
    config.service(admin_limit_request_events);
}

#[utoipa::path(tag = "developer", operation_id = "developerLimitRequests", params(LimitRequestQuery),
    responses((status = 200, body = Collection<LimitRequest>), (status = 404)))]
#[get("/v1/developer/limit-requests")]
async fn developer_limit_requests(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<LimitRequestQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::developer_limit_requests(&cx, query.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "developerLimitRequest", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<LimitRequest>)))]
#[get("/v1/developer/limit-requests/{id}")]
async fn developer_limit_request(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::developer_limit_request(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer", operation_id = "createLimitRequest", request_body = CreateLimitRequestInput,
    responses((status = 201, body = Enveloped<LimitRequest>), (status = 404), (status = 409)))]
#[post("/v1/developer/limit-requests")]
async fn create_limit_request(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateLimitRequestInput>,
) -> Result<HttpResponse> {
    let made = super::create_limit_request(&cx, input.0).await?;
    Ok(created(format!("{}/{}", request.path(), made.id), made))
}

#[utoipa::path(tag = "developer", operation_id = "developerLimitRequestEvents",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Listed<LimitRequestEvent>)))]
#[get("/v1/developer/limit-requests/{id}/events")]
async fn developer_limit_request_events(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(listed(&request, super::developer_limit_request_events(&cx, id).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminLimitRequests", params(LimitRequestQuery),
    responses((status = 200, body = Collection<LimitRequest>)))]
#[get("/v1/admin/limit-requests")]
async fn admin_limit_requests(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<LimitRequestQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, review::admin_limit_requests(&cx, query.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminDeveloperLimitRequests",
    params(("id" = uuid::Uuid, Path), LimitRequestQuery),
    responses((status = 200, body = Collection<LimitRequest>)))]
#[get("/v1/admin/developers/{id}/limit-requests")]
async fn admin_developer_limit_requests(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<LimitRequestQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(paged(&request, review::admin_developer_limit_requests(&cx, id, query.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminLimitRequest", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<LimitRequest>)))]
#[get("/v1/admin/limit-requests/{id}")]
async fn admin_limit_request(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, review::admin_limit_request(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminReviewLimitRequest",
    params(("id" = uuid::Uuid, Path)), request_body = AdminReviewLimitRequestInput,
    responses((status = 200, body = Enveloped<LimitRequest>), (status = 409)))]
#[put("/v1/admin/limit-requests/{id}")]
async fn admin_review_limit_request(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminReviewLimitRequestInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, review::admin_review_limit_request(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "adminLimitRequestEvents",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Listed<LimitRequestEvent>)))]
#[get("/v1/admin/limit-requests/{id}/events")]
async fn admin_limit_request_events(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(listed(&request, review::admin_limit_request_events(&cx, id).await?))
}
