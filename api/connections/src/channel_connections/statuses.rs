//! How well each platform is connected (A §2.8, rules 1 and 2).

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AccountCaller, Grants},
};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    catalogue::{AccountPermission, Feature},
    connections::ConnectionKind,
    platforms::Platform,
};
use utoipa::ToSchema;

use super::db;

/// How well a platform is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ConnectionStatus {
    pub platform: String,
    /// A channel is connected and works.
    pub is_connected: bool,
    /// A channel is connected, but has to be connected again.
    pub reconnect_required: bool,
    /// When the channel's access token expires; null: never, or no channel.
    pub expires_at: Option<Timestamp>,
    /// The acting person's own login at the platform that is assigned to the account, through which they write there,
    /// works.
    pub login_connected: bool,
    /// They have one, but have to sign in again.
    pub login_reconnect_required: bool,
    /// The acting person has a login at the platform that works and is not assigned to the account.
    pub login_available: bool,
}

/// How well each platform is connected.
pub static CONNECTION_STATUSES: Operation<AccountCaller> =
    Operation::account("connectionStatuses", AccountPermission::ConnectionsRead, Grants::Nothing)
        .feature(Feature::Connections);

/// Tells how well each platform that has channels is connected, one row a platform.
///
/// # Errors
/// As the rule.
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

/// Whether people write on the platform through their own sign-in.
fn has_login_chat(platform: Platform) -> bool {
    platform.login_provider().is_some() && platform.chat_message_limit().is_some()
}
