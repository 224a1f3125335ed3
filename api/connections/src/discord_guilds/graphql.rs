//! GraphQL fields of `discord_guilds`.

use api_core::{Cx, PageRequest, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{DiscordGuild, LinkedDiscordGuild};
use crate::oauth::{AuthorizeInput, OauthAuthorization};

/// Query fields.
pub struct DiscordGuildQueries;
/// Mutation fields.
pub struct DiscordGuildMutations;

graphql_page! {
    /// Page of linked servers.
    LinkedDiscordGuildPage of LinkedDiscordGuild
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DiscordGuildQueries {
    async fn discord_guilds(ctx: &Cx) -> Result<Vec<DiscordGuild>> {
        super::discord_guilds(ctx).await
    }

    async fn admin_discord_guilds(
        ctx: &Cx,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<LinkedDiscordGuildPage> {
        let page = PageRequest { page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_discord_guilds(ctx, Ok(page)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl DiscordGuildMutations {
    async fn authorize_discord_guild(ctx: &Cx, return_to: Option<String>) -> Result<OauthAuthorization> {
        super::authorize_discord_guild(ctx, Ok(AuthorizeInput { return_to })).await
    }

    async fn admin_delete_discord_guild(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_discord_guild(ctx, Ok(id)).await?;
        Ok(true)
    }
}
