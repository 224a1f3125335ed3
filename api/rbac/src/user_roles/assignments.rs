//! Assignments of platform-wide roles (reference/permissions.md#user-roles).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, Grants},
};
use diesel_async::AsyncConnection;
use foundation::invalidation::Invalidation;
use serde::Deserialize;
use serde_json::json;
use shared::{catalogue::AdminPermission, id::UserId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{UserRoleAssignment, UserRoleMember, db, not_found};
use crate::{authority::Authority, people, publish};

/// Role to assign.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct AssignUserRoleInput {
    /// Identifier of the role.
    pub role_id: Uuid,
}

/// Result of an assignment.
#[derive(Debug, Clone)]
pub struct Assigned {
    /// Assignment.
    pub assignment: UserRoleAssignment,
    /// False when the person held the role already.
    pub is_new: bool,
}

pub static USER_ROLE_MEMBERS: Operation<Admin> =
    Operation::admin("userRoleMembers", AdminPermission::UserRolesRead, Grants::Nothing);

/// Lists the people who were assigned a platform-wide role, the latest 1000.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such role.
#[api_core::operation]
pub async fn user_role_members(cx: &Cx, role: Input<Uuid>) -> Result<Vec<UserRoleMember>> {
    let admin = cx.authorize(&USER_ROLE_MEMBERS).await?;
    let (role, mut connection) = (role?, admin.db().await?);
    db::find(&mut connection, role).await?.ok_or_else(not_found)?;
    db::members(&mut connection, role).await
}

pub static USER_ROLE_ASSIGNMENTS: Operation<Admin> =
    Operation::admin("userRoleAssignments", AdminPermission::UserRolesRead, Grants::Nothing);

/// Lists the platform-wide roles that a person was assigned.
///
/// An empty list means that the person has the default role.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such person.
#[api_core::operation]
pub async fn user_role_assignments(cx: &Cx, user: Input<Uuid>) -> Result<Vec<UserRoleAssignment>> {
    let admin = cx.authorize(&USER_ROLE_ASSIGNMENTS).await?;
    let (user, mut connection) = (UserId(user?), admin.db().await?);
    people::find(&mut connection, user).await?;
    db::assignments(&mut connection, user).await
}

pub static ASSIGN_USER_ROLE: Operation<Admin> =
    Operation::admin("assignUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions).idempotent();

/// Assigns a platform-wide role to a person.
///
/// The first assignment replaces the default role. A role that the person holds already stays as it was
/// assigned; REST then returns 200 instead of 201. The assignment takes effect at once.
///
/// # Errors
/// Refusals of the access rule; 403 when the role, or the default one that it replaces, holds a permission
/// that the caller lacks, and for a person who holds a staff permission that the caller lacks; 404 when there
/// is no such person or role.
#[api_core::operation]
pub async fn assign_user_role(
    cx: &Cx,
    user: Input<Uuid>,
    input: Input<AssignUserRoleInput>,
) -> Result<Assigned> {
    let admin = cx.authorize(&ASSIGN_USER_ROLE).await?;
    let (user, role, now) = (UserId(user?), input?.role_id, cx.state().clock.now());
    let assigned = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            people::lock_user(connection, user).await?;
            let given = db::find(connection, role).await?.ok_or_else(not_found)?;
            let mut concerned = given.held();
            if db::assignments(connection, user).await?.is_empty() {
                // The first assignment replaces the default role.
                concerned.extend(db::default_permissions(connection).await?.iter());
            }
            authority.must_hold_as_user(connection, &concerned).await?;
            authority.must_reach(connection, user).await?;
            let Some(assignment) = db::assign(connection, user, role, admin.user, now).await? else {
                let held = db::assignment(connection, user, role).await?;
                return Ok(Assigned { assignment: held.ok_or_else(no_assignment)?, is_new: false });
            };
            let mut entry = cx.audit_system("user_role:assigned", "user", user);
            entry.metadata = json!({ "role_id": role });
            foundation::audit::record(connection, entry).await?;
            publish::user(connection, user, now).await?;
            Ok::<_, ApiError>(Assigned { assignment, is_new: true })
        })
        .await?;
    if assigned.is_new {
        cx.changed(Invalidation::User { user_id: user.0 }).await;
    }
    Ok(assigned)
}

pub static REMOVE_USER_ROLE: Operation<Admin> =
    Operation::admin("removeUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Removes a platform-wide role from a person.
///
/// A person who has no other role gets the default one. The removal takes effect at once.
///
/// # Errors
/// Refusals of the access rule; 403 when the role, or the default one that replaces it, holds a permission
/// that the caller lacks, and for a person who holds a staff permission that the caller lacks; 404 when the
/// person does not hold the role.
#[api_core::operation]
pub async fn remove_user_role(cx: &Cx, user: Input<Uuid>, role: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&REMOVE_USER_ROLE).await?;
    let (user, role, now) = (UserId(user?), role?, cx.state().clock.now());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let assigned = db::assignments(connection, user).await?;
            if !assigned.iter().any(|assignment| assignment.role_id == role) {
                return Err(no_assignment());
            }
            let mut concerned = db::find(connection, role).await?.ok_or_else(no_assignment)?.held();
            if assigned.len() == 1 {
                // A person who loses the last assignment gets the default role.
                concerned.extend(db::default_permissions(connection).await?.iter());
            }
            authority.must_hold_as_user(connection, &concerned).await?;
            authority.must_reach(connection, user).await?;
            db::unassign(connection, user, role).await?;
            let mut entry = cx.audit_system("user_role:removed", "user", user);
            entry.metadata = json!({ "role_id": role });
            foundation::audit::record(connection, entry).await?;
            publish::user(connection, user, now).await
        })
        .await?;
    cx.changed(Invalidation::User { user_id: user.0 }).await;
    Ok(())
}

fn no_assignment() -> ApiError {
    ApiError::not_found("Role assignment not found")
}
