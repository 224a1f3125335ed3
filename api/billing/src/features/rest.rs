//! Features and open platforms over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    access::FeatureStatus,
    http::{Listed, ServiceConfig, listed, path_uuid},
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(account_enabled_features);
    config.service(account_feature_statuses);
}

/// Routes without a credential.
pub fn public_routes(config: &mut ServiceConfig) {
    config.service(enabled_platforms);
}

#[utoipa::path(tag = "features", operation_id = "accountFeatures", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<String>)))]
#[get("/v1/accounts/{id}/enabled-features")]
async fn account_enabled_features(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let features = super::account_features(&cx, Some(path_uuid(&request, "id"))).await?;
    Ok(listed(&request, features.enabled_features))
}

/// Lists the status of every feature flag of the active account, with the reason why a flag is off.
#[utoipa::path(tag = "features", operation_id = "accountFeatureStatuses", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<FeatureStatus>)))]
#[get("/v1/accounts/{id}/feature-statuses")]
async fn account_feature_statuses(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let features = super::account_features(&cx, Some(path_uuid(&request, "id"))).await?;
    Ok(listed(&request, features.feature_statuses))
}

#[utoipa::path(tag = "features", operation_id = "enabledPlatforms", responses((status = 200, body = Listed<String>)))]
#[get("/v1/platforms/enabled")]
async fn enabled_platforms(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::enabled_platforms(&cx).await?))
}
