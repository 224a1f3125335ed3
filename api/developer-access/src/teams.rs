//! Teams of developers: creation and membership (reference/teams.md#team).

use api_core::{
    Result,
    access::{TeamMembership, team_membership},
};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::{Permission, TeamPermission},
    id::UserId,
    schema::{developer_team_members, developer_team_roles, developer_teams},
};
use uuid::Uuid;

pub use crate::slugs::is_taken as slug_is_taken;
/// Membership of a person in a team.
pub use api_core::access::TeamMembership as Membership;

/// Slug of the owner's role.
pub const OWNER_ROLE: &str = "team-owner";

/// Permissions that the role Admin lacks by default (reference/teams.md#default-roles).
const NOT_OF_ADMINS: [TeamPermission; 3] =
    [TeamPermission::TeamSettingsEdit, TeamPermission::TeamPayoutsEdit, TeamPermission::TeamMembersRemove];

/// Permissions of the role Member by default (reference/teams.md#default-roles).
const OF_MEMBERS: [TeamPermission; 7] = [
    TeamPermission::TeamExtensionsCreate,
    TeamPermission::TeamExtensionsEdit,
    TeamPermission::TeamExtensionsAnalytics,
    TeamPermission::TeamVersionsCreate,
    TeamPermission::TeamMembersRead,
    TeamPermission::TeamSecretsRead,
    TeamPermission::TeamSettingsRead,
];

/// A team to create. Its fields are checked before.
#[derive(Debug, Clone)]
pub struct NewTeam {
    /// Person who owns the team and is its first member.
    pub owner: UserId,
    /// Name.
    pub name: String,
    /// Slug, unique among developers and teams.
    pub slug: String,
    /// Description.
    pub description: Option<String>,
    /// Address of the team at GitHub.
    pub github_url: Option<String>,
    /// Address of the team's website.
    pub website_url: Option<String>,
    /// Key of the picture.
    pub avatar_key: Option<String>,
    /// Time of creation.
    pub now: DateTime<Utc>,
}

/// Creates a team with its three default roles and its owner as a member. Returns the id of the team. Call it
/// in a transaction that has checked the slug with [`slug_is_taken`].
///
/// # Errors
/// 409 when another team has the slug; `DATABASE_ERROR` when the database fails.
pub async fn create(connection: &mut AsyncPgConnection, new: NewTeam) -> Result<Uuid> {
    let (team, owner, now) = (shared::id::new(), new.owner, new.now);
    let inserted = insert_into(developer_teams::table)
        .values((
            developer_teams::id.eq(team),
            developer_teams::owner_id.eq(owner),
            developer_teams::name.eq(new.name),
            developer_teams::slug.eq(new.slug),
            developer_teams::description.eq(new.description),
            developer_teams::github_url.eq(new.github_url),
            developer_teams::website_url.eq(new.website_url),
            developer_teams::avatar_key.eq(new.avatar_key),
            developer_teams::created_at.eq(now),
            developer_teams::updated_at.eq(now),
        ))
        .on_conflict(developer_teams::slug)
        .do_nothing()
        .execute(connection)
        .await?;
    if inserted == 0 {
        return Err(crate::slugs::taken());
    }
    let owners_role = insert_roles(connection, team, now).await?;
    insert_into(developer_team_members::table)
        .values((
            developer_team_members::id.eq(shared::id::new()),
            developer_team_members::team_id.eq(team),
            developer_team_members::user_id.eq(owner),
            developer_team_members::role_id.eq(owners_role),
            developer_team_members::joined_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(team)
}

/// Inserts the default roles and returns the id of the owner's.
async fn insert_roles(connection: &mut AsyncPgConnection, team: Uuid, now: DateTime<Utc>) -> Result<Uuid> {
    let owners_role = shared::id::new();
    let all = TeamPermission::ALL;
    let admins: Vec<_> = all.iter().copied().filter(|one| !NOT_OF_ADMINS.contains(one)).collect();
    let roles = [
        (owners_role, OWNER_ROLE, "Owner", all, true),
        (shared::id::new(), "team-admin", "Admin", &admins[..], false),
        (shared::id::new(), "team-member", "Member", &OF_MEMBERS[..], false),
    ];
    let rows = roles.map(|(id, slug, name, permissions, is_system)| {
        (
            developer_team_roles::id.eq(id),
            developer_team_roles::team_id.eq(team),
            developer_team_roles::slug.eq(slug),
            developer_team_roles::name.eq(name),
            developer_team_roles::permissions.eq(texts(permissions)),
            developer_team_roles::is_system.eq(is_system),
            developer_team_roles::created_at.eq(now),
            developer_team_roles::updated_at.eq(now),
        )
    });
    insert_into(developer_team_roles::table).values(Vec::from(rows)).execute(connection).await?;
    Ok(owners_role)
}

fn texts(permissions: &[TeamPermission]) -> Vec<String> {
    permissions.iter().map(|permission| permission.text().to_owned()).collect()
}

/// Membership of a person in a team; `None` when there is no such team or the person does not belong to it.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn membership(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    user: UserId,
) -> Result<Option<TeamMembership>> {
    team_membership(connection, team, user).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insert_roles_holds_the_permissions_of_the_reference() {
        assert_eq!(TeamPermission::ALL.len() - NOT_OF_ADMINS.len(), 17);
        assert_eq!(OF_MEMBERS.len(), 7);
        assert!(NOT_OF_ADMINS.iter().all(|permission| !OF_MEMBERS.contains(permission)));
    }
}
