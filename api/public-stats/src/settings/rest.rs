//! REST routes of `settings`.

use actix_web::{HttpRequest, Responder, get, put, web::Path};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, single},
};

use super::{PublicChannelSettings, UpdatePublicStatsChannelInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(public_stats_channels);
    config.service(update_public_stats_channel);
}

#[utoipa::path(tag = "public_stats", operation_id = "publicStatsChannels",
    responses((status = 200, body = Listed<PublicChannelSettings>)))]
#[get("/v1/public-stats/channels")]
async fn public_stats_channels(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::public_stats_channels(&cx).await?))
}

#[utoipa::path(tag = "public_stats", operation_id = "updatePublicStatsChannel",
    params(("platform" = String, Path)), request_body = UpdatePublicStatsChannelInput,
    responses((status = 200, body = Enveloped<PublicChannelSettings>)))]
#[put("/v1/public-stats/channels/{platform}")]
async fn update_public_stats_channel(
    cx: Cx,
    request: HttpRequest,
    platform: Path<String>,
    input: JsonBody<UpdatePublicStatsChannelInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::update_public_stats_channel(&cx, &platform, input.0).await?))
}
