//! Invites to a team (reference/teams.md#invites).

mod accept;
mod create;
pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn, TeamCaller},
};
use developer_access::credentials::carries;
use diesel_async::AsyncConnection;
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::catalogue::{AccountPermission, TeamPermission};
use utoipa::ToSchema;
use uuid::Uuid;

pub use accept::{ACCEPT_DEVELOPER_TEAM_INVITE, accept_developer_team_invite};
pub use create::{
    CREATE_DEVELOPER_TEAM_INVITE, CreateDeveloperTeamInviteInput, create_developer_team_invite,
};

use crate::fields::TeamRoleName;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &DEVELOPER_TEAM_INVITES,
    &CREATE_DEVELOPER_TEAM_INVITE,
    &DELETE_DEVELOPER_TEAM_INVITE,
    &DEVELOPER_TEAM_INVITE_BY_CODE,
    &ACCEPT_DEVELOPER_TEAM_INVITE,
];

/// An invite to a team.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperTeamInvite {
    /// Id.
    pub id: Uuid,
    /// Code, which every holder can take. Null for callers without every permission of the role.
    pub code: Option<String>,
    /// Address with the code; null together with it.
    pub url: Option<String>,
    /// Role of a new member.
    pub role: TeamRoleName,
    /// Address that the invite was mailed to; null when it was not mailed.
    pub email: Option<String>,
    /// Time of expiry.
    pub expires_at: Timestamp,
    /// Maximum number of uses.
    pub max_uses: i32,
    /// Number of uses.
    pub use_count: i32,
    /// Member who made the invite.
    pub created_by: Uuid,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// A team in the preview of an invite.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct InvitingTeam {
    /// Name.
    pub name: String,
    /// Slug.
    pub slug: String,
    /// Upload of the picture, or null.
    pub avatar_key: Option<String>,
}

/// Preview of an invite for holders of its code.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperTeamInvitePreview {
    /// Team.
    pub team: InvitingTeam,
    /// Role of a new member.
    pub role: TeamRoleName,
    /// Time of expiry.
    pub expires_at: Timestamp,
    /// True when the invite can be taken.
    pub is_valid: bool,
}

pub static DEVELOPER_TEAM_INVITES: Operation<TeamCaller> =
    Operation::team("developerTeamInvites", TeamPermission::TeamMembersInvite, Grants::Nothing);

/// Lists the invites of a team, newest first.
///
/// A code is shown only to callers who hold every permission of the invite's role.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:read`.
/// - 404 when the caller does not belong to the team.
#[api_core::operation]
pub async fn developer_team_invites(cx: &Cx, id: Input<Uuid>) -> Result<Vec<DeveloperTeamInvite>> {
    let caller = cx.authorize(&DEVELOPER_TEAM_INVITES).await?;
    carries(cx, AccountPermission::ExtensionDevRead)?;
    let member = caller.member_of(id?).await?;
    let rows = db::list(&mut *member.db().await?, member.team).await?;
    let held = &member.membership;
    Ok(rows
        .into_iter()
        .map(|row| {
            let is_covered = held.must_hold(&row.gives()).is_ok();
            row.shown(cx, is_covered)
        })
        .collect())
}

pub static DELETE_DEVELOPER_TEAM_INVITE: Operation<TeamCaller> =
    Operation::team("deleteDeveloperTeamInvite", TeamPermission::TeamMembersInvite, Grants::TeamPermissions);

/// Deletes an invite of a team.
///
/// Its code stops working. Members who joined by it stay.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:edit`.
/// - 404 when the caller does not belong to the team, or the team has no such invite.
#[api_core::operation]
pub async fn delete_developer_team_invite(cx: &Cx, id: Input<Uuid>, invite_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_DEVELOPER_TEAM_INVITE).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, invite) = (id?, invite_id?);
    let member = caller.member_of(id).await?;
    member
        .db()
        .await?
        .transaction(async |connection| {
            member.check_need(&member.lock(connection).await?)?;
            if !db::delete(connection, member.team, invite).await? {
                return Err(not_found());
            }
            let mut entry =
                crate::fields::audit(cx, "developer_team:invite_deleted", "developer_team_invite", invite);
            entry.metadata = json!({ "team_id": member.team });
            Ok(foundation::audit::record(connection, entry).await?)
        })
        .await
}

pub static DEVELOPER_TEAM_INVITE_BY_CODE: Operation<SignedIn> =
    Operation::first_party("developerTeamInviteByCode", Grants::Nothing);

/// Returns the preview of the invite with a code.
///
/// It names the team and the role; it does not show who made the invite.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no invite has this code.
#[api_core::operation]
pub async fn developer_team_invite_by_code(cx: &Cx, code: &str) -> Result<DeveloperTeamInvitePreview> {
    let caller = cx.authorize(&DEVELOPER_TEAM_INVITE_BY_CODE).await?;
    let mut connection = caller.db().await?;
    let (invite, team) = db::by_code(&mut connection, code).await?.ok_or_else(not_found)?;
    let is_valid = accept::is_valid(&mut connection, &invite, cx.state().clock.now()).await?;
    Ok(DeveloperTeamInvitePreview { team, expires_at: invite.expires_at, role: invite.role(), is_valid })
}

fn not_found() -> ApiError {
    ApiError::not_found("Invite not found")
}
