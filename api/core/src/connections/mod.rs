//! An account's connections as callers see them, and how one ends (specification A §2.7, §2.8; C §10). The account's
//! own type shows them too, and staff ends them.

mod end;
mod health;

use diesel::{prelude::*, sql_types::Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    catalogue::AccountPermission,
    connections::{
        ConnectionKind,
        health::{Health, OfRow, of_row},
    },
    db::schema::{bot_connections, channel_connections},
    id::AccountId,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use end::{EndedConnection, disconnect_bot, disconnect_channel, revoke_every_connection};
pub use health::{
    ConnectionHealth, ConnectionReader, ConnectionReaderState, LastEvent, PlatformSubscription,
};

use crate::{
    Cx, Operation, Result, Timestamp,
    access::{AccountCaller, Grants, account_features},
};

/// An account has one connection a platform and kind; the lists are bounded all the same.
const MAX_ROWS: i64 = 100;

/// A channel that an account has connected. Its tokens are never read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = channel_connections)]
pub struct ChannelConnection {
    pub id: Uuid,
    /// `twitch`, `youtube`, `kick`, `trovo` or `spotify`.
    pub platform: String,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    pub channel_name: String,
    pub display_name: String,
    pub avatar_url: Option<String>,
    /// What the platform granted.
    pub scopes: Vec<String>,
    /// Whose application the connection is pinned to: `system` or `account`.
    pub credential_source: String,
    /// Whether the bot is wanted in the channel.
    pub bot_enabled: bool,
    /// Whether the channel has to be connected again before it works.
    pub reconnect_required: bool,
    /// When the access token expires; null: never.
    pub expires_at: Option<Timestamp>,
    pub connected_at: Timestamp,
    /// Null when the person is gone, or when a key connected it.
    pub connected_by: Option<Uuid>,
    /// What the platform delivers, when it last told something, and how the channel is read.
    #[diesel(select_expression = of_row(), select_expression_type = OfRow, deserialize_as = Health)]
    pub health: ConnectionHealth,
}

/// The identity under which a bot writes. Its tokens are never read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct BotConnection {
    pub id: Uuid,
    pub platform: String,
    /// The platform's id of the bot's user.
    pub bot_user_id: String,
    pub bot_username: String,
    pub avatar_url: Option<String>,
    /// Whether it is the account's own; otherwise it is the deployment's.
    pub is_custom: bool,
    /// Whose application the connection is pinned to: `system` or `account`.
    pub credential_source: String,
    pub reconnect_required: bool,
}

/// A row of `bot_connections` that becomes a [`BotConnection`].
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = bot_connections)]
pub struct BotConnectionRow {
    pub id: Uuid,
    pub account_id: Option<Uuid>,
    pub platform: String,
    pub bot_user_id: String,
    pub bot_username: String,
    pub avatar_url: Option<String>,
    pub credential_source: String,
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

/// The channels of the caller's account.
pub static CHANNEL_CONNECTIONS: Operation<AccountCaller> =
    Operation::account("channelConnections", AccountPermission::ConnectionsRead, Grants::Nothing);

/// Lists the channels of the caller's account. Those of a platform that is switched off are left out (A §2.7).
///
/// # Errors
/// As the rule.
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

/// The bots of the caller's account.
pub static BOT_CONNECTIONS: Operation<AccountCaller> =
    Operation::account("botConnections", AccountPermission::BotConnectionsRead, Grants::Nothing);

/// Lists under which identity a bot writes for the caller's account: its own, else the deployment's. Those of a
/// platform that is switched off are left out (A §2.7).
///
/// # Errors
/// As the rule.
pub async fn bot_connections(cx: &Cx) -> Result<Vec<BotConnection>> {
    let caller = cx.authorize(&BOT_CONNECTIONS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut bots = bots_of(&mut *caller.db().await?, caller.account).await?;
    bots.retain(|bot| features.platform_allows(&bot.platform, ConnectionKind::Bot.as_str()));
    Ok(bots)
}

/// The bot that serves an account on each platform: its own, else the deployment's.
///
/// # Errors
/// When the database fails.
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
