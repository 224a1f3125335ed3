//! REST routes of `music`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, QueryOf, ServiceConfig, paged, path_uuid, single},
};

use super::{MusicCheck, MusicCheckQuery, MusicSong, MusicSongsQuery};

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(music_songs);
    config.service(music_song);
    config.service(music_check);
}

#[utoipa::path(tag = "copyright", operation_id = "musicSongs", params(MusicSongsQuery),
    responses((status = 200, body = Collection<MusicSong>)))]
#[get("/v1/music/songs")]
async fn music_songs(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<MusicSongsQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::music_songs(&cx, query.0).await?))
}

#[utoipa::path(tag = "copyright", operation_id = "musicSong", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<MusicSong>)))]
#[get("/v1/music/songs/{id}")]
async fn music_song(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::music_song(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "copyright", operation_id = "musicCheck", params(MusicCheckQuery),
    responses((status = 200, body = Enveloped<MusicCheck>)))]
#[get("/v1/music/check")]
async fn music_check(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<MusicCheckQuery>,
) -> Result<impl Responder> {
    Ok(single(&request, super::music_check(&cx, query.0).await?))
}
