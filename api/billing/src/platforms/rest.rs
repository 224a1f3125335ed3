//! Switches of platforms over REST.

use actix_web::{HttpRequest, Responder, get, patch, web::Path};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, single},
};

use super::{AdminPlatform, PlatformSwitchesInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_platforms);
    config.service(admin_update_platform);
}

#[utoipa::path(tag = "features", operation_id = "adminPlatforms",
    responses((status = 200, body = Listed<AdminPlatform>)))]
#[get("/v1/admin/platforms")]
async fn admin_platforms(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_platforms(&cx).await?))
}

#[utoipa::path(tag = "features", operation_id = "adminUpdatePlatform", params(("platform" = String, Path)),
    request_body = PlatformSwitchesInput, responses((status = 200, body = Enveloped<AdminPlatform>)))]
#[patch("/v1/admin/platforms/{platform}")]
async fn admin_update_platform(
    cx: Cx,
    request: HttpRequest,
    platform: Path<String>,
    input: JsonBody<PlatformSwitchesInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::admin_update_platform(&cx, Ok(platform.into_inner()), input.0).await?))
}
