//! Who belongs to operator staff (specification A §3, §4.8; C §9).

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, Grants},
};
use diesel::Queryable;
use diesel_async::AsyncConnection;
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{catalogue::AdminPermission, id::UserId, invalidation::Invalidation};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{db, not_found};
use crate::{
    authority::{Authority, must_have_a_system_admin},
    people, tell,
};

/// A person who holds a role of operator staff.
#[derive(Debug, Clone, Serialize, Queryable, GraphQLObject, ToSchema)]
pub struct AdminRoleMember {
    pub user_id: Uuid,
    pub display_name: String,
    pub email: Option<String>,
    pub avatar_url: Option<String>,
    pub assigned_at: Timestamp,
}

/// Whom to give the role.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct AssignAdminRoleInput {
    pub user_id: Uuid,
}

/// The people who hold a role.
pub static ADMIN_ROLE_MEMBERS: Operation<Admin> =
    Operation::admin("adminRoleMembers", AdminPermission::AdminRolesRead, Grants::Nothing);

/// Lists the people who hold a role, the latest 1000.
///
/// # Errors
/// As the rule; 404 when there is no such role.
pub async fn admin_role_members(cx: &Cx, role: Input<Uuid>) -> Result<Vec<AdminRoleMember>> {
    let admin = cx.authorize(&ADMIN_ROLE_MEMBERS).await?;
    let (role, mut connection) = (role?, admin.db().await?);
    db::find(&mut connection, role).await?.ok_or_else(not_found)?;
    db::members(&mut connection, role).await
}

/// Gives a person a role.
pub static ADMIN_ASSIGN_USER_ROLE: Operation<Admin> =
    Operation::admin("adminAssignUserRole", AdminPermission::AdminRolesEdit, Grants::AdminPermissions);

/// Gives a person a role; answers whether the person did not hold it already.
///
/// # Errors
/// As the rule; 403 when the role or the person holds what the caller lacks; 404 when there is no such role or person.
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
            people::hold(connection, user).await?;
            authority.must_reach(connection, user).await?;
            let assigned = db::assign(connection, role, user, now).await?;
            if assigned {
                let mut entry = cx.audit_system("admin_role:assigned", "admin_role", role);
                entry.metadata = json!({ "user_id": user });
                shared::audit::record(connection, entry).await?;
                tell::user(connection, user, now).await?;
            }
            Ok::<_, ApiError>(assigned)
        })
        .await?;
    if assigned {
        cx.changed(Invalidation::User { user_id: user.0 }).await;
    }
    Ok(assigned)
}

/// Takes a role from a person.
pub static ADMIN_UNASSIGN_USER_ROLE: Operation<Admin> =
    Operation::admin("adminUnassignUserRole", AdminPermission::AdminRolesEdit, Grants::AdminPermissions);

/// Takes a role from a person; answers whether the person held it.
///
/// # Errors
/// As the rule; 403 when the person holds what the caller lacks; 404 when there is no such role; 409 for the last System
/// Admin.
pub async fn admin_unassign_user_role(cx: &Cx, role: Input<Uuid>, user: Input<Uuid>) -> Result<bool> {
    let admin = cx.authorize(&ADMIN_UNASSIGN_USER_ROLE).await?;
    let (role, user, now) = (role?, UserId(user?), cx.state().clock.now());
    let removed = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let taken = db::find(connection, role).await?.ok_or_else(not_found)?;
            // Whoever has the role holds what it holds.
            authority.must_reach(connection, user).await?;
            let removed = db::unassign(connection, role, user).await?;
            if removed {
                if taken.is_system {
                    must_have_a_system_admin(connection).await?;
                }
                let mut entry = cx.audit_system("admin_role:unassigned", "admin_role", role);
                entry.metadata = json!({ "user_id": user });
                shared::audit::record(connection, entry).await?;
                tell::user(connection, user, now).await?;
            }
            Ok::<_, ApiError>(removed)
        })
        .await?;
    if removed {
        cx.changed(Invalidation::User { user_id: user.0 }).await;
    }
    Ok(removed)
}
