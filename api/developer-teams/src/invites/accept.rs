//! Acceptance of an invite.

use api_core::{
    ApiError, Cx, Operation, Result,
    access::{Grants, SignedIn, team_membership, team_not_found},
};
use chrono::{DateTime, Utc};
use developer_access::credentials::carries;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use serde_json::json;
use shared::catalogue::{AccountPermission, TeamPermission};

use super::{create::require_room, db, not_found};
use crate::teams::{self, DeveloperTeam};

pub static ACCEPT_DEVELOPER_TEAM_INVITE: Operation<SignedIn> =
    Operation::first_party("acceptDeveloperTeamInvite", Grants::TeamPermissions).idempotent();

/// Accepts an invite: the caller becomes a member of the team with the invite's role.
///
/// No developer profile is needed.
///
/// (reference/teams.md#invites)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:edit`.
/// - 403 `PLAN_LIMIT_REACHED` when the team has the maximum number of members, or the caller belongs to 50
///   teams.
/// - 404: no invite has this code.
/// - 409: the caller is a member, or the invite is expired, used up or beyond what its maker may give now.
#[api_core::operation]
pub async fn accept_developer_team_invite(cx: &Cx, code: &str) -> Result<DeveloperTeam> {
    let caller = cx.authorize(&ACCEPT_DEVELOPER_TEAM_INVITE).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            // Of concurrent calls the second sees the use of the first.
            let invite = db::lock_by_code(connection, code).await?.ok_or_else(not_found)?;
            if team_membership(connection, invite.team_id, caller.user).await?.is_some() {
                return Err(ApiError::conflict("Already a member of this team"));
            }
            if !is_valid(connection, &invite, now).await? {
                return Err(ApiError::conflict("Invite is no longer valid"));
            }
            require_room(connection, invite.team_id).await?;
            teams::require_room(connection, caller.user).await?;
            let member = db::join(connection, &invite, caller.user, now).await?;
            let mut entry =
                crate::fields::audit(cx, "developer_team:member_joined", "developer_team_member", member);
            entry.metadata =
                json!({ "team_id": invite.team_id, "invite_id": invite.id, "role_id": invite.role_id });
            foundation::audit::record(connection, entry).await?;
            teams::db::find(connection, caller.user, invite.team_id).await?.ok_or_else(team_not_found)
        })
        .await
}

/// True when an invite can be taken, and its maker could make it now (reference/teams.md#invites).
pub(super) async fn is_valid(
    connection: &mut AsyncPgConnection,
    invite: &db::Row,
    now: DateTime<Utc>,
) -> Result<bool> {
    let maker = team_membership(connection, invite.team_id, invite.created_by).await?;
    let is_backed = maker.is_some_and(|maker| {
        maker.permissions.contains(TeamPermission::TeamMembersInvite)
            && maker.must_hold(&invite.gives()).is_ok()
    });
    Ok(is_backed && DateTime::<Utc>::from(invite.expires_at) > now && invite.use_count < invite.max_uses)
}
