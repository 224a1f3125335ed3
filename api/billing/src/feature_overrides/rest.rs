//! Feature overrides of accounts over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, path_uuid, single},
};

use super::{AccountFeatureOverride, AdminSetAccountFeatureOverrideInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_account_feature_overrides);
    config.service(admin_set_account_feature_override);
    config.service(admin_remove_account_feature_override);
}

#[utoipa::path(tag = "features", operation_id = "adminAccountFeatureOverrides",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Listed<AccountFeatureOverride>)))]
#[get("/v1/admin/accounts/{id}/feature-overrides")]
async fn admin_account_feature_overrides(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_account_feature_overrides(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "features", operation_id = "adminSetAccountFeatureOverride",
    params(("id" = uuid::Uuid, Path)), request_body = AdminSetAccountFeatureOverrideInput,
    responses((status = 200, body = Enveloped<AccountFeatureOverride>)))]
#[put("/v1/admin/accounts/{id}/feature-overrides")]
async fn admin_set_account_feature_override(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminSetAccountFeatureOverrideInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_set_account_feature_override(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "features", operation_id = "adminRemoveAccountFeatureOverride",
    params(("id" = uuid::Uuid, Path), ("feature_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/admin/accounts/{id}/feature-overrides/{feature_id}")]
async fn admin_remove_account_feature_override(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (id, feature_id) = (path_uuid(&request, "id"), path_uuid(&request, "feature_id"));
    super::admin_remove_account_feature_override(&cx, id, feature_id).await?;
    Ok(HttpResponse::NoContent().finish())
}
