//! Connected channels (specification A §2.8, §4.7; C §3, §10): what is connected, how well, and the way in and out.

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
    connections::{CHANNEL_CONNECTIONS, disconnect_channel as end_channel},
};
use diesel_async::AsyncConnection;
use serde::Deserialize;
use serde_json::json;
use shared::{audit, catalogue::AccountPermission, connections::ConnectionKind};
use utoipa::ToSchema;

pub use flags::{
    ChannelReconnectFlagInput, FLAGGED_CONNECTIONS, FlaggedConnection, FlaggedConnectionKind,
    SET_CHANNEL_RECONNECT_FLAG, flagged_connections, set_channel_reconnect_flag,
};
pub use live::{BroadcastStatus, CHANNEL_STATUS, ChannelStatus, channel_status};
pub use providers::{ConnectionType, ENABLED_PROVIDERS, ProvidersQuery, enabled_providers};
pub use statuses::{CONNECTION_STATUSES, ConnectionStatus, connection_statuses};

use crate::{
    oauth::{self, OauthAuthorization, OauthKind, Purpose},
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

/// Where the browser is to go on afterwards.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "return_to": "http://localhost:3000/connections" }))]
pub struct AuthorizeInput {
    /// An address on the dashboard's or the operators' host, or on one of an OAuth client.
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(oauth::MAX_RETURN_TO_BYTES))))]
    pub return_to: Option<String>,
}

/// The way to connect a channel.
pub static AUTHORIZE_CHANNEL: Operation<AccountCaller> =
    Operation::account("authorizeChannel", AccountPermission::ConnectionsCreate, Grants::Nothing);

/// Answers the page on which a channel is connected, with a handle for the way back.
///
/// # Errors
/// As the rule; 400 for a platform without channels or a `return_to` that is not allowed; 403 when the platform is
/// switched off; 400 `App credentials not configured`; 409 `CREDENTIAL_DECRYPTION_FAILED`.
pub async fn authorize_channel(
    cx: &Cx,
    platform: &str,
    input: Input<AuthorizeInput>,
) -> Result<OauthAuthorization> {
    let caller = cx.authorize(&AUTHORIZE_CHANNEL).await?;
    let platform = platform::with(ConnectionKind::Channel, platform)?;
    require_platform(cx, platform.slug(), PlatformUse::Channel).await?;
    let return_to = oauth::check_return_to(cx, input?.return_to.as_deref()).await?;
    let purpose = Purpose { kind: OauthKind::Channel, platform, account: Some(caller.account) };
    let mut db = caller.db().await?;
    let application = oauth::application(cx, &mut db, ConnectionKind::Channel, purpose).await?;
    drop(db);
    oauth::begin(cx, purpose, &application, return_to).await
}

/// The way out.
pub static DISCONNECT_CHANNEL: Operation<AccountCaller> =
    Operation::account("disconnectChannel", AccountPermission::ConnectionsDelete, Grants::Nothing);

/// Ends the connection to a channel. Its tokens are revoked afterwards, as well as the platform lets.
///
/// # Errors
/// As the rule; 400 for a platform without channels; 404 when none is connected.
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
    ended?.tell_bots(cx).await;
    Ok(())
}

fn not_found() -> ApiError {
    ApiError::not_found("Channel connection not found")
}
