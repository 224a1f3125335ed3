//! REST routes of `channel_connections`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, listed, path_uuid, single},
};
use connection_access::{self as connections, ChannelConnection};

use super::{ChannelReconnectFlagInput, ChannelStatus, ConnectionStatus, FlaggedConnection, ProvidersQuery};
use crate::oauth::{AuthorizeInput, OauthAuthorization};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(connection_statuses);
    config.service(channel_connections);
    config.service(authorize_channel);
    config.service(disconnect_channel);
    config.service(set_channel_reconnect_flag);
    config.service(flagged_connections);
    config.service(channel_status);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig) {
    config.service(enabled_providers);
}

#[utoipa::path(tag = "connections", operation_id = "connectionStatuses",
    responses((status = 200, body = Listed<ConnectionStatus>)))]
#[get("/v1/connections/status")]
async fn connection_statuses(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::connection_statuses(&cx).await?))
}

#[utoipa::path(tag = "connections", operation_id = "channelConnections",
    responses((status = 200, body = Listed<ChannelConnection>)))]
#[get("/v1/connections/channel")]
async fn channel_connections(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, connections::channel_connections(&cx).await?))
}

#[utoipa::path(tag = "connections", operation_id = "authorizeChannel", params(("platform" = String, Path)),
    request_body = AuthorizeInput, responses((status = 200, body = Enveloped<OauthAuthorization>)))]
#[post("/v1/connections/channel/{platform}/authorize")]
async fn authorize_channel(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AuthorizeInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::authorize_channel(&cx, platform(&request), input.0).await?))
}

#[utoipa::path(tag = "connections", operation_id = "disconnectChannel", params(("platform" = String, Path)),
    responses((status = 204)))]
#[delete("/v1/connections/channel/{platform}")]
async fn disconnect_channel(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::disconnect_channel(&cx, platform(&request)).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "connections", operation_id = "setChannelReconnectFlag", params(("id" = uuid::Uuid, Path)),
    request_body = ChannelReconnectFlagInput, responses((status = 200, body = Enveloped<ChannelConnection>)))]
#[put("/v1/channel-connections/{id}/reconnect-flag")]
async fn set_channel_reconnect_flag(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ChannelReconnectFlagInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::set_channel_reconnect_flag(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "connections", operation_id = "enabledProviders", params(ProvidersQuery),
    responses((status = 200, body = Listed<String>), (status = 403), (status = 401)))]
#[get("/v1/connections/providers")]
async fn enabled_providers(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<ProvidersQuery>,
) -> Result<impl Responder> {
    Ok(listed(&request, super::enabled_providers(&cx, query.0).await?))
}

#[utoipa::path(tag = "connections", operation_id = "flaggedConnections",
    responses((status = 200, body = Listed<FlaggedConnection>)))]
#[get("/v1/connections/flagged")]
async fn flagged_connections(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::flagged_connections(&cx).await?))
}

#[utoipa::path(tag = "connections", operation_id = "channelStatus",
    responses((status = 200, body = Listed<ChannelStatus>)))]
#[get("/v1/channel-status")]
async fn channel_status(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::channel_status(&cx).await?))
}

fn platform(request: &HttpRequest) -> &str {
    request.match_info().get("platform").unwrap_or_default()
}
