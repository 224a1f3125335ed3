//! GraphQL fields of `channel_connections`.

use api_core::{Cx, Result};
use connection_access::{self as connections, ChannelConnection};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    ChannelReconnectFlagInput, ChannelStatus, ConnectionStatus, ConnectionType, FlaggedConnection,
    ProvidersQuery,
};
use crate::oauth::{AuthorizeInput, OauthAuthorization};

/// Query fields.
pub struct ChannelConnectionQueries;
/// Mutation fields.
pub struct ChannelConnectionMutations;

#[graphql_object(context = Cx)]
impl ChannelConnectionQueries {
    async fn connection_statuses(ctx: &Cx) -> Result<Vec<ConnectionStatus>> {
        super::connection_statuses(ctx).await
    }

    async fn channel_connections(ctx: &Cx) -> Result<Vec<ChannelConnection>> {
        connections::channel_connections(ctx).await
    }

    async fn enabled_providers(ctx: &Cx, connection_type: ConnectionType) -> Result<Vec<String>> {
        super::enabled_providers(ctx, Ok(ProvidersQuery { connection_type })).await
    }

    async fn flagged_connections(ctx: &Cx) -> Result<Vec<FlaggedConnection>> {
        super::flagged_connections(ctx).await
    }

    async fn channel_status(ctx: &Cx) -> Result<Vec<ChannelStatus>> {
        super::channel_status(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl ChannelConnectionMutations {
    async fn authorize_channel(
        ctx: &Cx,
        platform: String,
        return_to: Option<String>,
    ) -> Result<OauthAuthorization> {
        super::authorize_channel(ctx, &platform, Ok(AuthorizeInput { return_to })).await
    }

    async fn disconnect_channel(ctx: &Cx, platform: String) -> Result<bool> {
        super::disconnect_channel(ctx, &platform).await?;
        Ok(true)
    }

    async fn set_channel_reconnect_flag(
        ctx: &Cx,
        id: Uuid,
        reconnect_required: Option<bool>,
    ) -> Result<ChannelConnection> {
        let input = ChannelReconnectFlagInput { reconnect_required: reconnect_required.unwrap_or_default() };
        super::set_channel_reconnect_flag(ctx, Ok(id), Ok(input)).await
    }
}
