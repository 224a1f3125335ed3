//! Reconnect flags (reference/connections.md#reconnect-flag).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Authenticated, Grants, Principal, SignedIn, member_access},
};
use connection_access::ChannelConnection;
use connection_model::{self as connections, Update};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Scope};
use serde::Deserialize;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, AdminPermission},
    connection::ConnectionKind,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    FlaggedConnection,
    db::{self, Owner},
    not_found,
};

/// New value of the reconnect flag.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "reconnect_required": false }))]
pub struct ChannelReconnectFlagInput {
    /// False, the default, clears the flag; true is for staff only.
    #[serde(default)]
    pub reconnect_required: bool,
}

pub static FLAGGED_CONNECTIONS: Operation<SignedIn> =
    Operation::first_party("flaggedConnections", Grants::Nothing).polled();

/// Lists the flagged connections that the person can make again.
///
/// These are the person's own logins, and the channels that the person connected or may connect, in all of
/// their accounts. A key with scopes sees those of its account only, as far as its scopes allow.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn flagged_connections(cx: &Cx) -> Result<Vec<FlaggedConnection>> {
    let person = cx.authorize(&FLAGGED_CONNECTIONS).await?;
    let view = db::View {
        user: person.user,
        only_in: cx.principal().scopes().and_then(|_| cx.principal().account()),
        may_connect: cx
            .principal()
            .scopes()
            .is_none_or(|scopes| scopes.contains(AccountPermission::ConnectionsCreate)),
    };
    let mut db = person.db().await?;
    let mut flagged = db::flagged_logins(&mut db, person.user).await?;
    flagged.extend(db::flagged_channels(&mut db, view).await?);
    Ok(flagged)
}

pub static SET_CHANNEL_RECONNECT_FLAG: Operation<Authenticated> =
    Operation::authenticated("setChannelReconnectFlag", Grants::Nothing);

/// Clears or sets the reconnect flag of a channel.
///
/// The person who connected the channel, callers with `connections:create` in the account, and staff with
/// `users:edit` may clear it. Only staff may set it. Clearing does not renew the tokens; connecting again
/// does.
///
/// # Errors
/// Refusals of the access rule; 400 for `true` by a caller without `users:edit`; 404 when the caller's
/// accounts have no such connection; 403 when the caller neither connected it nor may connect channels.
#[api_core::operation]
pub async fn set_channel_reconnect_flag(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<ChannelReconnectFlagInput>,
) -> Result<ChannelConnection> {
    let caller = cx.authorize(&SET_CHANNEL_RECONNECT_FLAG).await?;
    let (id, flag) = (id?, input?.reconnect_required);
    let is_staff = cx.admin_permissions().await?.contains(AdminPermission::UsersEdit);
    if flag && !is_staff {
        return Err(ApiError::invalid("reconnect_required must be false"));
    }
    let mut db = caller.db().await?;
    let owner = db::owner(&mut db, id).await?.ok_or_else(not_found)?;
    drop(db);
    if !flag {
        check_may_clear(cx, &owner, is_staff).await?;
    }
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let changed = db::set_flag(connection, owner.account, id, flag, now).await?;
            let changed = changed.ok_or_else(not_found)?;
            let (action, update) = if flag {
                ("connection:reconnect_flag_set", Update::Flagged)
            } else {
                ("connection:reconnect_flag_cleared", Update::Changed)
            };
            let entry = audit::Entry {
                scope: Scope::Account(owner.account.uuid()),
                metadata: json!({ "platform": changed.platform, "kind": ConnectionKind::Channel }),
                ..cx.audit(action, "channel_connection", id)
            };
            audit::record(connection, entry).await?;
            let (account, slug) = (owner.account.uuid(), changed.platform.as_str());
            connections::announce(connection, account, ConnectionKind::Channel, slug, update, now).await?;
            Ok(changed)
        })
        .await
}

/// Checks that the caller may clear the flag. A connection of an account that the caller cannot see is
/// reported as missing.
async fn check_may_clear(cx: &Cx, owner: &Owner, is_staff: bool) -> Result<()> {
    if is_staff {
        return Ok(());
    }
    let principal = cx.principal();
    let held = match principal {
        // A session belongs to the person, whichever account is active.
        Principal::Session { user, .. } => {
            member_access(cx.state(), owner.account, *user).await?.map(|member| member.permissions)
        }
        _ if cx.active_account().await? == Some(owner.account) => Some(cx.account_permissions().await?),
        _ => None,
    };
    let held = held.ok_or_else(not_found)?;
    let is_own = owner.connected_by.is_some() && owner.connected_by == principal.identity();
    if is_own || held.contains(AccountPermission::ConnectionsCreate) {
        return Ok(());
    }
    Err(ApiError::forbidden(format!("Missing permission: {}", AccountPermission::ConnectionsCreate.text())))
}
