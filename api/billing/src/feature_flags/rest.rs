//! Feature flags over REST.

use actix_web::{HttpRequest, Responder, get, patch};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, listed, path_uuid, single},
};

use super::{AdminUpdateFeatureFlagInput, FeatureFlag, FeatureFlagQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_feature_flags);
    config.service(admin_update_feature_flag);
}

#[utoipa::path(tag = "features", operation_id = "adminFeatureFlags", params(FeatureFlagQuery),
    responses((status = 200, body = Listed<FeatureFlag>)))]
#[get("/v1/admin/feature-flags")]
async fn admin_feature_flags(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<FeatureFlagQuery>,
) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_feature_flags(&cx, query.0).await?))
}

#[utoipa::path(tag = "features", operation_id = "adminUpdateFeatureFlag", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpdateFeatureFlagInput, responses((status = 200, body = Enveloped<FeatureFlag>)))]
#[patch("/v1/admin/feature-flags/{id}")]
async fn admin_update_feature_flag(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdateFeatureFlagInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_update_feature_flag(&cx, id, input.0).await?))
}
