//! Bots over GraphQL.

use api_core::{
    Cx, Result,
    connections::{self, BotConnection},
};
use juniper::graphql_object;

use super::SetDiscordBotTokenInput;
use crate::{channel_connections::AuthorizeInput, oauth::OauthAuthorization};

pub struct BotConnectionQueries;
pub struct BotConnectionMutations;

#[graphql_object(context = Cx)]
impl BotConnectionQueries {
    /// The identities under which bots write for the account.
    async fn bot_connections(ctx: &Cx) -> Result<Vec<BotConnection>> {
        connections::bot_connections(ctx).await
    }

    /// The deployment's bots.
    async fn admin_bot_connections(ctx: &Cx) -> Result<Vec<BotConnection>> {
        super::admin_bot_connections(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl BotConnectionMutations {
    /// The page on which the account's own bot is connected.
    async fn authorize_bot(
        ctx: &Cx,
        platform: String,
        return_to: Option<String>,
    ) -> Result<OauthAuthorization> {
        super::authorize_bot(ctx, &platform, Ok(AuthorizeInput { return_to })).await
    }

    /// Disconnect the account's own bot.
    async fn disconnect_bot(ctx: &Cx, platform: String) -> Result<bool> {
        super::disconnect_bot(ctx, &platform).await?;
        Ok(true)
    }

    /// The page on which a bot of the deployment is connected.
    async fn admin_authorize_bot(
        ctx: &Cx,
        platform: String,
        return_to: Option<String>,
    ) -> Result<OauthAuthorization> {
        super::admin_authorize_bot(ctx, &platform, Ok(AuthorizeInput { return_to })).await
    }

    /// Set the token of the deployment's bot in Discord.
    async fn admin_set_discord_bot_token(ctx: &Cx, input: SetDiscordBotTokenInput) -> Result<BotConnection> {
        super::admin_set_discord_bot_token(ctx, Ok(input)).await
    }

    /// Disconnect a bot of the deployment.
    async fn admin_disconnect_bot(ctx: &Cx, platform: String) -> Result<bool> {
        super::admin_disconnect_bot(ctx, &platform).await?;
        Ok(true)
    }
}
