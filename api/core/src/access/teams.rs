//! Membership in a team of developers, and the callers of operations on teams
//! (reference/teams.md#access). A membership is read for each request and stored in no cache: who has left a
//! team has no rights in it from the next request on.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::{Permission, PermissionSet, TeamPermission},
    id::UserId,
    schema::{developer_team_members, developer_team_roles, developer_teams},
};
use uuid::Uuid;

use super::rights::missing;
use crate::{ApiError, Result};

/// Permissions in a team of developers.
pub type TeamScopes = PermissionSet<TeamPermission>;

/// Membership of a person in a team of developers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamMembership {
    /// Id of the membership.
    pub member_id: Uuid,
    /// Role of the member.
    pub role_id: Uuid,
    /// Slug of the role.
    pub role_slug: String,
    /// Name of the role.
    pub role_name: String,
    /// Permissions of the role.
    pub permissions: TeamScopes,
    /// True for the owner of the team.
    pub is_owner: bool,
}

impl TeamMembership {
    /// Rank among the members: the number of permissions. The owner's exceeds every other
    /// (reference/teams.md#ranks).
    #[must_use]
    pub const fn rank(&self) -> usize {
        if self.is_owner { TeamPermission::ALL.len() + 1 } else { self.permissions.len() }
    }

    /// Checks a permission of the member.
    ///
    /// # Errors
    /// 403 without the permission.
    pub fn require(&self, permission: TeamPermission) -> Result<()> {
        if self.permissions.contains(permission) { Ok(()) } else { Err(missing(permission.text())) }
    }

    /// Checks that the member may grant or take everything in `asked`.
    ///
    /// # Errors
    /// 403 that names a permission that the member lacks.
    pub fn must_hold(&self, asked: &TeamScopes) -> Result<()> {
        match asked.iter().find(|permission| !self.permissions.contains(*permission)) {
            None => Ok(()),
            Some(lacking) => Err(missing(lacking.text())),
        }
    }
}

/// Membership of a person in a team; `None` when there is no such team or the person does not belong to it.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn team_membership(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    user: UserId,
) -> Result<Option<TeamMembership>> {
    type Row = (Uuid, Uuid, String, String, Vec<String>, UserId);
    let row: Option<Row> = developer_team_members::table
        .inner_join(developer_teams::table)
        .inner_join(
            developer_team_roles::table.on(developer_team_roles::id.eq(developer_team_members::role_id)),
        )
        .filter(developer_team_members::team_id.eq(team).and(developer_team_members::user_id.eq(user)))
        .select((
            developer_team_members::id,
            developer_team_roles::id,
            developer_team_roles::slug,
            developer_team_roles::name,
            developer_team_roles::permissions,
            developer_teams::owner_id,
        ))
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(|(member_id, role_id, role_slug, role_name, permissions, owner)| TeamMembership {
        member_id,
        role_id,
        role_slug,
        role_name,
        permissions: PermissionSet::from_strings(&permissions),
        is_owner: owner == user,
    }))
}

/// Locks a team until the transaction ends: other changes of its rights wait. Returns false when there is no
/// such team.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(super) async fn lock_team(connection: &mut AsyncPgConnection, team: Uuid) -> Result<bool> {
    let locked: Option<Uuid> = developer_teams::table
        .find(team)
        .select(developer_teams::id)
        .for_update()
        .first(connection)
        .await
        .optional()?;
    Ok(locked.is_some())
}

/// 404 of a team that does not exist or that the caller does not belong to.
#[must_use]
pub fn team_not_found() -> ApiError {
    ApiError::not_found("Team not found")
}
