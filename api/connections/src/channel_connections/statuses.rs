//! Connection status of each platform (reference/connections.md#connection-status).

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AccountCaller, Grants},
};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    catalogue::{AccountPermission, Feature},
    connection::ConnectionKind,
    platform::Platform,
};
use utoipa::ToSchema;

use super::db;

/// Connection status of a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ConnectionStatus {
    /// Slug of the platform.
    pub platform: String,
    /// True when a channel is connected and not flagged.
    pub is_connected: bool,
    /// True when a channel is connected and flagged.
    pub reconnect_required: bool,
    /// Expiry of the channel's access token. Null: never, or no channel.
    pub expires_at: Option<Timestamp>,
    /// True when the acting person's login that is assigned to the account is not flagged. The person writes
    /// in chat through it.
    pub login_connected: bool,
    /// True when that login is flagged.
    pub login_reconnect_required: bool,
    /// True when the acting person has a login at the platform that is not flagged and not assigned to the
    /// account.
    pub login_available: bool,
}

pub static CONNECTION_STATUSES: Operation<AccountCaller> =
    Operation::account("connectionStatuses", AccountPermission::ConnectionsRead, Grants::Nothing)
        .feature(Feature::Connections)
        .polled();

/// Lists the connection status of every platform that has channels.
///
/// The fields about logins are false for a credential without a person.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn connection_statuses(cx: &Cx) -> Result<Vec<ConnectionStatus>> {
    let caller = cx.authorize(&CONNECTION_STATUSES).await?;
    let mut db = caller.db().await?;
    let channels = db::states(&mut db, caller.account).await?;
    let logins = match caller.user {
        Some(user) => db::logins(&mut db, caller.account, user).await?,
        None => Vec::new(),
    };
    let status = |platform: &Platform| {
        let slug = platform.slug();
        let channel = channels.iter().find(|channel| channel.platform == slug);
        let logins = || logins.iter().filter(|login| login.platform == slug && has_login_chat(*platform));
        let assigned = logins().find(|login| login.is_assigned);
        ConnectionStatus {
            platform: slug.to_owned(),
            is_connected: channel.is_some_and(|channel| !channel.reconnect_required),
            reconnect_required: channel.is_some_and(|channel| channel.reconnect_required),
            expires_at: channel.and_then(|channel| channel.expires_at),
            login_connected: assigned.is_some_and(|login| !login.reconnect_required),
            login_reconnect_required: assigned.is_some_and(|login| login.reconnect_required),
            login_available: logins().any(|login| !login.is_assigned && !login.reconnect_required),
        }
    };
    Ok(ConnectionKind::Channel.platforms().iter().map(status).collect())
}

/// Returns true when people write on the platform through their own login.
fn has_login_chat(platform: Platform) -> bool {
    platform.login_provider().is_some() && platform.chat_message_limit().is_some()
}
