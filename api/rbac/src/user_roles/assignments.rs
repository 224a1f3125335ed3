//! Who holds which platform-wide role (specification A §2.9, §4.6).

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, Grants},
};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::AdminPermission, db::schema::user_role_assignments, id::UserId, invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{db, not_found};
use crate::{authority::Authority, people, tell};

/// That a person holds a role.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = user_role_assignments)]
pub struct UserRoleAssignment {
    pub user_id: Uuid,
    pub role_id: Uuid,
    /// Null once that person is gone.
    pub assigned_by: Option<Uuid>,
    pub created_at: Timestamp,
}

/// A person who holds a role.
#[derive(Debug, Clone, Serialize, Queryable, GraphQLObject, ToSchema)]
pub struct UserRoleMember {
    pub user_id: Uuid,
    pub display_name: String,
    pub email: Option<String>,
    pub avatar_url: Option<String>,
    /// Null once that person is gone.
    pub assigned_by: Option<Uuid>,
    pub assigned_at: Timestamp,
}

/// Which role to assign.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct AssignUserRoleInput {
    pub role_id: Uuid,
}

/// An assignment, and whether it is new.
#[derive(Debug, Clone)]
pub struct Assigned {
    pub assignment: UserRoleAssignment,
    pub is_new: bool,
}

/// The people who hold a role.
pub static USER_ROLE_MEMBERS: Operation<Admin> =
    Operation::admin("userRoleMembers", AdminPermission::UserRolesRead, Grants::Nothing);

/// Lists the people who were assigned a role, the latest 1000.
///
/// # Errors
/// As the rule; 404 when there is no such role.
pub async fn user_role_members(cx: &Cx, role: Input<Uuid>) -> Result<Vec<UserRoleMember>> {
    let admin = cx.authorize(&USER_ROLE_MEMBERS).await?;
    let (role, mut connection) = (role?, admin.db().await?);
    db::find(&mut connection, role).await?.ok_or_else(not_found)?;
    db::members(&mut connection, role).await
}

/// The roles of a person.
pub static USER_ROLE_ASSIGNMENTS: Operation<Admin> =
    Operation::admin("userRoleAssignments", AdminPermission::UserRolesRead, Grants::Nothing);

/// Lists the roles that a person was assigned; none means that the default role holds.
///
/// # Errors
/// As the rule; 404 when there is no such person.
pub async fn user_role_assignments(cx: &Cx, user: Input<Uuid>) -> Result<Vec<UserRoleAssignment>> {
    let admin = cx.authorize(&USER_ROLE_ASSIGNMENTS).await?;
    let (user, mut connection) = (UserId(user?), admin.db().await?);
    people::find(&mut connection, user).await?;
    db::assignments(&mut connection, user).await
}

/// Gives a person a role.
pub static ASSIGN_USER_ROLE: Operation<Admin> =
    Operation::admin("assignUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Gives a person a role, in the place of the default one when it is the first. One that the person holds already
/// stays as it was assigned.
///
/// # Errors
/// As the rule; 403 when the role, or the default one that it replaces, holds what the caller lacks, and for somebody who
/// holds more as staff; 404 when there is no such person or role.
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
            people::hold(connection, user).await?;
            let given = db::find(connection, role).await?.ok_or_else(not_found)?;
            let mut concerned = given.held();
            if db::assignments(connection, user).await?.is_empty() {
                // The first assignment takes the default role's place.
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
            shared::audit::record(connection, entry).await?;
            tell::user(connection, user, now).await?;
            Ok::<_, ApiError>(Assigned { assignment, is_new: true })
        })
        .await?;
    if assigned.is_new {
        cx.changed(Invalidation::User { user_id: user.0 }).await;
    }
    Ok(assigned)
}

/// Takes a role from a person.
pub static REMOVE_USER_ROLE: Operation<Admin> =
    Operation::admin("removeUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Takes a role from a person; whoever is left without one gets the default role.
///
/// # Errors
/// As the rule; 403 when the role, or the default one that replaces it, holds what the caller lacks, and for somebody who
/// holds more as staff; 404 when the person does not hold the role.
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
                // Whoever loses the last assignment gets the default role.
                concerned.extend(db::default_permissions(connection).await?.iter());
            }
            authority.must_hold_as_user(connection, &concerned).await?;
            authority.must_reach(connection, user).await?;
            db::unassign(connection, user, role).await?;
            let mut entry = cx.audit_system("user_role:removed", "user", user);
            entry.metadata = json!({ "role_id": role });
            shared::audit::record(connection, entry).await?;
            tell::user(connection, user, now).await
        })
        .await?;
    cx.changed(Invalidation::User { user_id: user.0 }).await;
    Ok(())
}

fn no_assignment() -> ApiError {
    ApiError::not_found("Role assignment not found")
}
