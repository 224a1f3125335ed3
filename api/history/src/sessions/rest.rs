//! REST routes of `sessions`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, QueryOf, ServiceConfig, paged_by_cursor_and_own_limit, single},
};

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
    // The number of rows is `per_page` here.
    Ok(paged_by_cursor_and_own_limit(&request, super::stream_history(&cx, filter.0).await?))
}

#[utoipa::path(tag = "history", operation_id = "streamHistoryFilterOptions",
    responses((status = 200, body = Enveloped<StreamHistoryFilterOptions>)))]
#[get("/v1/history/filter-options")]
async fn stream_history_filter_options(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::stream_history_filter_options(&cx).await?))
}
