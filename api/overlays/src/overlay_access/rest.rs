//! REST routes of `overlay_access`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, path_uuid, single},
};

use super::OverlayAccessEntry;
use surfaces::object_access::{AccessCandidate, SetAccessInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(overlay_access);
    config.service(overlay_access_candidates);
    config.service(set_overlay_access);
    config.service(remove_overlay_access);
}

#[utoipa::path(tag = "overlays", operation_id = "overlayAccess", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<OverlayAccessEntry>)))]
#[get("/v1/overlays/{id}/access")]
async fn overlay_access(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::overlay_access(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "overlayAccessCandidates", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<AccessCandidate>)))]
#[get("/v1/overlays/{id}/access/candidates")]
async fn overlay_access_candidates(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::overlay_access_candidates(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "setOverlayAccess",
    params(("id" = uuid::Uuid, Path), ("user_id" = uuid::Uuid, Path)), request_body = SetAccessInput,
    responses((status = 200, body = Enveloped<OverlayAccessEntry>)))]
#[put("/v1/overlays/{id}/access/{user_id}")]
async fn set_overlay_access(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetAccessInput>,
) -> Result<impl Responder> {
    let (id, user) = (path_uuid(&request, "id"), path_uuid(&request, "user_id"));
    Ok(single(&request, super::set_overlay_access(&cx, id, user, input.0).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "removeOverlayAccess",
    params(("id" = uuid::Uuid, Path), ("user_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/overlays/{id}/access/{user_id}")]
async fn remove_overlay_access(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (id, user) = (path_uuid(&request, "id"), path_uuid(&request, "user_id"));
    super::remove_overlay_access(&cx, id, user).await?;
    Ok(HttpResponse::NoContent().finish())
}
