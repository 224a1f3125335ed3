//! Recipients of notifications about an extension.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use shared::{
    Result,
    catalogue::TeamPermission,
    id::UserId,
    schema::{developer_profiles, developer_team_members, developer_team_roles, developer_teams, extensions},
};

/// Maximum number of members of a team that are notified.
const MAX_RECIPIENTS: i64 = 100;
/// Permissions of which one makes a member of a team a recipient.
const RECIPIENTS: [TeamPermission; 3] = [
    TeamPermission::TeamExtensionsPublish,
    TeamPermission::TeamVersionsCreate,
    TeamPermission::TeamVersionsEdit,
];

/// Returns an extension's name and its developers: the person who owns it, or the owner of the team and the
/// members who upload or publish its versions (reference/teams.md#extensions-of-a-team). A built-in extension
/// has no developer.
///
/// # Errors
/// Database failure, or no such extension.
pub async fn developers(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<(String, Vec<UserId>)> {
    let (name, owner, team): (String, Option<UserId>, Option<Uuid>) = extensions::table
        .left_join(developer_profiles::table)
        .filter(extensions::id.eq(extension))
        .select((extensions::name, developer_profiles::user_id.nullable(), extensions::owner_team_id))
        .first(connection)
        .await?;
    match team {
        Some(team) => Ok((name, members(connection, team).await?)),
        None => Ok((name, owner.into_iter().collect())),
    }
}

async fn members(connection: &mut AsyncPgConnection, team: Uuid) -> Result<Vec<UserId>> {
    let texts: Vec<&str> = RECIPIENTS.iter().map(|permission| permission.text()).collect();
    let is_recipient = developer_team_roles::permissions
        .overlaps_with(texts)
        .or(developer_teams::owner_id.eq(developer_team_members::user_id));
    Ok(developer_team_members::table
        .inner_join(developer_teams::table)
        .inner_join(
            developer_team_roles::table.on(developer_team_roles::id.eq(developer_team_members::role_id)),
        )
        .filter(developer_team_members::team_id.eq(team))
        .filter(is_recipient)
        .order(developer_team_members::id)
        .limit(MAX_RECIPIENTS)
        .select(developer_team_members::user_id)
        .load(connection)
        .await?)
}
