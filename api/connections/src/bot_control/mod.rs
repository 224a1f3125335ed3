//! Presence of bots in the channels of accounts (reference/connections.md#bot-control): the account's switch,
//! the pause that staff sets, and the list that bots read.

mod admin;
mod channels;
mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, account_features},
    http::Success,
};
use connection_model::{
    self as connections, Update,
    bots::{self, BotAction},
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    connection::ConnectionKind,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use admin::{
    ADMIN_BOT_CONTROL, ADMIN_PAUSE_BOT, ADMIN_RESUME_BOT, BotControlQuery, BotControlRow, admin_bot_control,
    admin_pause_bot, admin_resume_bot,
};
pub use channels::{BOT_CHANNELS, BotChannelsQuery, bot_channels};
pub use db::BotChannel;

use crate::platform;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &BOT_STATUS,
    &TOGGLE_BOT_FOR_PLATFORM,
    &REJOIN_BOT,
    &ADMIN_BOT_CONTROL,
    &ADMIN_PAUSE_BOT,
    &ADMIN_RESUME_BOT,
    &BOT_CHANNELS,
];

/// State of the bot in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BotState {
    /// Bot is enabled, and there is a working identity for it.
    Active,
    /// Account switched it off, or staff paused it.
    Paused,
    /// Channel or bot must be connected, or connected again.
    NoConnection,
}

/// Bot in one of the account's channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct BotStatus {
    /// Slug of the platform.
    pub platform: String,
    /// State of the bot.
    pub status: BotState,
    /// Switch of the account.
    pub bot_enabled: bool,
    /// True when staff paused the bot. The account's switch does not lift the pause.
    pub is_paused_by_staff: bool,
    /// User name that the bot writes under. Null when there is no bot.
    pub bot_username: Option<String>,
    /// Time of the last heartbeat from the channel. Null without one in the last 30 seconds.
    pub last_heartbeat_at: Option<Timestamp>,
}

/// Switch of the bot on a platform.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct ToggleBotForPlatformInput {
    /// Slug of the platform.
    #[schema(example = "twitch", extensions(("enum" = json!(ConnectionKind::Bot.platforms()))))]
    pub platform: String,
    /// True switches the bot on.
    pub enabled: bool,
}

/// Bot that joins again.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct RejoinBotInput {
    /// Slug of the platform.
    #[schema(example = "twitch", extensions(("enum" = json!(ConnectionKind::Bot.platforms()))))]
    pub platform: String,
}

pub static BOT_STATUS: Operation<AccountCaller> =
    Operation::account("botStatus", AccountPermission::BotConnectionsRead, Grants::Nothing)
        .feature(Feature::Bots)
        .polled();

/// Lists the state of the bot in each connected channel.
///
/// Platforms on which bots are switched off are left out.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn bot_status(cx: &Cx) -> Result<Vec<BotStatus>> {
    let caller = cx.authorize(&BOT_STATUS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut channels = db::of_account(&mut *caller.db().await?, caller.account, None).await?;
    channels.retain(|channel| features.platform_allows(&channel.platform, ConnectionKind::Bot.as_str()));
    shown(cx, channels).await
}

pub static TOGGLE_BOT_FOR_PLATFORM: Operation<AccountCaller> =
    Operation::account("toggleBotForPlatform", AccountPermission::BotConnectionsCreate, Grants::Nothing)
        .feature(Feature::Bots)
        .idempotent();

/// Switches the bot in a channel on or off.
///
/// Bots are notified at once. A pause by staff stays.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without bots; 404 when no channel is connected there.
#[api_core::operation]
pub async fn toggle_bot_for_platform(cx: &Cx, input: Input<ToggleBotForPlatformInput>) -> Result<BotStatus> {
    let caller = cx.authorize(&TOGGLE_BOT_FOR_PLATFORM).await?;
    let input = input?;
    let platform = platform::with(ConnectionKind::Bot, &input.platform)?;
    let (slug, now) = (platform.slug(), cx.state().clock.now());
    let mut db = caller.db().await?;
    let channels = db
        .transaction(async |connection| {
            let id = db::switch(connection, caller.account, slug, input.enabled, now).await?;
            let id = id.ok_or_else(no_channel)?;
            let action = if input.enabled { "bot:enabled" } else { "bot:disabled" };
            let entry = audit::Entry {
                metadata: json!({ "platform": platform }),
                ..cx.audit(action, "channel_connection", id)
            };
            audit::record(connection, entry).await?;
            let (account, kind) = (caller.account.uuid(), ConnectionKind::Channel);
            connections::announce(connection, account, kind, slug, Update::Changed, now).await?;
            db::of_account(connection, caller.account, Some(slug)).await
        })
        .await;
    drop(db);
    let channels = channels?;
    let action = if input.enabled { BotAction::Join } else { BotAction::Leave };
    publish(cx, slug, caller.account.uuid(), action).await;
    shown(cx, channels).await?.pop().ok_or_else(no_channel)
}

pub static REJOIN_BOT: Operation<AccountCaller> =
    Operation::account("rejoinBot", AccountPermission::BotConnectionsCreate, Grants::Nothing)
        .feature(Feature::Bots)
        .idempotent_by_claim()
        .repeatable();

/// Requests that the bot leaves a channel and joins it again.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without bots; 404 when no channel is connected there; 409
/// when the bot is switched off or paused; 500 when bots cannot be notified.
#[api_core::operation]
pub async fn rejoin_bot(cx: &Cx, input: Input<RejoinBotInput>) -> Result<Success> {
    let caller = cx.authorize(&REJOIN_BOT).await?;
    let platform = platform::with(ConnectionKind::Bot, &input?.platform)?;
    let slug = platform.slug();
    let mut channels = db::of_account(&mut *caller.db().await?, caller.account, Some(slug)).await?;
    let channel = channels.pop().ok_or_else(no_channel)?;
    if channel.is_paused_by_staff {
        return Err(ApiError::conflict("Bot is paused by an operator"));
    }
    if !channel.bot_enabled {
        return Err(ApiError::conflict("Bot is switched off for this platform"));
    }
    bots::publish(&cx.state().redis, slug, caller.account.uuid(), BotAction::Sync).await?;
    Ok(Success::DONE)
}

/// Notifies bots after the commit. They also read the stored state, so that a failure only delays.
async fn publish(cx: &Cx, platform: &'static str, account: Uuid, action: BotAction) {
    let state = cx.state().clone();
    cx.after_commit(async move {
        if let Err(error) = bots::publish(&state.redis, platform, account, action).await {
            tracing::warn!(platform, %error, "bots were not notified of a changed switch");
        }
    })
    .await;
}

async fn shown(cx: &Cx, channels: Vec<db::BotChannelRow>) -> Result<Vec<BotStatus>> {
    let asked: Vec<_> =
        channels.iter().map(|channel| (channel.platform.as_str(), channel.account_id)).collect();
    let heartbeats = bots::heartbeats(&cx.state().redis, &asked).await?;
    let status =
        |(channel, heartbeat): (db::BotChannelRow, Option<chrono::DateTime<chrono::Utc>>)| BotStatus {
            status: channel.state(),
            platform: channel.platform,
            bot_enabled: channel.bot_enabled,
            is_paused_by_staff: channel.is_paused_by_staff,
            bot_username: channel.bot_username,
            last_heartbeat_at: heartbeat.map(Timestamp::from),
        };
    Ok(channels.into_iter().zip(heartbeats).map(status).collect())
}

fn no_channel() -> ApiError {
    ApiError::not_found("Channel connection not found")
}
