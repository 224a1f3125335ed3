//! REST routes of `manual_connect`.

use actix_web::{HttpRequest, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, ServiceConfig, single},
};

use super::SpotifyManualConnect;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(spotify_manual_connect);
    config.service(start_spotify_manual_connect);
    config.service(stop_spotify_manual_connect);
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyManualConnect",
    responses((status = 200, body = Enveloped<SpotifyManualConnect>), (status = 404)))]
#[get("/v1/spotify/manual-connect")]
async fn spotify_manual_connect(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::spotify_manual_connect(&cx).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "startSpotifyManualConnect",
    responses((status = 200, body = Enveloped<SpotifyManualConnect>), (status = 404)))]
#[post("/v1/spotify/manual-connect")]
async fn start_spotify_manual_connect(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::start_spotify_manual_connect(&cx).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "stopSpotifyManualConnect",
    responses((status = 200, body = Enveloped<SpotifyManualConnect>), (status = 404)))]
#[delete("/v1/spotify/manual-connect")]
async fn stop_spotify_manual_connect(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::stop_spotify_manual_connect(&cx).await?))
}
