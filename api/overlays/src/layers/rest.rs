//! REST routes of `layers`.

use actix_web::{HttpRequest, Responder, get, patch, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, path_uuid, single},
};

use super::{OverlayLayer, UpdateOverlayLayerInput, UpdateOverlayLayersInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(overlay_layers);
    config.service(update_overlay_layers);
    config.service(update_overlay_layer);
}

#[utoipa::path(tag = "overlays", operation_id = "overlayLayers", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<OverlayLayer>)))]
#[get("/v1/overlays/{id}/layers")]
async fn overlay_layers(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::overlay_layers(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "updateOverlayLayers", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateOverlayLayersInput, responses((status = 200, body = Listed<OverlayLayer>)))]
#[put("/v1/overlays/{id}/layers")]
async fn update_overlay_layers(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateOverlayLayersInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(listed(&request, super::update_overlay_layers(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "overlays", operation_id = "updateOverlayLayer",
    params(("id" = uuid::Uuid, Path), ("layer_id" = uuid::Uuid, Path)),
    request_body = UpdateOverlayLayerInput, responses((status = 200, body = Enveloped<OverlayLayer>)))]
#[patch("/v1/overlays/{id}/layers/{layer_id}")]
async fn update_overlay_layer(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateOverlayLayerInput>,
) -> Result<impl Responder> {
    let (id, layer) = (path_uuid(&request, "id"), path_uuid(&request, "layer_id"));
    Ok(single(&request, super::update_overlay_layer(&cx, id, layer, input.0).await?))
}
