//! Whether bots are in the channels of accounts (specification C §9, §10): the account's own switch, the pause that
//! operator staff sets, and the list that bots themselves work by.

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
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit,
    catalogue::{AccountPermission, Feature},
    connections::{
        self, ConnectionKind, Update,
        bots::{self, BotAction},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use admin::{
    ADMIN_BOT_CONTROL, ADMIN_PAUSE_BOT, ADMIN_RESUME_BOT, BotControlQuery, BotControlRow, admin_bot_control,
    admin_pause_bot, admin_resume_bot,
};
pub use channels::{BOT_CHANNELS, BotChannel, BotChannelsQuery, bot_channels};

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

/// Whether the bot works in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BotState {
    /// It is wanted, and there is an identity that it writes under.
    Active,
    /// The account switched it off, or operator staff paused it.
    Paused,
    /// The channel or the bot has to be connected, or connected again.
    NoConnection,
}

/// The bot in one of the account's channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct BotStatus {
    pub platform: String,
    pub status: BotState,
    /// The account's own switch.
    pub bot_enabled: bool,
    /// Whether operator staff paused it: the account's switch does not change that.
    pub is_paused_by_staff: bool,
    /// The identity that it writes under; null when there is none.
    pub bot_username: Option<String>,
    /// When it last showed itself in the channel; null when it did not lately.
    pub last_heartbeat_at: Option<Timestamp>,
}

/// The account's own switch.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct ToggleBotForPlatformInput {
    #[schema(example = "twitch", extensions(("enum" = json!(ConnectionKind::Bot.platforms()))))]
    pub platform: String,
    pub enabled: bool,
}

/// A bot to bring back.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct RejoinBotInput {
    #[schema(example = "twitch", extensions(("enum" = json!(ConnectionKind::Bot.platforms()))))]
    pub platform: String,
}

/// The bots in the account's channels.
pub static BOT_STATUS: Operation<AccountCaller> =
    Operation::account("botStatus", AccountPermission::BotConnectionsRead, Grants::Nothing)
        .feature(Feature::Bots);

/// Tells how the bot fares in each connected channel. Platforms on which bots are switched off are left out.
///
/// # Errors
/// As the rule.
pub async fn bot_status(cx: &Cx) -> Result<Vec<BotStatus>> {
    let caller = cx.authorize(&BOT_STATUS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut channels = db::of_account(&mut *caller.db().await?, caller.account, None).await?;
    channels.retain(|channel| features.platform_allows(&channel.platform, ConnectionKind::Bot.as_str()));
    shown(cx, channels).await
}

/// The account's own switch.
pub static TOGGLE_BOT_FOR_PLATFORM: Operation<AccountCaller> =
    Operation::account("toggleBotForPlatform", AccountPermission::BotConnectionsCreate, Grants::Nothing)
        .feature(Feature::Bots);

/// Switches the bot in a channel on or off. Bots hear of it at once.
///
/// # Errors
/// As the rule; 400 for a platform without bots; 404 when no channel is connected there.
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
            let (account, kind) = (caller.account.0, ConnectionKind::Channel);
            connections::announce(connection, account, kind, slug, Update::Changed, now).await?;
            db::of_account(connection, caller.account, Some(slug)).await
        })
        .await;
    drop(db);
    let channels = channels?;
    let action = if input.enabled { BotAction::Join } else { BotAction::Leave };
    tell(cx, slug, caller.account.0, action).await;
    shown(cx, channels).await?.pop().ok_or_else(no_channel)
}

/// Bringing a bot back.
pub static REJOIN_BOT: Operation<AccountCaller> =
    Operation::account("rejoinBot", AccountPermission::BotConnectionsCreate, Grants::Nothing)
        .feature(Feature::Bots);

/// Asks the bot to leave a channel and join it again.
///
/// # Errors
/// As the rule; 400 for a platform without bots; 404 when no channel is connected there; 409 when the bot is switched
/// off or paused; 500 when bots cannot be told.
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
    bots::tell(&cx.state().redis, slug, caller.account.0, BotAction::Sync).await?;
    Ok(Success::DONE)
}

/// Tells bots after a commit. They also look by themselves, so that a failure only delays.
async fn tell(cx: &Cx, platform: &str, account: Uuid, action: BotAction) {
    if let Err(error) = bots::tell(&cx.state().redis, platform, account, action).await {
        tracing::warn!(platform, %error, "bots learn later of a switch that was turned");
    }
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
