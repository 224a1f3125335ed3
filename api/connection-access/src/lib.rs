//! Connections of an account as callers see them, and their end
//! (reference/connections.md#channel-connections). The account's own type shows them too, and staff ends
//! them.

mod end;
mod health;

use connection_model::health::{Health, OfRow, of_row};
use diesel::{prelude::*, sql_types::Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    catalogue::AccountPermission,
    connection::ConnectionKind,
    id::AccountId,
    schema::{bot_connections, channel_connections},
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use end::{EndedConnection, disconnect_bot, disconnect_channel, revoke_every_connection};
pub use health::{
    ConnectionHealth, ConnectionReader, ConnectionReaderState, LastEvent, PlatformSubscription,
};

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AccountCaller, Grants, account_features},
};

/// Highest number of rows of a list. An account has one connection for each platform and kind; the bound is a
/// safeguard.
const MAX_ROWS: i64 = 100;

/// A channel that an account has connected. Its tokens are never returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = channel_connections)]
pub struct ChannelConnection {
    /// Id of the connection.
    pub id: Uuid,
    /// `twitch`, `youtube`, `kick`, `trovo` or `spotify`.
    pub platform: String,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Login name of the channel on the platform.
    pub channel_name: String,
    /// Displayed name of the channel.
    pub display_name: String,
    /// URL of the channel's picture; null without one.
    pub avatar_url: Option<String>,
    /// Scopes that the platform granted.
    pub scopes: Vec<String>,
    /// Owner of the application that the connection is pinned to: `system` or `account`.
    pub credential_source: String,
    /// True when the bot is to join the channel.
    pub bot_enabled: bool,
    /// True when the channel must be connected again before it works.
    pub reconnect_required: bool,
    /// End of the access token; null for one without an end.
    pub expires_at: Option<Timestamp>,
    /// Time of the connecting.
    pub connected_at: Timestamp,
    /// Person who connected it; null when the person is deleted or a key connected it.
    pub connected_by: Option<Uuid>,
    /// Deliveries of the platform, times of the last events, and the reader of the channel.
    #[diesel(select_expression = of_row(), select_expression_type = OfRow, deserialize_as = Health)]
    pub health: ConnectionHealth,
}

/// Identity under which a bot writes. Its tokens are never returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct BotConnection {
    /// Id of the connection.
    pub id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// The platform's id of the bot's user.
    pub bot_user_id: String,
    /// Login name of the bot's user.
    pub bot_username: String,
    /// URL of the bot's picture; null without one.
    pub avatar_url: Option<String>,
    /// True for the account's own bot, false for the deployment's.
    pub is_custom: bool,
    /// Owner of the application that the connection is pinned to: `system` or `account`.
    pub credential_source: String,
    /// True when the bot must be connected again before it works.
    pub reconnect_required: bool,
}

/// A row of `bot_connections` that becomes a [`BotConnection`].
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = bot_connections)]
pub struct BotConnectionRow {
    /// Id of the connection.
    pub id: Uuid,
    /// Account of the bot; null for the deployment's.
    pub account_id: Option<Uuid>,
    /// Slug of the platform.
    pub platform: String,
    /// The platform's id of the bot's user.
    pub bot_user_id: String,
    /// Login name of the bot's user.
    pub bot_username: String,
    /// URL of the bot's picture; null without one.
    pub avatar_url: Option<String>,
    /// Owner of the application: `system` or `account`.
    pub credential_source: String,
    /// True when the bot must be connected again before it works.
    pub reconnect_required: bool,
}

impl From<BotConnectionRow> for BotConnection {
    fn from(row: BotConnectionRow) -> Self {
        Self {
            id: row.id,
            platform: row.platform,
            bot_user_id: row.bot_user_id,
            bot_username: row.bot_username,
            avatar_url: row.avatar_url,
            is_custom: row.account_id.is_some(),
            credential_source: row.credential_source,
            reconnect_required: row.reconnect_required,
        }
    }
}

pub static CHANNEL_CONNECTIONS: Operation<AccountCaller> =
    Operation::account("channelConnections", AccountPermission::ConnectionsRead, Grants::Nothing).polled();

/// Lists the connected channels of the caller's account.
///
/// Channels of a platform that is switched off are left out. Tokens are never returned. The list is ordered
/// by platform.
///
/// (reference/connections.md#channel-connections)
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn channel_connections(cx: &Cx) -> Result<Vec<ChannelConnection>> {
    let caller = cx.authorize(&CHANNEL_CONNECTIONS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut connections: Vec<ChannelConnection> = channel_connections::table
        .filter(channel_connections::account_id.eq(caller.account))
        .order(channel_connections::platform)
        .limit(MAX_ROWS)
        .select(ChannelConnection::as_select())
        .load(&mut *caller.db().await?)
        .await?;
    connections.retain(|connection| {
        features.platform_allows(&connection.platform, ConnectionKind::Channel.as_str())
    });
    Ok(connections)
}

pub static BOT_CONNECTIONS: Operation<AccountCaller> =
    Operation::account("botConnections", AccountPermission::BotConnectionsRead, Grants::Nothing);

/// Lists the bots that write for the caller's account, one for each platform.
///
/// The bot of a platform is the account's own, else the deployment's. Bots of a platform that is switched off
/// are left out. Tokens are never returned.
///
/// (reference/connections.md#bot-connections)
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn bot_connections(cx: &Cx) -> Result<Vec<BotConnection>> {
    let caller = cx.authorize(&BOT_CONNECTIONS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut bots = bots_of(&mut *caller.db().await?, caller.account).await?;
    bots.retain(|bot| features.platform_allows(&bot.platform, ConnectionKind::Bot.as_str()));
    Ok(bots)
}

/// Bot that serves an account on each platform: its own, else the deployment's.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn bots_of(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<BotConnection>> {
    let own_or_common = bot_connections::account_id
        .eq(account)
        .or(bot_connections::account_id.is_null().into_sql::<Bool>().nullable());
    let rows: Vec<BotConnectionRow> = bot_connections::table
        .filter(own_or_common)
        .order((bot_connections::platform, bot_connections::account_id.asc().nulls_last()))
        .limit(MAX_ROWS)
        .select(BotConnectionRow::as_select())
        .load(connection)
        .await?;
    let mut bots: Vec<BotConnection> = rows.into_iter().map(BotConnection::from).collect();
    bots.dedup_by(|common, own| common.platform == own.platform);
    Ok(bots)
}
