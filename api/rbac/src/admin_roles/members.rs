//! Members of operator staff (reference/administration.md#staff-roles).

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

use super::{AdminRoleMember, db, not_found};
use crate::{
    authority::{Authority, must_have_a_system_admin},
    people, publish,
};

/// Person who gets the role.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct AssignAdminRoleInput {
    /// Identifier of the person.
    pub user_id: Uuid,
}

pub static ADMIN_ROLE_MEMBERS: Operation<Admin> =
    Operation::admin("adminRoleMembers", AdminPermission::AdminRolesRead, Grants::Nothing);

/// Lists the people who hold a role of operator staff, the latest 1000.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such role.
#[api_core::operation]
pub async fn admin_role_members(cx: &Cx, role: Input<Uuid>) -> Result<Vec<AdminRoleMember>> {
    let admin = cx.authorize(&ADMIN_ROLE_MEMBERS).await?;
    let (role, mut connection) = (role?, admin.db().await?);
    db::find(&mut connection, role).await?.ok_or_else(not_found)?;
    db::members(&mut connection, role).await
}

pub static ADMIN_ASSIGN_USER_ROLE: Operation<Admin> =
    Operation::admin("adminAssignUserRole", AdminPermission::AdminRolesEdit, Grants::AdminPermissions)
        .idempotent();

/// Assigns a role of operator staff to a person.
///
/// Returns false when the person held it already. The assignment takes effect at once.
///
/// # Errors
/// Refusals of the access rule; 403 when the role or the person holds a permission that the caller lacks; 404
/// when there is no such role or person.
#[api_core::operation]
pub async fn admin_assign_user_role(
    cx: &Cx,
    role: Input<Uuid>,
    input: Input<AssignAdminRoleInput>,
) -> Result<bool> {
    let admin = cx.authorize(&ADMIN_ASSIGN_USER_ROLE).await?;
    let (role, user, now) = (role?, UserId(input?.user_id), cx.state().clock.now());
    let assigned = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let given = db::find(connection, role).await?.ok_or_else(not_found)?;
            authority.must_hold(&given.held())?;
            people::lock_user(connection, user).await?;
            authority.must_reach(connection, user).await?;
            let assigned = db::assign(connection, role, user, now).await?;
            if assigned {
                let mut entry = cx.audit_system("admin_role:assigned", "admin_role", role);
                entry.metadata = json!({ "user_id": user });
                foundation::audit::record(connection, entry).await?;
                publish::user(connection, user, now).await?;
            }
            Ok::<_, ApiError>(assigned)
        })
        .await?;
    if assigned {
        cx.changed(Invalidation::User { user_id: user.0 }).await;
    }
    Ok(assigned)
}

pub static ADMIN_UNASSIGN_USER_ROLE: Operation<Admin> =
    Operation::admin("adminUnassignUserRole", AdminPermission::AdminRolesEdit, Grants::AdminPermissions);

/// Removes a role of operator staff from a person.
///
/// Returns false when the person did not hold it. The removal takes effect at once.
///
/// # Errors
/// Refusals of the access rule; 403 when the person holds a permission that the caller lacks; 404 when there
/// is no such role; 409 for the last System Admin.
#[api_core::operation]
pub async fn admin_unassign_user_role(cx: &Cx, role: Input<Uuid>, user: Input<Uuid>) -> Result<bool> {
    let admin = cx.authorize(&ADMIN_UNASSIGN_USER_ROLE).await?;
    let (role, user, now) = (role?, UserId(user?), cx.state().clock.now());
    let removed = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let taken = db::find(connection, role).await?.ok_or_else(not_found)?;
            // A person who holds the role holds its permissions too.
            authority.must_reach(connection, user).await?;
            let removed = db::unassign(connection, role, user).await?;
            if removed {
                if taken.is_system {
                    must_have_a_system_admin(connection).await?;
                }
                let mut entry = cx.audit_system("admin_role:unassigned", "admin_role", role);
                entry.metadata = json!({ "user_id": user });
                foundation::audit::record(connection, entry).await?;
                publish::user(connection, user, now).await?;
            }
            Ok::<_, ApiError>(removed)
        })
        .await?;
    if removed {
        cx.changed(Invalidation::User { user_id: user.0 }).await;
    }
    Ok(removed)
}
