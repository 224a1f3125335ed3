//! REST routes of `channels`.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use api_core::{
    Cx, Result,
    http::{Enveloped, Linked, Listed, PartLinks, QueryOf, ServiceConfig, listed, single},
};

use super::{
    ChannelPath, ProfileHistoryQuery, PublicChannelStats, PublicChannelTrends, PublicPanel,
    PublicProfileChange, TrendsQuery, history::DEFAULT_LIMIT,
};
use crate::responses::{tagged, tagged_part};

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(public_channel_stats);
    config.service(public_channel_profile_history);
    config.service(public_channel_trends);
    config.service(public_channel_panel_history);
}

fn path(names: &(String, String)) -> ChannelPath<'_> {
    ChannelPath { platform: &names.0, channel: &names.1 }
}

#[utoipa::path(tag = "public_stats", operation_id = "publicChannelStats",
    params(("platform" = String, Path), ("channel" = String, Path, description = "Id or login.")),
    responses((status = 200, body = Enveloped<PublicChannelStats>), (status = 304)))]
#[get("/v1/public-stats/channels/{platform}/{channel}")]
async fn public_channel_stats(
    cx: Cx,
    request: HttpRequest,
    names: Path<(String, String)>,
) -> Result<HttpResponse> {
    let stats = super::public_channel_stats(&cx, path(&names)).await?;
    tagged(&request, &single(&request, &*stats).0)
}

#[utoipa::path(tag = "public_stats", operation_id = "publicChannelProfileHistory",
    params(("platform" = String, Path), ("channel" = String, Path, description = "Id or login."), ProfileHistoryQuery),
    responses((status = 200, body = Listed<PublicProfileChange>), (status = 304)))]
#[get("/v1/public-stats/channels/{platform}/{channel}/profile-history")]
async fn public_channel_profile_history(
    cx: Cx,
    request: HttpRequest,
    names: Path<(String, String)>,
    query: QueryOf<ProfileHistoryQuery>,
) -> Result<HttpResponse> {
    let changes = super::public_channel_profile_history(&cx, path(&names), query.0).await?;
    let links = PartLinks::by_offset(&request, DEFAULT_LIMIT, changes.len(), None);
    tagged_part(&request, &Linked { body: listed(&request, changes.to_vec()).0, links })
}

#[utoipa::path(tag = "public_stats", operation_id = "publicChannelTrends",
    params(("platform" = String, Path), ("channel" = String, Path, description = "Id or login."), TrendsQuery),
    responses((status = 200, body = Enveloped<PublicChannelTrends>), (status = 304)))]
#[get("/v1/public-stats/channels/{platform}/{channel}/trends")]
async fn public_channel_trends(
    cx: Cx,
    request: HttpRequest,
    names: Path<(String, String)>,
    query: QueryOf<TrendsQuery>,
) -> Result<HttpResponse> {
    let trends = super::public_channel_trends(&cx, path(&names), query.0).await?;
    tagged(&request, &single(&request, &*trends).0)
}

#[utoipa::path(tag = "public_stats", operation_id = "publicChannelPanelHistory",
    params(("platform" = String, Path), ("channel" = String, Path, description = "Id or login.")),
    responses((status = 200, body = Listed<PublicPanel>), (status = 304)))]
#[get("/v1/public-stats/channels/{platform}/{channel}/panel-history")]
async fn public_channel_panel_history(
    cx: Cx,
    request: HttpRequest,
    names: Path<(String, String)>,
) -> Result<HttpResponse> {
    let panels = super::public_channel_panel_history(&cx, path(&names)).await?;
    tagged(&request, &listed(&request, panels.to_vec()).0)
}
