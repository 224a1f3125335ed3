//! Bots (reference/connections.md#bot-connections): the account's own where it may have one, else the
//! deployment's.

mod admin;
mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants, PlatformUse, require_platform},
};
use connection_access::{BOT_CONNECTIONS, disconnect_bot as end_bot};
use diesel_async::AsyncConnection;
use foundation::audit;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    connection::ConnectionKind,
};

pub use admin::{
    ADMIN_AUTHORIZE_BOT, ADMIN_BOT_CONNECTIONS, ADMIN_DISCONNECT_BOT, ADMIN_SET_DISCORD_BOT_TOKEN,
    SetDiscordBotTokenInput, admin_authorize_bot, admin_bot_connections, admin_disconnect_bot,
    admin_set_discord_bot_token,
};

use crate::{
    oauth::{self, AuthorizeInput, OauthAuthorization, OauthKind, Purpose},
    platform,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &BOT_CONNECTIONS,
    &AUTHORIZE_BOT,
    &DISCONNECT_BOT,
    &ADMIN_BOT_CONNECTIONS,
    &ADMIN_AUTHORIZE_BOT,
    &ADMIN_SET_DISCORD_BOT_TOKEN,
    &ADMIN_DISCONNECT_BOT,
];

pub static AUTHORIZE_BOT: Operation<AccountCaller> =
    Operation::account("authorizeBot", AccountPermission::BotConnectionsCreate, Grants::Nothing)
        .feature(Feature::Bots)
        .not_idempotent("begins a flow and changes nothing");

/// Begins to connect the account's own bot.
///
/// Returns the address of the platform's page and a state handle, see `exchangeOauth`. The platform shows its
/// consent page always, because the bot is another user than the person who is signed in there.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform whose bots are not connected by OAuth, and for a
/// `return_to` that is not allowed; 403 when the platform is switched off; 400
/// `App credentials not configured`; 409 `CREDENTIAL_DECRYPTION_FAILED`; 403 `PLAN_LIMIT_REACHED` when the
/// account may have no bot of its own.
#[api_core::operation]
pub async fn authorize_bot(
    cx: &Cx,
    platform: &str,
    input: Input<AuthorizeInput>,
) -> Result<OauthAuthorization> {
    let caller = cx.authorize(&AUTHORIZE_BOT).await?;
    let platform = platform::with(ConnectionKind::Bot, platform)?;
    require_platform(cx, platform.slug(), PlatformUse::Bot).await?;
    let return_to = oauth::check_return_to(cx, &caller, input?.return_to.as_deref()).await?;
    let purpose = Purpose { kind: OauthKind::AccountBot, platform, account: Some(caller.account) };
    let mut db = caller.db().await?;
    let application = oauth::application(cx, &mut db, ConnectionKind::Bot, purpose).await?;
    oauth::check_own_bot(&mut db, caller.account).await?;
    drop(db);
    oauth::begin(cx, purpose, &application, return_to).await
}

pub static DISCONNECT_BOT: Operation<AccountCaller> =
    Operation::account("disconnectBot", AccountPermission::BotConnectionsDelete, Grants::Nothing)
        .feature(Feature::Bots);

/// Disconnects the account's own bot on a platform.
///
/// The deployment's bot is used again. The tokens are revoked at the platform afterwards, best effort
/// (reference/connections.md#revocation).
///
/// # Errors
/// Refusals of the access rule; 400 for a platform whose bots are not connected by OAuth; 404 when the
/// account has no bot of its own there.
#[api_core::operation]
pub async fn disconnect_bot(cx: &Cx, platform: &str) -> Result<()> {
    let caller = cx.authorize(&DISCONNECT_BOT).await?;
    let platform = platform::with(ConnectionKind::Bot, platform)?;
    let mut db = caller.db().await?;
    let ended = db
        .transaction(async |connection| {
            let ended =
                end_bot(cx, connection, Some(caller.account), platform).await?.ok_or_else(not_found)?;
            let entry = audit::Entry {
                metadata: json!({ "platform": platform, "kind": ConnectionKind::Bot }),
                ..cx.audit("connection:disconnected", "bot_connection", ended.id)
            };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(ended)
        })
        .await;
    drop(db);
    ended?.announce(cx).await;
    Ok(())
}

fn not_found() -> ApiError {
    ApiError::not_found("Bot connection not found")
}
