//! REST routes of `library`.

use actix_web::{HttpRequest, Responder, get, post, web::Json};
use api_core::{
    Cx, Result,
    http::{Listed, QueryOf, ServiceConfig, Success, listed},
};

use super::SpotifySearchQuery;
use crate::spotify::{SpotifyPlaylist, SpotifyTrack};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(spotify_playlists);
    config.service(spotify_play_playlist);
    config.service(spotify_search);
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyPlaylists",
    responses((status = 200, body = Listed<SpotifyPlaylist>), (status = 400), (status = 404), (status = 409)))]
#[get("/v1/spotify/playlists")]
async fn spotify_playlists(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::spotify_playlists(&cx).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifyPlayPlaylist",
    params(("id" = String, Path, description = "Id of the playlist at Spotify.")),
    responses((status = 200, body = Success), (status = 400), (status = 404), (status = 409)))]
#[post("/v1/spotify/playlists/{id}/play")]
async fn spotify_play_playlist(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(Json(super::spotify_play_playlist(&cx, request.match_info().query("id")).await?))
}

#[utoipa::path(tag = "spotify", operation_id = "spotifySearch", params(SpotifySearchQuery),
    responses((status = 200, body = Listed<SpotifyTrack>), (status = 404), (status = 409)))]
#[get("/v1/spotify/search")]
async fn spotify_search(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<SpotifySearchQuery>,
) -> Result<impl Responder> {
    Ok(listed(&request, super::spotify_search(&cx, query.0).await?))
}
