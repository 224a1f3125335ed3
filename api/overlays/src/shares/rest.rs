//! REST routes of `shares`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid},
};

use super::{CreateOverlayShareInput, CreatedOverlayShare, OverlayShare};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(overlay_shares);
    config.service(create_overlay_share);
    config.service(revoke_overlay_share);
}

#[utoipa::path(tag = "overlays", operation_id = "overlayShares", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<OverlayShare>)))]
#[get("/v1/overlays/{id}/shares")]
async fn overlay_shares(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::overlay_shares(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "createOverlayShare", params(("id" = uuid::Uuid, Path)),
    request_body = CreateOverlayShareInput, responses((status = 201, body = Enveloped<CreatedOverlayShare>)))]
#[post("/v1/overlays/{id}/shares")]
async fn create_overlay_share(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateOverlayShareInput>,
) -> Result<HttpResponse> {
    let share = super::create_overlay_share(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("/v1/overlay-shares/{}", share.id), share))
}

#[utoipa::path(tag = "overlays", operation_id = "revokeOverlayShare", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/overlay-shares/{id}")]
async fn revoke_overlay_share(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::revoke_overlay_share(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
