//! Connected channels (reference/connections.md#channel-connections): their list, status and flags,
//! connecting and disconnecting.

mod broadcasts;
mod db;
mod flags;
pub mod graphql;
mod live;
mod providers;
pub mod rest;
mod statuses;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants, PlatformUse, require_platform},
};
use connection_access::{CHANNEL_CONNECTIONS, disconnect_channel as end_channel};
use diesel_async::AsyncConnection;
use foundation::audit;
use serde_json::json;
use shared::{catalogue::AccountPermission, connection::ConnectionKind};

pub use broadcasts::{BroadcastStatus, ChannelStatus};
pub use db::{FlaggedConnection, FlaggedConnectionKind};
pub use flags::{
    ChannelReconnectFlagInput, FLAGGED_CONNECTIONS, SET_CHANNEL_RECONNECT_FLAG, flagged_connections,
    set_channel_reconnect_flag,
};
pub use live::{CHANNEL_STATUS, channel_status};
pub use providers::{ConnectionType, ENABLED_PROVIDERS, ProvidersQuery, enabled_providers};
pub use statuses::{CONNECTION_STATUSES, ConnectionStatus, connection_statuses};

use crate::{
    oauth::{self, AuthorizeInput, OauthAuthorization, OauthKind, Purpose},
    platform,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &CONNECTION_STATUSES,
    &CHANNEL_CONNECTIONS,
    &AUTHORIZE_CHANNEL,
    &DISCONNECT_CHANNEL,
    &SET_CHANNEL_RECONNECT_FLAG,
    &ENABLED_PROVIDERS,
    &FLAGGED_CONNECTIONS,
    &CHANNEL_STATUS,
];

pub static AUTHORIZE_CHANNEL: Operation<AccountCaller> =
    Operation::account("authorizeChannel", AccountPermission::ConnectionsCreate, Grants::Nothing)
        .not_idempotent("begins a flow and changes nothing");

/// Begins to connect a channel.
///
/// Returns the address of the platform's page and a state handle, see `exchangeOauth`. A channel that is
/// already connected on the platform stays connected until the exchange.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without channels, and for a `return_to` that is not
/// allowed; 403 when the platform is switched off; 400 `App credentials not configured`; 409
/// `CREDENTIAL_DECRYPTION_FAILED`.
#[api_core::operation]
pub async fn authorize_channel(
    cx: &Cx,
    platform: &str,
    input: Input<AuthorizeInput>,
) -> Result<OauthAuthorization> {
    let caller = cx.authorize(&AUTHORIZE_CHANNEL).await?;
    let platform = platform::with(ConnectionKind::Channel, platform)?;
    require_platform(cx, platform.slug(), PlatformUse::Channel).await?;
    let return_to = oauth::check_return_to(cx, &caller, input?.return_to.as_deref()).await?;
    let purpose = Purpose { kind: OauthKind::Channel, platform, account: Some(caller.account) };
    let mut db = caller.db().await?;
    let application = oauth::application(cx, &mut db, ConnectionKind::Channel, purpose).await?;
    drop(db);
    oauth::begin(cx, purpose, &application, return_to).await
}

pub static DISCONNECT_CHANNEL: Operation<AccountCaller> =
    Operation::account("disconnectChannel", AccountPermission::ConnectionsDelete, Grants::Nothing);

/// Disconnects the account's channel on a platform.
///
/// The tokens are revoked at the platform afterwards, best effort (reference/connections.md#revocation).
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without channels; 404 when none is connected.
#[api_core::operation]
pub async fn disconnect_channel(cx: &Cx, platform: &str) -> Result<()> {
    let caller = cx.authorize(&DISCONNECT_CHANNEL).await?;
    let platform = platform::with(ConnectionKind::Channel, platform)?;
    let mut db = caller.db().await?;
    let ended = db
        .transaction(async |connection| {
            let ended = end_channel(cx, connection, caller.account, platform).await?;
            let ended = ended.ok_or_else(not_found)?;
            let entry = audit::Entry {
                metadata: json!({ "platform": platform, "kind": ConnectionKind::Channel }),
                ..cx.audit("connection:disconnected", "channel_connection", ended.id)
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
    ApiError::not_found("Channel connection not found")
}
