//! New owners of extensions: a team that the caller belongs to, or the caller.

use api_core::{
    ApiError, Result,
    access::{SignedIn, team_membership, team_not_found},
};
use developer_access::{extensions::Owner, profile};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::TeamPermission,
    schema::{developer_profiles, developer_teams},
};
use uuid::Uuid;

/// Team that takes an extension of the caller.
///
/// # Errors
/// 404 when the caller does not belong to the team; 403 without `team-extensions:create` in it.
pub(super) async fn team(connection: &mut AsyncPgConnection, caller: &SignedIn, team: Uuid) -> Result<Owner> {
    let member = team_membership(connection, team, caller.user).await?.ok_or_else(team_not_found)?;
    member.require(TeamPermission::TeamExtensionsCreate)?;
    let profile: Option<(Uuid, bool)> = developer_teams::table
        .inner_join(developer_profiles::table.on(developer_profiles::user_id.eq(developer_teams::owner_id)))
        .filter(developer_teams::id.eq(team))
        .select((developer_profiles::id, developer_profiles::verified))
        .first(connection)
        .await
        .optional()?;
    Ok(Owner {
        developer: None,
        team: Some(team),
        profile: profile.map(|(id, _)| id),
        verified: profile.is_some_and(|(_, verified)| verified),
        is_caller: member.is_owner,
        permissions: member.permissions,
    })
}

/// The caller, who takes an extension of a team.
///
/// # Errors
/// 403 for a caller without a developer profile.
pub(super) async fn person(connection: &mut AsyncPgConnection, caller: &SignedIn) -> Result<Owner> {
    let profile = profile::find(connection, caller.user).await?;
    let profile = profile
        .ok_or_else(|| ApiError::forbidden("You must be an approved developer to take an extension"))?;
    Ok(Owner::solo(&profile))
}
