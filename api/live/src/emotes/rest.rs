//! REST routes of emotes.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Enveloped, ServiceConfig, single},
};

use super::EmoteSets;

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(user_emotes);
    config.service(channel_emotes);
}

#[utoipa::path(tag = "chat", operation_id = "userEmotes", responses((status = 200, body = Enveloped<EmoteSets>)))]
#[get("/v1/emotes/user")]
async fn user_emotes(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::user_emotes(&cx).await?))
}

#[utoipa::path(tag = "chat", operation_id = "channelEmotes",
    params(("platform" = String, Path, description = "`twitch`, `youtube`, `kick`, `trovo`, or `discord` for a server."),
        ("channel_id" = String, Path, description = "The platform's id of the channel or server.")),
    responses((status = 200, body = Enveloped<EmoteSets>)))]
#[get("/v1/emotes/{platform}/{channel_id}")]
async fn channel_emotes(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let path = request.match_info();
    let sets = super::channel_emotes(&cx, path.query("platform"), path.query("channel_id")).await?;
    Ok(single(&request, sets))
}
