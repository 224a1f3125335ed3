//! Discord servers (specification C §9, §10): an account links one by adding our bot to it; a server belongs to one
//! account.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, Admin, AnyOperation, Grants, PlatformUse, require_platform},
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use serde_json::json;
use shared::{
    audit::{self, Entry, Scope},
    catalogue::{AccountPermission, AdminPermission, Feature},
    platforms::Platform,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use db::{DiscordGuildRow, with_channels};

use crate::{
    channel_connections::AuthorizeInput,
    oauth::{self, OauthAuthorization, OauthKind, Purpose},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&DISCORD_GUILDS, &AUTHORIZE_DISCORD_GUILD, &ADMIN_DISCORD_GUILDS, &ADMIN_DELETE_DISCORD_GUILD];

/// What writes in a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiscordFeature {
    LiveNotification,
    EventFeed,
    ChatMirror,
}

/// Where in a server a feature writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DiscordGuildChannel {
    pub feature: DiscordFeature,
    /// Discord's id of the channel.
    pub channel_id: String,
}

/// A Discord server with our bot in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DiscordGuild {
    pub id: Uuid,
    /// Discord's id of the server.
    pub guild_id: String,
    pub name: String,
    pub icon_url: Option<String>,
    /// Where features write.
    pub channels: Vec<DiscordGuildChannel>,
    pub connected_at: Timestamp,
    /// Null when the person is gone, or when a key linked it.
    pub connected_by: Option<Uuid>,
}

/// A linked server and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct LinkedDiscordGuild {
    pub id: Uuid,
    pub account_id: Uuid,
    pub account_name: String,
    /// Discord's id of the server.
    pub guild_id: String,
    pub name: String,
    pub icon_url: Option<String>,
    pub connected_at: Timestamp,
}

/// The account's servers.
pub static DISCORD_GUILDS: Operation<AccountCaller> =
    Operation::account("discordGuilds", AccountPermission::BotConnectionsRead, Grants::Nothing)
        .feature(Feature::Bots);

/// Lists the account's servers, oldest first; none while Discord's bot is switched off.
///
/// # Errors
/// As the rule.
pub async fn discord_guilds(cx: &Cx) -> Result<Vec<DiscordGuild>> {
    let caller = cx.authorize(&DISCORD_GUILDS).await?;
    let features = api_core::access::account_features(cx.state(), caller.account).await?;
    if !features.platform_allows(Platform::Discord.slug(), PlatformUse::Bot.as_str()) {
        return Ok(Vec::new());
    }
    db::list(&mut *caller.db().await?, caller.account).await
}

/// The way to link a server.
pub static AUTHORIZE_DISCORD_GUILD: Operation<AccountCaller> =
    Operation::account("authorizeDiscordGuild", AccountPermission::BotConnectionsCreate, Grants::Nothing)
        .feature(Feature::Bots);

/// Answers the page on which our bot is added to a Discord server, with a handle for the way back.
///
/// # Errors
/// As the rule; 403 when Discord's bot is switched off; 400 for a `return_to` that is not allowed; 400 `App credentials
/// not configured`; 409 `CREDENTIAL_DECRYPTION_FAILED`.
pub async fn authorize_discord_guild(cx: &Cx, input: Input<AuthorizeInput>) -> Result<OauthAuthorization> {
    let caller = cx.authorize(&AUTHORIZE_DISCORD_GUILD).await?;
    require_platform(cx, Platform::Discord.slug(), PlatformUse::Bot).await?;
    let return_to = oauth::check_return_to(cx, input?.return_to.as_deref()).await?;
    let mut db = caller.db().await?;
    let application = oauth::discord_application(cx, &mut db).await?;
    drop(db);
    let purpose =
        Purpose { kind: OauthKind::DiscordGuild, platform: Platform::Discord, account: Some(caller.account) };
    oauth::begin(cx, purpose, &application, return_to).await
}

/// The servers of every account.
pub static ADMIN_DISCORD_GUILDS: Operation<Admin> =
    Operation::admin("adminDiscordGuilds", AdminPermission::DiscordGuildsRead, Grants::Nothing);

/// Lists the servers of every account, newest first.
///
/// # Errors
/// As the rule; 400 for a page out of bounds.
pub async fn admin_discord_guilds(cx: &Cx, page: Input<PageRequest>) -> Result<Page<LinkedDiscordGuild>> {
    let admin = cx.authorize(&ADMIN_DISCORD_GUILDS).await?;
    let window = page?.check()?;
    let (items, total) = db::of_everybody(&mut *admin.db().await?, window).await?;
    Ok(Page { items, total, window })
}

/// Unlinking a server.
pub static ADMIN_DELETE_DISCORD_GUILD: Operation<Admin> =
    Operation::admin("adminDeleteDiscordGuild", AdminPermission::DiscordGuildsDelete, Grants::Nothing);

/// Forgets whose a server is and where features write in it. The bot itself stays in the server.
///
/// # Errors
/// As the rule; 400 for a malformed id; 404 when there is none.
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
