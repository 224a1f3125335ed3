//! REST routes of `streams`.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use api_core::{
    Cx, Result,
    http::{Enveloped, ServiceConfig, single},
};

use super::{PublicStreamStats, StreamPath};
use crate::responses::tagged;

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(public_stream_stats);
}

#[utoipa::path(tag = "public_stats", operation_id = "publicStreamStats",
    params(("platform" = String, Path), ("broadcast_id" = String, Path)),
    responses((status = 200, body = Enveloped<PublicStreamStats>), (status = 304)))]
#[get("/v1/public-stats/streams/{platform}/{broadcast_id}")]
async fn public_stream_stats(
    cx: Cx,
    request: HttpRequest,
    names: Path<(String, String)>,
) -> Result<HttpResponse> {
    let (platform, broadcast_id) = names.into_inner();
    let path = StreamPath { platform: &platform, broadcast_id: &broadcast_id };
    let stats = super::public_stream_stats(&cx, path).await?;
    tagged(&request, &single(&request, &*stats).0)
}
