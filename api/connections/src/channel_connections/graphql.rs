//! Connected channels over GraphQL.

use api_core::{
    Cx, Result,
    connections::{self, ChannelConnection},
};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AuthorizeInput, ChannelReconnectFlagInput, ChannelStatus, ConnectionStatus, ConnectionType,
    FlaggedConnection, ProvidersQuery,
};
use crate::oauth::OauthAuthorization;

pub struct ChannelConnectionQueries;
pub struct ChannelConnectionMutations;

#[graphql_object(context = Cx)]
impl ChannelConnectionQueries {
    /// How well each platform is connected.
    async fn connection_statuses(ctx: &Cx) -> Result<Vec<ConnectionStatus>> {
        super::connection_statuses(ctx).await
    }

    /// The account's channels.
    async fn channel_connections(ctx: &Cx) -> Result<Vec<ChannelConnection>> {
        connections::channel_connections(ctx).await
    }

    /// The slugs of the platforms that may be used: to sign in with for everybody, else with `connections:read`.
    async fn enabled_providers(ctx: &Cx, connection_type: ConnectionType) -> Result<Vec<String>> {
        super::enabled_providers(ctx, Ok(ProvidersQuery { connection_type })).await
    }

    /// The connections that the person is to make again.
    async fn flagged_connections(ctx: &Cx) -> Result<Vec<FlaggedConnection>> {
        super::flagged_connections(ctx).await
    }

    /// Whether the account's channels are on air.
    async fn channel_status(ctx: &Cx) -> Result<Vec<ChannelStatus>> {
        super::channel_status(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl ChannelConnectionMutations {
    /// The page on which a channel is connected.
    async fn authorize_channel(
        ctx: &Cx,
        platform: String,
        return_to: Option<String>,
    ) -> Result<OauthAuthorization> {
        super::authorize_channel(ctx, &platform, Ok(AuthorizeInput { return_to })).await
    }

    /// Disconnect a channel.
    async fn disconnect_channel(ctx: &Cx, platform: String) -> Result<bool> {
        super::disconnect_channel(ctx, &platform).await?;
        Ok(true)
    }

    /// Clear the prompt to connect a channel again.
    async fn set_channel_reconnect_flag(
        ctx: &Cx,
        id: Uuid,
        reconnect_required: Option<bool>,
    ) -> Result<ChannelConnection> {
        let input = ChannelReconnectFlagInput { reconnect_required: reconnect_required.unwrap_or_default() };
        super::set_channel_reconnect_flag(ctx, Ok(id), Ok(input)).await
    }
}
