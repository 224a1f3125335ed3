//! Limits over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, ServiceConfig, listed},
};

use super::PresentLimit;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(limits);
}

#[utoipa::path(tag = "accounts", operation_id = "limits",
    responses((status = 200, body = Listed<PresentLimit>)))]
#[get("/v1/limits")]
async fn limits(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::limits(&cx).await?))
}
