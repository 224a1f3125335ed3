//! Prompts to connect again (A §3, C §3, §12.1).

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Authenticated, Grants, Principal, SignedIn, member_access},
    connections::ChannelConnection,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit::{self, Scope},
    catalogue::{AccountPermission, AdminPermission},
    connections::{self, ConnectionKind, Update},
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{db, not_found};

/// What is flagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlaggedConnectionKind {
    /// How the person signs in.
    Login,
    /// A channel of an account.
    Channel,
}

/// A connection that has to be made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct FlaggedConnection {
    pub kind: FlaggedConnectionKind,
    pub id: Uuid,
    pub platform: String,
    /// Null for sign-ins, which belong to a person.
    pub account_id: Option<Uuid>,
    pub flagged_at: Timestamp,
}

/// Whether a prompt is to stand.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "reconnect_required": false }))]
pub struct ChannelReconnectFlagInput {
    /// `false`, which is the default, clears the prompt; `true` is for operator staff.
    #[serde(default)]
    pub reconnect_required: bool,
}

/// The connections that the person is to make again.
pub static FLAGGED_CONNECTIONS: Operation<SignedIn> =
    Operation::first_party("flaggedConnections", Grants::Nothing);

/// Lists the connections that the person is to make again: their own sign-ins, and the channels that they connected or
/// may connect, in every account that they belong to. A key shows those of its account, as far as its scopes reach.
///
/// # Errors
/// As the rule.
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

/// Clears the prompt of a channel.
pub static SET_CHANNEL_RECONNECT_FLAG: Operation<Authenticated> =
    Operation::authenticated("setChannelReconnectFlag", Grants::Nothing);

/// Clears the prompt to connect a channel again: for whoever connected it or may connect channels of the account. Only
/// staff with `users:edit` may set it.
///
/// # Errors
/// As the rule; 400 for `true` from anybody else; 404 when the caller's accounts have no such connection; 403 when the
/// caller neither made it nor may connect channels.
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
                scope: Scope::Account(owner.account.0),
                metadata: json!({ "platform": changed.platform, "kind": ConnectionKind::Channel }),
                ..cx.audit(action, "channel_connection", id)
            };
            audit::record(connection, entry).await?;
            let (account, slug) = (owner.account.0, changed.platform.as_str());
            connections::announce(connection, account, ConnectionKind::Channel, slug, update, now).await?;
            Ok(changed)
        })
        .await
}

/// Whose connection it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner {
    pub account: AccountId,
    pub connected_by: Option<UserId>,
}

/// A connection of an account that the caller cannot see does not exist for it.
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
