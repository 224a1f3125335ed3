//! REST routes of `sessions`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, QueryOf, paged, single},
};
use utoipa_actix_web::service_config::ServiceConfig;

use super::{StreamHistoryFilter, StreamHistoryFilterOptions};
use crate::StreamSession;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(stream_history);
    config.service(stream_history_filter_options);
}

#[utoipa::path(tag = "history", operation_id = "streamHistory", params(StreamHistoryFilter),
    responses((status = 200, body = Collection<StreamSession>)))]
#[get("/v1/history")]
async fn stream_history(
    cx: Cx,
    request: HttpRequest,
    filter: QueryOf<StreamHistoryFilter>,
) -> Result<impl Responder> {
    let mut page = paged(&request, super::stream_history(&cx, filter.0).await?);
    let limit = page.meta.limit;
    let links = &mut page.links;
    for link in [Some(&mut links.first), links.prev.as_mut(), links.next.as_mut(), Some(&mut links.last)] {
        link.into_iter().for_each(|link| use_per_page(link, limit));
    }
    Ok(page)
}

#[utoipa::path(tag = "history", operation_id = "streamHistoryFilterOptions",
    responses((status = 200, body = Enveloped<StreamHistoryFilterOptions>)))]
#[get("/v1/history/filter-options")]
async fn stream_history_filter_options(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::stream_history_filter_options(&cx).await?))
}

/// Removes the parameter `limit` that links of pages end with. The number of rows is `per_page` here, which a
/// link has kept from the request.
fn use_per_page(link: &mut String, limit: i64) {
    if let Some(rest) = link.strip_suffix(&format!("&limit={limit}")) {
        *link = rest.to_owned();
    }
}
