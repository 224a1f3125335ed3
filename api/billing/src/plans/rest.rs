//! Plans over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{AdminCreatePlanInput, AdminPlan, AdminUpdatePlanInput, BillingPlan};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_plans);
    config.service(admin_create_plan);
    config.service(admin_plan);
    config.service(admin_update_plan);
    config.service(admin_delete_plan);
}

/// Routes without a credential.
pub fn public_routes(config: &mut ServiceConfig) {
    config.service(plans);
}

#[utoipa::path(tag = "plans", operation_id = "plans", responses((status = 200, body = Listed<BillingPlan>)))]
#[get("/v1/plans")]
async fn plans(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::plans(&cx).await?))
}

#[utoipa::path(tag = "plans", operation_id = "adminPlans", responses((status = 200, body = Listed<AdminPlan>)))]
#[get("/v1/admin/plans")]
async fn admin_plans(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_plans(&cx).await?))
}

#[utoipa::path(tag = "plans", operation_id = "adminCreatePlan", request_body = AdminCreatePlanInput,
    responses((status = 201, body = Enveloped<AdminPlan>)))]
#[post("/v1/admin/plans")]
async fn admin_create_plan(cx: Cx, input: JsonBody<AdminCreatePlanInput>) -> Result<HttpResponse> {
    let plan = super::admin_create_plan(&cx, input.0).await?;
    Ok(created(format!("/v1/admin/plans/{}", plan.id), plan))
}

#[utoipa::path(tag = "plans", operation_id = "adminPlan", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AdminPlan>)))]
#[get("/v1/admin/plans/{id}")]
async fn admin_plan(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_plan(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "plans", operation_id = "adminUpdatePlan", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpdatePlanInput, responses((status = 200, body = Enveloped<AdminPlan>)))]
#[patch("/v1/admin/plans/{id}")]
async fn admin_update_plan(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdatePlanInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_update_plan(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "plans", operation_id = "adminDeletePlan", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/plans/{id}")]
async fn admin_delete_plan(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_delete_plan(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
