//! Changes and deletion of a team.

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result,
    access::{Grants, TeamCaller, team_not_found},
};
use developer_access::credentials::carries;
use diesel_async::AsyncConnection;
use serde_json::json;
use shared::catalogue::{AccountPermission, TeamPermission};
use uuid::Uuid;

use super::{
    DeveloperTeam, db,
    input::{Changes, UpdateDeveloperTeamInput},
};
use crate::members;

pub static UPDATE_DEVELOPER_TEAM: Operation<TeamCaller> =
    Operation::team("updateDeveloperTeam", TeamPermission::TeamSettingsEdit, Grants::Nothing);

/// Changes a team.
///
/// Absent fields stay. The slug does not change.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field.
/// - 403 for a key that does not carry `extension-dev:edit`.
/// - 404 when the caller does not belong to the team, or the account has no such image.
#[api_core::operation]
pub async fn update_developer_team(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateDeveloperTeamInput>,
) -> Result<DeveloperTeam> {
    let caller = cx.authorize(&UPDATE_DEVELOPER_TEAM).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, input) = (id?, input?);
    let avatar = input.avatar_key;
    let changes = Changes::checked(input, cx.state().clock.now())?;
    let member = caller.member_of(id).await?;
    let account = cx.active_account().await?;
    member
        .db()
        .await?
        .transaction(async |connection| {
            member.check_need(&member.lock(connection).await?)?;
            if let Patch::Value(avatar) = avatar {
                db::check_image(connection, account, avatar).await?;
            }
            db::update(connection, member.team, changes).await?;
            let entry = crate::fields::audit(cx, "developer_team:updated", "developer_team", member.team);
            foundation::audit::record(connection, entry).await?;
            db::find(connection, member.user, member.team).await?.ok_or_else(team_not_found)
        })
        .await
}

pub static DELETE_DEVELOPER_TEAM: Operation<TeamCaller> =
    Operation::team_owner("deleteDeveloperTeam", Grants::TeamPermissions);

/// Deletes a team.
///
/// Only its owner can. Members, roles and invites end with it. Extensions of the team without installs become
/// the owner's, and so does its balance.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a member who is not the owner, and for a key that does not carry `extension-dev:edit`.
/// - 404 when the caller does not belong to the team.
/// - 409 when the team owns an extension with installs, has an open payout, or the owner has no developer
///   profile to take its extensions.
#[api_core::operation]
pub async fn delete_developer_team(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_DEVELOPER_TEAM).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let member = caller.member_of(id?).await?;
    let now = cx.state().clock.now();
    member
        .db()
        .await?
        .transaction(async |connection| {
            member.check_need(&member.lock(connection).await?)?;
            if db::has_installs(connection, member.team).await? {
                return Err(ApiError::conflict("The team owns an extension with installs"));
            }
            if db::has_open_payout(connection, member.team).await? {
                return Err(ApiError::conflict("The team has a pending payout"));
            }
            if !db::owner_has_room(connection, member.team, member.user).await? {
                return Err(ApiError::new(Code::PlanLimitReached, "Extension limit reached"));
            }
            let moved = db::release_extensions(connection, member.team, member.user, now).await?;
            members::db::withhold_answers(connection, member.team, None).await?;
            if !db::delete(connection, member.team).await? {
                return Err(ApiError::conflict("The team owns extensions that its owner cannot take"));
            }
            let mut entry = crate::fields::audit(cx, "developer_team:deleted", "developer_team", member.team);
            entry.metadata = json!({ "released_extensions": moved });
            Ok(foundation::audit::record(connection, entry).await?)
        })
        .await
}
