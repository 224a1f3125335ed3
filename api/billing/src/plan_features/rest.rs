//! Features of plans over REST.

use actix_web::{HttpRequest, Responder, get, put};
use api_core::{
    Cx, Result,
    http::{JsonBody, Listed, ServiceConfig, listed, path_uuid},
};

use super::{AdminPlanFeature, AdminSetPlanFeatureInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_plan_features);
    config.service(admin_set_plan_feature);
}

#[utoipa::path(tag = "features", operation_id = "adminPlanFeatures", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<AdminPlanFeature>)))]
#[get("/v1/admin/plans/{id}/features")]
async fn admin_plan_features(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_plan_features(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "features", operation_id = "adminSetPlanFeature", params(("id" = uuid::Uuid, Path)),
    request_body = AdminSetPlanFeatureInput, responses((status = 200, body = Listed<AdminPlanFeature>)))]
#[put("/v1/admin/plans/{id}/features")]
async fn admin_set_plan_feature(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminSetPlanFeatureInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(listed(&request, super::admin_set_plan_feature(&cx, id, input.0).await?))
}
