//! REST routes of `tokens`.

use actix_web::{HttpRequest, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, ServiceConfig, path_uuid, single},
};

use super::OverlayToken;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(overlay_token);
    config.service(rotate_overlay_token);
}

#[utoipa::path(tag = "overlays", operation_id = "overlayToken", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<OverlayToken>)))]
#[get("/v1/overlays/{id}/token")]
async fn overlay_token(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::overlay_token(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "rotateOverlayToken", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<OverlayToken>)))]
#[post("/v1/overlays/{id}/token/rotate")]
async fn rotate_overlay_token(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::rotate_overlay_token(&cx, path_uuid(&request, "id")).await?))
}
