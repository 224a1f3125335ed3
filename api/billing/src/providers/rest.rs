//! Providers over REST.

use actix_web::{HttpRequest, Responder, get, patch, web::Path};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, single},
};

use super::AdminProvider;
use crate::platforms::PlatformSwitchesInput;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_providers);
    config.service(admin_update_provider);
}

#[utoipa::path(tag = "features", operation_id = "adminProviders",
    responses((status = 200, body = Listed<AdminProvider>)))]
#[get("/v1/admin/providers")]
async fn admin_providers(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_providers(&cx).await?))
}

#[utoipa::path(tag = "features", operation_id = "adminUpdateProvider", params(("platform" = String, Path)),
    request_body = PlatformSwitchesInput, responses((status = 200, body = Enveloped<AdminProvider>)))]
#[patch("/v1/admin/providers/{platform}")]
async fn admin_update_provider(
    cx: Cx,
    request: HttpRequest,
    platform: Path<String>,
    input: JsonBody<PlatformSwitchesInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::admin_update_provider(&cx, Ok(platform.into_inner()), input.0).await?))
}
