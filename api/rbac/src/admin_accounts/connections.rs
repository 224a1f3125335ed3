//! Disconnection of channels and bots of an account by staff (reference/administration.md#accounts-of-staff).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, Grants},
};
use connection_access::{disconnect_bot, disconnect_channel};
use diesel_async::AsyncConnection;
use foundation::audit;
use serde_json::json;
use shared::{catalogue::AdminPermission, connection::ConnectionKind, id::AccountId, platform::Platform};
use uuid::Uuid;

use crate::people;

pub static ADMIN_DISCONNECT_ACCOUNT_CHANNEL: Operation<Admin> =
    Operation::admin("adminDisconnectAccountChannel", AdminPermission::AccountsEdit, Grants::Nothing);

/// Disconnects an account from its channel on a platform.
///
/// The tokens are revoked at the platform afterwards, best effort (reference/connections.md#revocation).
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without channels; 404 when there is no such account or
/// connection.
#[api_core::operation]
pub async fn admin_disconnect_account_channel(cx: &Cx, account: Input<Uuid>, platform: &str) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DISCONNECT_ACCOUNT_CHANNEL).await?;
    disconnect(cx, &admin, admin.account(account?), ConnectionKind::Channel, platform).await
}

pub static ADMIN_DISCONNECT_ACCOUNT_BOT: Operation<Admin> =
    Operation::admin("adminDisconnectAccountBot", AdminPermission::AccountsEdit, Grants::Nothing);

/// Disconnects an account's own bot on a platform.
///
/// The tokens are revoked at the platform afterwards, best effort. Bots of the deployment stay connected
/// (reference/connections.md#revocation).
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without bots of accounts; 404 when there is no such
/// account or connection.
#[api_core::operation]
pub async fn admin_disconnect_account_bot(cx: &Cx, account: Input<Uuid>, platform: &str) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DISCONNECT_ACCOUNT_BOT).await?;
    disconnect(cx, &admin, admin.account(account?), ConnectionKind::Bot, platform).await
}

async fn disconnect(
    cx: &Cx,
    admin: &Admin,
    account: AccountId,
    kind: ConnectionKind,
    platform: &str,
) -> Result<()> {
    let platform = one_of(kind.platforms(), platform)?;
    let mut connection = admin.db().await?;
    let ended = connection
        .transaction(async |connection| {
            people::find_account(connection, account).await?;
            let ended = match kind {
                ConnectionKind::Channel => disconnect_channel(cx, connection, account, platform).await?,
                ConnectionKind::Bot => disconnect_bot(cx, connection, Some(account), platform).await?,
            };
            let ended = ended.ok_or_else(|| ApiError::not_found("Connection not found"))?;
            let mut entry = audit::Entry {
                scope: audit::Scope::Account(account.uuid()),
                ..cx.audit("connection:disconnected", resource(kind), ended.id)
            };
            entry.metadata = json!({ "platform": platform.slug() });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(ended)
        })
        .await;
    drop(connection);
    ended?.announce(cx).await;
    Ok(())
}

const fn resource(kind: ConnectionKind) -> &'static str {
    match kind {
        ConnectionKind::Channel => "channel_connection",
        ConnectionKind::Bot => "bot_connection",
    }
}

fn one_of(allowed: &[Platform], text: &str) -> Result<Platform> {
    let known = text.parse().ok().filter(|platform| allowed.contains(platform));
    known.ok_or_else(|| {
        let slugs: Vec<&str> = allowed.iter().map(|platform| platform.slug()).collect();
        ApiError::invalid(format!("platform must be one of {}", slugs.join(", ")))
    })
}
