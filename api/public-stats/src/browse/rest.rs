//! REST routes of `browse`.

use actix_web::{HttpRequest, HttpResponse, get};
use api_core::{
    Cx, Result,
    http::{Collection, QueryOf, ServiceConfig, paged},
};

use super::{PublicChannel, PublicStatsBrowseFilter};
use crate::responses::tagged_part;

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(public_stats_browse);
}

#[utoipa::path(tag = "public_stats", operation_id = "publicStatsBrowse", params(PublicStatsBrowseFilter),
    responses((status = 200, body = Collection<PublicChannel>), (status = 304)))]
#[get("/v1/public-stats/browse")]
async fn public_stats_browse(
    cx: Cx,
    request: HttpRequest,
    filter: QueryOf<PublicStatsBrowseFilter>,
) -> Result<HttpResponse> {
    tagged_part(&request, &paged(&request, super::public_stats_browse(&cx, filter.0).await?))
}
