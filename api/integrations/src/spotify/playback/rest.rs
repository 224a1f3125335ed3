//! REST routes of `playback`.

use actix_web::{HttpRequest, Responder, get, post, put, web::Json};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, Success, single},
};

use super::{
    SpotifyAddToQueueInput, SpotifyPlayInput, SpotifyRepeatInput, SpotifySeekInput, SpotifySetDeviceInput,
    SpotifySetVolumeInput, SpotifyShuffleInput, SpotifyState,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(spotify_state);
    config.service(spotify_play);
    config.service(spotify_pause);
    config.service(spotify_next);
    config.service(spotify_previous);
    config.service(spotify_seek);
    config.service(spotify_shuffle);
    config.service(spotify_repeat);
    config.service(spotify_set_volume);
    config.service(spotify_add_to_queue);
    config.service(spotify_set_device);
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyState",
    responses((status = 200, body = Enveloped<SpotifyState>), (status = 400), (status = 404), (status = 409)))]
#[get("/v1/spotify/state")]
async fn spotify_state(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::spotify_state(&cx).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyPlay", request_body = SpotifyPlayInput,
    responses((status = 200, body = Success), (status = 404), (status = 409)))]
#[post("/v1/spotify/play")]
async fn spotify_play(cx: Cx, input: JsonBody<SpotifyPlayInput>) -> Result<impl Responder> {
    Ok(Json(super::spotify_play(&cx, input.0).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyPause",
    responses((status = 200, body = Success), (status = 400), (status = 404), (status = 409)))]
#[post("/v1/spotify/pause")]
async fn spotify_pause(cx: Cx) -> Result<impl Responder> {
    Ok(Json(super::spotify_pause(&cx).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyNext",
    responses((status = 200, body = Success), (status = 400), (status = 404), (status = 409)))]
#[post("/v1/spotify/next")]
async fn spotify_next(cx: Cx) -> Result<impl Responder> {
    Ok(Json(super::spotify_next(&cx).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyPrevious",
    responses((status = 200, body = Success), (status = 400), (status = 404), (status = 409)))]
#[post("/v1/spotify/previous")]
async fn spotify_previous(cx: Cx) -> Result<impl Responder> {
    Ok(Json(super::spotify_previous(&cx).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifySeek", request_body = SpotifySeekInput,
    responses((status = 200, body = Success), (status = 404), (status = 409)))]
#[post("/v1/spotify/seek")]
async fn spotify_seek(cx: Cx, input: JsonBody<SpotifySeekInput>) -> Result<impl Responder> {
    Ok(Json(super::spotify_seek(&cx, input.0).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyShuffle", request_body = SpotifyShuffleInput,
    responses((status = 200, body = Success), (status = 404), (status = 409)))]
#[post("/v1/spotify/shuffle")]
async fn spotify_shuffle(cx: Cx, input: JsonBody<SpotifyShuffleInput>) -> Result<impl Responder> {
    Ok(Json(super::spotify_shuffle(&cx, input.0).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyRepeat", request_body = SpotifyRepeatInput,
    responses((status = 200, body = Success), (status = 404), (status = 409)))]
#[post("/v1/spotify/repeat")]
async fn spotify_repeat(cx: Cx, input: JsonBody<SpotifyRepeatInput>) -> Result<impl Responder> {
    Ok(Json(super::spotify_repeat(&cx, input.0).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifySetVolume", request_body = SpotifySetVolumeInput,
    responses((status = 200, body = Success), (status = 404), (status = 409)))]
#[put("/v1/spotify/volume")]
async fn spotify_set_volume(cx: Cx, input: JsonBody<SpotifySetVolumeInput>) -> Result<impl Responder> {
    Ok(Json(super::spotify_set_volume(&cx, input.0).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyAddToQueue", request_body = SpotifyAddToQueueInput,
    responses((status = 200, body = Success), (status = 404), (status = 409)))]
#[post("/v1/spotify/queue")]
async fn spotify_add_to_queue(cx: Cx, input: JsonBody<SpotifyAddToQueueInput>) -> Result<impl Responder> {
    Ok(Json(super::spotify_add_to_queue(&cx, input.0).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifySetDevice", request_body = SpotifySetDeviceInput,
    responses((status = 200, body = Success), (status = 404), (status = 409)))]
#[post("/v1/spotify/device")]
async fn spotify_set_device(cx: Cx, input: JsonBody<SpotifySetDeviceInput>) -> Result<impl Responder> {
    Ok(Json(super::spotify_set_device(&cx, input.0).await?))
}
