//! REST routes of `credential_modes`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, ServiceConfig, listed},
};

use super::PlatformCredentialMode;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(platform_credential_modes);
}

#[utoipa::path(tag = "connections", operation_id = "platformCredentialModes",
    responses((status = 200, body = Listed<PlatformCredentialMode>)))]
#[get("/v1/connections/credential-modes")]
async fn platform_credential_modes(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::platform_credential_modes(&cx).await?))
}
