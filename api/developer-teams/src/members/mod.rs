//! Members of a team (reference/teams.md#members).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, TeamCaller, TeamMembership, team_membership},
};
use developer_access::credentials::carries;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, TeamPermission},
    id::UserId,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    fields::{TeamRoleName, role_not_found},
    roles,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&DEVELOPER_TEAM_MEMBERS, &UPDATE_DEVELOPER_TEAM_MEMBER_ROLE, &REMOVE_DEVELOPER_TEAM_MEMBER];

/// A member of a team.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperTeamMember {
    /// Id of the membership.
    pub id: Uuid,
    /// Person.
    pub user_id: Uuid,
    /// Display name.
    pub display_name: String,
    /// Address of the picture, or null.
    pub avatar_url: Option<String>,
    /// Role.
    pub role: TeamRoleName,
    /// Time of joining.
    pub joined_at: Timestamp,
}

/// New role of a member.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "role_id": "0196b1a0-7c00-7000-8000-000000000001" }))]
pub struct UpdateDeveloperTeamMemberRoleInput {
    /// Role of the team, not the owner's.
    pub role_id: Uuid,
}

pub static DEVELOPER_TEAM_MEMBERS: Operation<TeamCaller> =
    Operation::team("developerTeamMembers", TeamPermission::TeamMembersRead, Grants::Nothing);

/// Lists the members of a team, the first joined one first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:read`.
/// - 404 when the caller does not belong to the team.
#[api_core::operation]
pub async fn developer_team_members(cx: &Cx, id: Input<Uuid>) -> Result<Vec<DeveloperTeamMember>> {
    let caller = cx.authorize(&DEVELOPER_TEAM_MEMBERS).await?;
    carries(cx, AccountPermission::ExtensionDevRead)?;
    let member = caller.member_of(id?).await?;
    db::list(&mut *member.db().await?, member.team, None).await
}

pub static UPDATE_DEVELOPER_TEAM_MEMBER_ROLE: Operation<TeamCaller> = Operation::team(
    "updateDeveloperTeamMemberRole",
    TeamPermission::TeamMembersEdit,
    Grants::TeamPermissions,
);

/// Gives a member of a team another role.
///
/// The member ranks below the caller, and the caller holds every permission of the present and of the new
/// role.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for the owner's role.
/// - 403 for a member who does not rank below the caller, for a role with a permission that the caller lacks,
///   and for a key that does not carry `extension-dev:edit`.
/// - 404 when the caller does not belong to the team, or the team has no such member or role.
/// - 409 for the owner of the team.
#[api_core::operation]
pub async fn update_developer_team_member_role(
    cx: &Cx,
    id: Input<Uuid>,
    member_id: Input<Uuid>,
    input: Input<UpdateDeveloperTeamMemberRoleInput>,
) -> Result<DeveloperTeamMember> {
    let caller = cx.authorize(&UPDATE_DEVELOPER_TEAM_MEMBER_ROLE).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, member_id, role) = (id?, member_id?, input?.role_id);
    let member = caller.member_of(id).await?;
    member
        .db()
        .await?
        .transaction(async |connection| {
            let own = member.lock(connection).await?;
            member.check_need(&own)?;
            let (user, target) = target(connection, member.team, member_id).await?;
            let role = roles::db::find(connection, member.team, role).await?.ok_or_else(role_not_found)?;
            if role.is_system {
                return Err(ApiError::invalid("role_id must not be the owner's role"));
            }
            reach(&own, &target)?;
            own.must_hold(&role.held())?;
            db::set_role(connection, member.team, member_id, role.id).await?;
            let mut entry =
                crate::fields::audit(cx, "developer_team:role_changed", "developer_team", member.team);
            entry.metadata = json!({ "user_id": user, "from": target.role_id, "to": role.id });
            foundation::audit::record(connection, entry).await?;
            db::find(connection, member.team, member_id).await?.ok_or_else(not_found)
        })
        .await
}

pub static REMOVE_DEVELOPER_TEAM_MEMBER: Operation<TeamCaller> =
    Operation::team("removeDeveloperTeamMember", TeamPermission::TeamMembersRemove, Grants::TeamPermissions)
        .or_own();

/// Removes a member of a team, or ends the caller's own membership.
///
/// The member loses every right in the team immediately. The invites of the member end.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a member who does not rank below the caller or holds a permission that the caller lacks, and for
///   a key that does not carry `extension-dev:edit`.
/// - 404 when the caller does not belong to the team, or the team has no such member.
/// - 409 for the owner of the team.
#[api_core::operation]
pub async fn remove_developer_team_member(cx: &Cx, id: Input<Uuid>, member_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REMOVE_DEVELOPER_TEAM_MEMBER).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, member_id) = (id?, member_id?);
    let member = caller.any_member_of(id).await?;
    member
        .db()
        .await?
        .transaction(async |connection| {
            let own = member.lock(connection).await?;
            if own.member_id != member_id {
                member.check_need(&own)?;
            }
            let (user, target) = target(connection, member.team, member_id).await?;
            if own.member_id != member_id {
                reach(&own, &target)?;
            }
            db::withhold_answers(connection, member.team, Some(member_id)).await?;
            db::remove(connection, member.team, member_id).await?;
            let mut entry =
                crate::fields::audit(cx, "developer_team:member_removed", "developer_team", member.team);
            entry.metadata = json!({ "user_id": user, "role_id": target.role_id });
            Ok(foundation::audit::record(connection, entry).await?)
        })
        .await
}

/// A member whom a change is about.
///
/// # Errors
/// 404 when the team has no such member; 409 for the owner.
async fn target(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    member: Uuid,
) -> Result<(UserId, TeamMembership)> {
    let user = db::person(connection, team, member).await?.ok_or_else(not_found)?;
    let target = team_membership(connection, team, user).await?.ok_or_else(not_found)?;
    if target.is_owner {
        return Err(ApiError::conflict("The membership of the owner cannot be changed"));
    }
    Ok((user, target))
}

/// Checks that the caller may change a member (reference/teams.md#ranks).
///
/// # Errors
/// 403 for a member who does not rank below the caller, and for one who holds a permission that the caller
/// lacks.
fn reach(own: &TeamMembership, target: &TeamMembership) -> Result<()> {
    own.must_hold(&target.permissions)?;
    if target.rank() < own.rank() {
        return Ok(());
    }
    Err(ApiError::forbidden("The member does not rank below you"))
}

fn not_found() -> ApiError {
    ApiError::not_found("Member not found")
}
