//! REST routes of `playlists`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CopyrightPlaylistImport, CopyrightPlaylistSync, ImportCopyrightPlaylistInput, Imported};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(import_copyright_playlist);
    config.service(copyright_playlist_syncs);
    config.service(delete_copyright_playlist_sync);
}

#[utoipa::path(tag = "copyright", operation_id = "importCopyrightPlaylist",
    request_body = ImportCopyrightPlaylistInput,
    responses(
        (status = 201, body = Enveloped<CopyrightPlaylistImport>),
        (status = 200, description = "The account followed the playlist before.",
            body = Enveloped<CopyrightPlaylistImport>),
    ))]
#[post("/v1/copyright/import")]
async fn import_copyright_playlist(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ImportCopyrightPlaylistInput>,
) -> Result<HttpResponse> {
    let Imported { import, is_new } = super::import_copyright_playlist(&cx, input.0).await?;
    if is_new {
        return Ok(created("/v1/copyright/playlist-syncs".to_owned(), import));
    }
    Ok(single(&request, import).respond_to(&request).map_into_boxed_body())
}

#[utoipa::path(tag = "copyright", operation_id = "copyrightPlaylistSyncs",
    responses((status = 200, body = Listed<CopyrightPlaylistSync>)))]
#[get("/v1/copyright/playlist-syncs")]
async fn copyright_playlist_syncs(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::copyright_playlist_syncs(&cx).await?))
}

#[utoipa::path(tag = "copyright", operation_id = "deleteCopyrightPlaylistSync",
    params(("id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/copyright/playlist-syncs/{id}")]
async fn delete_copyright_playlist_sync(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_copyright_playlist_sync(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
