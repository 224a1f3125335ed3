//! REST route of `checks`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Enveloped, QueryOf, ServiceConfig, single},
};

use super::{CheckSongQuery, CopyrightCheck};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(check_song);
}

#[utoipa::path(tag = "copyright", operation_id = "checkSong", params(CheckSongQuery),
    responses((status = 200, body = Enveloped<CopyrightCheck>)))]
#[get("/v1/copyright/check")]
async fn check_song(cx: Cx, request: HttpRequest, query: QueryOf<CheckSongQuery>) -> Result<impl Responder> {
    Ok(single(&request, super::check_song(&cx, query.0).await?))
}
