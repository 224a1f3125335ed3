//! Bots of every account, for staff (reference/connections.md#bot-control).

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{Admin, Grants},
    validate,
};
use connection_model::{
    self as connections, Update,
    bots::{self, BotAction},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry, Scope};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{catalogue::AdminPermission, connection::ConnectionKind};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{BotState, db, publish};
use crate::platform;

const MAX_SEARCH_LENGTH: usize = 100;

/// Bot in a channel of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct BotControlRow {
    /// Identifier of the account.
    pub account_id: Uuid,
    /// Name of the account.
    pub account_name: String,
    /// Slug of the platform.
    pub platform: String,
    /// Name of the channel.
    pub channel_name: String,
    /// State of the bot.
    pub status: BotState,
    /// Switch of the account.
    pub bot_enabled: bool,
    /// True when staff paused the bot.
    pub is_paused_by_staff: bool,
    /// Time of the last heartbeat from the channel. Null without one in the last 30 seconds.
    pub last_heartbeat_at: Option<Timestamp>,
}

/// Query of the list of bots.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BotControlQuery {
    /// Slug of a platform; every platform when absent.
    pub platform: Option<String>,
    /// Part of the name of an account or a channel, 1 to 100 characters.
    pub search: Option<String>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static ADMIN_BOT_CONTROL: Operation<Admin> =
    Operation::admin("adminBotControl", AdminPermission::BotControlRead, Grants::Nothing).polled();

/// Lists the bots of every account, by account and platform.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without bots, a search that is empty or too long, or a
/// page out of bounds.
#[api_core::operation]
pub async fn admin_bot_control(cx: &Cx, query: Input<BotControlQuery>) -> Result<Page<BotControlRow>> {
    let admin = cx.authorize(&ADMIN_BOT_CONTROL).await?;
    let query = query?;
    let platform = query.platform.as_deref();
    let platform = platform.map(|text| platform::with(ConnectionKind::Bot, text)).transpose()?;
    let search = query.search.as_deref();
    let search = search.map(|text| validate::text("search", text, 1, MAX_SEARCH_LENGTH)).transpose()?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let slug = platform.map(shared::platform::Platform::slug);
    let (rows, total) = db::of_everybody(&mut *admin.db().await?, slug, search.as_deref(), window).await?;
    Ok(Page { items: shown(cx, rows).await?, total, window })
}

pub static ADMIN_PAUSE_BOT: Operation<Admin> =
    Operation::admin("adminPauseBot", AdminPermission::BotControlEdit, Grants::Nothing).idempotent();

/// Pauses the bot in an account's channel until it is resumed.
///
/// The account's own switch does not lift the pause. Bots are notified at once.
///
/// # Errors
/// Refusals of the access rule; 400 for a malformed id or a platform without bots; 404 when the account has
/// no channel there.
#[api_core::operation]
pub async fn admin_pause_bot(cx: &Cx, account: Input<Uuid>, platform: &str) -> Result<BotControlRow> {
    let admin = cx.authorize(&ADMIN_PAUSE_BOT).await?;
    set_paused(cx, &admin, account?, platform, true).await
}

pub static ADMIN_RESUME_BOT: Operation<Admin> =
    Operation::admin("adminResumeBot", AdminPermission::BotControlEdit, Grants::Nothing).idempotent();

/// Ends the pause of the bot in an account's channel.
///
/// The account's own switch decides again. Bots are notified at once.
///
/// # Errors
/// Refusals of the access rule; 400 for a malformed id or a platform without bots; 404 when the account has
/// no channel there.
#[api_core::operation]
pub async fn admin_resume_bot(cx: &Cx, account: Input<Uuid>, platform: &str) -> Result<BotControlRow> {
    let admin = cx.authorize(&ADMIN_RESUME_BOT).await?;
    set_paused(cx, &admin, account?, platform, false).await
}

async fn set_paused(
    cx: &Cx,
    admin: &Admin,
    account: Uuid,
    platform: &str,
    paused: bool,
) -> Result<BotControlRow> {
    let platform = platform::with(ConnectionKind::Bot, platform)?;
    let (slug, now) = (platform.slug(), cx.state().clock.now());
    let mut db = admin.db().await?;
    let row = db
        .transaction(async |connection| {
            let id = db::pause(connection, account, slug, paused, now).await?;
            let id = id.ok_or_else(not_found)?;
            let action = if paused { "bot:paused" } else { "bot:resumed" };
            let entry = Entry {
                scope: Scope::Account(account),
                metadata: json!({ "platform": platform }),
                ..cx.audit(action, "channel_connection", id)
            };
            audit::record(connection, entry).await?;
            let kind = ConnectionKind::Channel;
            connections::announce(connection, account, kind, slug, Update::Changed, now).await?;
            db::one(connection, admin.account(account), slug).await?.ok_or_else(not_found)
        })
        .await;
    drop(db);
    let row = row?;
    let action = match (paused, row.bot_enabled) {
        (true, _) | (false, false) => BotAction::Leave,
        (false, true) => BotAction::Join,
    };
    publish(cx, slug, account, action).await;
    shown(cx, vec![row]).await?.pop().ok_or_else(not_found)
}

async fn shown(cx: &Cx, rows: Vec<db::BotChannelRow>) -> Result<Vec<BotControlRow>> {
    let asked: Vec<_> = rows.iter().map(|row| (row.platform.as_str(), row.account_id)).collect();
    let heartbeats = bots::heartbeats(&cx.state().redis, &asked).await?;
    let shown =
        |(row, heartbeat): (db::BotChannelRow, Option<chrono::DateTime<chrono::Utc>>)| BotControlRow {
            status: row.state(),
            account_id: row.account_id,
            account_name: row.account_name,
            platform: row.platform,
            channel_name: row.channel_name,
            bot_enabled: row.bot_enabled,
            is_paused_by_staff: row.is_paused_by_staff,
            last_heartbeat_at: heartbeat.map(Timestamp::from),
        };
    Ok(rows.into_iter().zip(heartbeats).map(shown).collect())
}

fn not_found() -> ApiError {
    ApiError::not_found("Channel connection not found")
}
