//! Discord servers (reference/connections.md#discord-servers). An account links one by adding the
//! deployment's bot to it. A server belongs to one account.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, Admin, AnyOperation, Grants, PlatformUse, require_platform},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry, Scope};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, AdminPermission, Feature},
    platform::Platform,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use crate::stored_guilds::{DiscordFeature, DiscordGuild, DiscordGuildChannel};

use crate::oauth::{self, AuthorizeInput, OauthAuthorization, OauthKind, Purpose};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&DISCORD_GUILDS, &AUTHORIZE_DISCORD_GUILD, &ADMIN_DISCORD_GUILDS, &ADMIN_DELETE_DISCORD_GUILD];

/// Linked server and its account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct LinkedDiscordGuild {
    /// Identifier of the link.
    pub id: Uuid,
    /// Identifier of the account.
    pub account_id: Uuid,
    /// Name of the account.
    pub account_name: String,
    /// Id of the server at Discord.
    pub guild_id: String,
    /// Name of the server.
    pub name: String,
    /// Address of the icon. Null: none.
    pub icon_url: Option<String>,
    /// Time of linking.
    pub connected_at: Timestamp,
}

pub static DISCORD_GUILDS: Operation<AccountCaller> =
    Operation::account("discordGuilds", AccountPermission::BotConnectionsRead, Grants::Nothing)
        .feature(Feature::Bots);

/// Lists the account's Discord servers, oldest first.
///
/// The list is empty while Discord's bot is switched off.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn discord_guilds(cx: &Cx) -> Result<Vec<DiscordGuild>> {
    let caller = cx.authorize(&DISCORD_GUILDS).await?;
    let features = api_core::access::account_features(cx.state(), caller.account).await?;
    if !features.platform_allows(Platform::Discord.slug(), PlatformUse::Bot.as_str()) {
        return Ok(Vec::new());
    }
    db::list(&mut *caller.db().await?, caller.account).await
}

pub static AUTHORIZE_DISCORD_GUILD: Operation<AccountCaller> =
    Operation::account("authorizeDiscordGuild", AccountPermission::BotConnectionsCreate, Grants::Nothing)
        .feature(Feature::Bots)
        .not_idempotent("begins a flow and changes nothing");

/// Begins to add the deployment's bot to a Discord server.
///
/// Returns the address of Discord's page and a state handle, see `exchangeOauth`. The exchange links the
/// server to the account.
///
/// # Errors
/// Refusals of the access rule; 403 when Discord's bot is switched off; 400 for a `return_to` that is not
/// allowed; 400 `App credentials not configured`; 409 `CREDENTIAL_DECRYPTION_FAILED`.
#[api_core::operation]
pub async fn authorize_discord_guild(cx: &Cx, input: Input<AuthorizeInput>) -> Result<OauthAuthorization> {
    let caller = cx.authorize(&AUTHORIZE_DISCORD_GUILD).await?;
    require_platform(cx, Platform::Discord.slug(), PlatformUse::Bot).await?;
    let return_to = oauth::check_return_to(cx, &caller, input?.return_to.as_deref()).await?;
    let mut db = caller.db().await?;
    let application = oauth::discord_application(cx, &mut db).await?;
    drop(db);
    let purpose =
        Purpose { kind: OauthKind::DiscordGuild, platform: Platform::Discord, account: Some(caller.account) };
    oauth::begin(cx, purpose, &application, return_to).await
}

pub static ADMIN_DISCORD_GUILDS: Operation<Admin> =
    Operation::admin("adminDiscordGuilds", AdminPermission::DiscordGuildsRead, Grants::Nothing);

/// Lists the Discord servers of every account, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for a page out of bounds.
#[api_core::operation]
pub async fn admin_discord_guilds(cx: &Cx, page: Input<PageRequest>) -> Result<Page<LinkedDiscordGuild>> {
    let admin = cx.authorize(&ADMIN_DISCORD_GUILDS).await?;
    let window = page?.check()?;
    let (items, total) = db::of_everybody(&mut *admin.db().await?, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_DELETE_DISCORD_GUILD: Operation<Admin> =
    Operation::admin("adminDeleteDiscordGuild", AdminPermission::DiscordGuildsDelete, Grants::Nothing);

/// Unlinks a Discord server from its account.
///
/// The channels of its features are removed too. The bot stays in the server.
///
/// # Errors
/// Refusals of the access rule; 400 for a malformed id; 404 when there is no such link.
#[api_core::operation]
pub async fn admin_delete_discord_guild(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_DISCORD_GUILD).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let gone = db::delete(connection, id).await?;
            let (account, guild_id) = gone.ok_or_else(|| ApiError::not_found("Discord server not found"))?;
            let entry = Entry {
                scope: Scope::Account(account),
                metadata: json!({ "guild_id": guild_id }),
                ..cx.audit("discord_guild:unlinked", "discord_guild", id)
            };
            Ok(audit::record(connection, entry).await?)
        })
        .await
}
