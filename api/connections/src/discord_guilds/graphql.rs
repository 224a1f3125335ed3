//! Discord servers over GraphQL.

use api_core::{Cx, Page, PageRequest, Result, graphql::Int64};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{DiscordGuild, LinkedDiscordGuild};
use crate::{channel_connections::AuthorizeInput, oauth::OauthAuthorization};

pub struct DiscordGuildQueries;
pub struct DiscordGuildMutations;

/// One page of linked servers.
#[derive(GraphQLObject)]
pub struct LinkedDiscordGuildPage {
    items: Vec<LinkedDiscordGuild>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<LinkedDiscordGuild>> for LinkedDiscordGuildPage {
    fn from(page: Page<LinkedDiscordGuild>) -> Self {
        let pages = Int64(page.pages());
        let (number, limit) = (Int64(page.window.page), Int64(page.window.limit));
        Self { total: Int64(page.total), page: number, limit, pages, items: page.items }
    }
}

#[graphql_object(context = Cx)]
impl DiscordGuildQueries {
    /// The account's Discord servers.
    async fn discord_guilds(ctx: &Cx) -> Result<Vec<DiscordGuild>> {
        super::discord_guilds(ctx).await
    }

    /// The Discord servers of every account.
    async fn admin_discord_guilds(
        ctx: &Cx,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<LinkedDiscordGuildPage> {
        let page = PageRequest { page: page.map(|n| n.0), limit: limit.map(|n| n.0) };
        Ok(super::admin_discord_guilds(ctx, Ok(page)).await?.into())
    }
}

#[graphql_object(context = Cx)]
impl DiscordGuildMutations {
    /// The page on which our bot is added to a Discord server.
    async fn authorize_discord_guild(ctx: &Cx, return_to: Option<String>) -> Result<OauthAuthorization> {
        super::authorize_discord_guild(ctx, Ok(AuthorizeInput { return_to })).await
    }

    /// Unlink a Discord server. The bot itself stays in it.
    async fn admin_delete_discord_guild(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_discord_guild(ctx, Ok(id)).await?;
        Ok(true)
    }
}
