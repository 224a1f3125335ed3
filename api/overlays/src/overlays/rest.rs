//! REST routes of `overlays`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateOverlayInput, Overlay, OverlayChanges};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(overlays);
    config.service(create_overlay);
    config.service(overlay);
    config.service(update_overlay);
    config.service(delete_overlay);
    config.service(duplicate_overlay);
}

#[utoipa::path(tag = "overlays", operation_id = "overlays", responses((status = 200, body = Listed<Overlay>)))]
#[get("/v1/overlays")]
async fn overlays(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::overlays(&cx).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "createOverlay", request_body = CreateOverlayInput,
    responses((status = 201, body = Enveloped<Overlay>)))]
#[post("/v1/overlays")]
async fn create_overlay(cx: Cx, input: JsonBody<CreateOverlayInput>) -> Result<HttpResponse> {
    let made = super::create_overlay(&cx, input.0).await?;
    Ok(created(format!("/v1/overlays/{}", made.id), made))
}

#[utoipa::path(tag = "overlays", operation_id = "overlay", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Overlay>)))]
#[get("/v1/overlays/{id}")]
async fn overlay(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::overlay(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "updateOverlay", params(("id" = uuid::Uuid, Path)),
    request_body = OverlayChanges, responses((status = 200, body = Enveloped<Overlay>)))]
#[patch("/v1/overlays/{id}")]
async fn update_overlay(
    cx: Cx,
    request: HttpRequest,
    changes: JsonBody<OverlayChanges>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_overlay(&cx, id, changes.0).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "deleteOverlay", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/overlays/{id}")]
async fn delete_overlay(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_overlay(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "overlays", operation_id = "duplicateOverlay", params(("id" = uuid::Uuid, Path)),
    responses((status = 201, body = Enveloped<Overlay>)))]
#[post("/v1/overlays/{id}/duplicate")]
async fn duplicate_overlay(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let made = super::duplicate_overlay(&cx, path_uuid(&request, "id")).await?;
    Ok(created(format!("/v1/overlays/{}", made.id), made))
}
