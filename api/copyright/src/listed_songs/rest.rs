//! REST routes of `listed_songs`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged, path_uuid},
};

use super::{ListedSong, ListedSongsQuery};
use crate::songs::CopyrightSongInput;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(safe_songs);
    config.service(add_safe_song);
    config.service(delete_safe_song);
    config.service(blocked_songs);
    config.service(add_blocked_song);
    config.service(delete_blocked_song);
}

#[utoipa::path(tag = "copyright", operation_id = "safeSongs", params(ListedSongsQuery),
    responses((status = 200, body = Collection<ListedSong>)))]
#[get("/v1/copyright/safe-songs")]
async fn safe_songs(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<ListedSongsQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::safe_songs(&cx, query.0).await?))
}

#[utoipa::path(tag = "copyright", operation_id = "addSafeSong", request_body = CopyrightSongInput,
    responses((status = 201, body = Enveloped<ListedSong>)))]
#[post("/v1/copyright/safe-songs")]
async fn add_safe_song(cx: Cx, input: JsonBody<CopyrightSongInput>) -> Result<HttpResponse> {
    let song = super::add_safe_song(&cx, input.0).await?;
    Ok(created(format!("/v1/copyright/safe-songs/{}", song.id), song))
}

#[utoipa::path(tag = "copyright", operation_id = "deleteSafeSong", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/copyright/safe-songs/{id}")]
async fn delete_safe_song(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_safe_song(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "copyright", operation_id = "blockedSongs", params(ListedSongsQuery),
    responses((status = 200, body = Collection<ListedSong>)))]
#[get("/v1/copyright/blocked-songs")]
async fn blocked_songs(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<ListedSongsQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::blocked_songs(&cx, query.0).await?))
}

#[utoipa::path(tag = "copyright", operation_id = "addBlockedSong", request_body = CopyrightSongInput,
    responses((status = 201, body = Enveloped<ListedSong>)))]
#[post("/v1/copyright/blocked-songs")]
async fn add_blocked_song(cx: Cx, input: JsonBody<CopyrightSongInput>) -> Result<HttpResponse> {
    let song = super::add_blocked_song(&cx, input.0).await?;
    Ok(created(format!("/v1/copyright/blocked-songs/{}", song.id), song))
}

#[utoipa::path(tag = "copyright", operation_id = "deleteBlockedSong", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/copyright/blocked-songs/{id}")]
async fn delete_blocked_song(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_blocked_song(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
