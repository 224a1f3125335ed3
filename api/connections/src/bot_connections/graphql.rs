//! GraphQL fields of `bot_connections`.

use api_core::{Cx, Result};
use connection_access::{self as connections, BotConnection};
use juniper::graphql_object;

use super::SetDiscordBotTokenInput;
use crate::oauth::{AuthorizeInput, OauthAuthorization};

/// Query fields.
pub struct BotConnectionQueries;
/// Mutation fields.
pub struct BotConnectionMutations;

#[graphql_object(context = Cx)]
impl BotConnectionQueries {
    async fn bot_connections(ctx: &Cx) -> Result<Vec<BotConnection>> {
        connections::bot_connections(ctx).await
    }

    async fn admin_bot_connections(ctx: &Cx) -> Result<Vec<BotConnection>> {
        super::admin_bot_connections(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl BotConnectionMutations {
    async fn authorize_bot(
        ctx: &Cx,
        platform: String,
        return_to: Option<String>,
    ) -> Result<OauthAuthorization> {
        super::authorize_bot(ctx, &platform, Ok(AuthorizeInput { return_to })).await
    }

    async fn disconnect_bot(ctx: &Cx, platform: String) -> Result<bool> {
        super::disconnect_bot(ctx, &platform).await?;
        Ok(true)
    }

    async fn admin_authorize_bot(
        ctx: &Cx,
        platform: String,
        return_to: Option<String>,
    ) -> Result<OauthAuthorization> {
        super::admin_authorize_bot(ctx, &platform, Ok(AuthorizeInput { return_to })).await
    }

    async fn admin_set_discord_bot_token(ctx: &Cx, input: SetDiscordBotTokenInput) -> Result<BotConnection> {
        super::admin_set_discord_bot_token(ctx, Ok(input)).await
    }

    async fn admin_disconnect_bot(ctx: &Cx, platform: String) -> Result<bool> {
        super::admin_disconnect_bot(ctx, &platform).await?;
        Ok(true)
    }
}
