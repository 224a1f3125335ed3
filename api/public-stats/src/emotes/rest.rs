//! REST routes of `emotes`.

use actix_web::{HttpRequest, HttpResponse, get};
use api_core::{
    Cx, Result,
    http::{Collection, QueryOf, ServiceConfig, paged},
};

use super::{PublicEmote, PublicStatsEmotesFilter};
use crate::responses::tagged_part;

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(public_stats_emotes);
}

#[utoipa::path(tag = "public_stats", operation_id = "publicStatsEmotes", params(PublicStatsEmotesFilter),
    responses((status = 200, body = Collection<PublicEmote>), (status = 304)))]
#[get("/v1/public-stats/emotes")]
async fn public_stats_emotes(
    cx: Cx,
    request: HttpRequest,
    filter: QueryOf<PublicStatsEmotesFilter>,
) -> Result<HttpResponse> {
    tagged_part(&request, &paged(&request, super::public_stats_emotes(&cx, filter.0).await?))
}
