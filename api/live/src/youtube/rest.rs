//! REST routes of YouTube.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, ServiceConfig, listed},
};

use super::{MembershipTier, YoutubeStream};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(youtube_membership_tiers);
    config.service(youtube_active_streams);
}

#[utoipa::path(tag = "youtube", operation_id = "youtubeMembershipTiers",
    responses((status = 200, body = Listed<MembershipTier>)))]
#[get("/v1/youtube/memberships/tiers")]
async fn youtube_membership_tiers(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::youtube_membership_tiers(&cx).await?))
}

#[utoipa::path(tag = "youtube", operation_id = "youtubeActiveStreams",
    responses((status = 200, body = Listed<YoutubeStream>), (status = 409)))]
#[get("/v1/youtube/active-streams")]
async fn youtube_active_streams(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::youtube_active_streams(&cx).await?))
}
