//! Roles of operator staff (specification A §2.4, §4.8, rules 1 to 3; C §9).

mod db;
pub mod graphql;
mod input;
pub mod members;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{Admin, AdminScopes, AnyOperation, Grants},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AdminPermission, Permission, PermissionSet},
    invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::authority::Authority;
use input::{AdminRoleChange, NewAdminRole};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ADMIN_ROLES,
    &ADMIN_ROLE,
    &ADMIN_CREATE_ROLE,
    &ADMIN_UPDATE_ROLE,
    &ADMIN_DELETE_ROLE,
    &ALL_ADMIN_PERMISSIONS,
    &members::ADMIN_ROLE_MEMBERS,
    &members::ADMIN_ASSIGN_USER_ROLE,
    &members::ADMIN_UNASSIGN_USER_ROLE,
];

/// A role of operator staff.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminRole {
    pub id: Uuid,
    pub name: String,
    pub description: Option<String>,
    /// Whether it is the System Admin role, which holds everything and can be neither changed nor deleted.
    pub is_system: bool,
    /// Sorted.
    pub permissions: Vec<String>,
    pub member_count: i32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A permission that a role of operator staff may hold.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminPermissionInfo {
    /// `resource:action`
    pub permission: String,
    /// The resource.
    pub category: String,
}

/// What a new role is to be.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateAdminRoleInput {
    /// 1 to 50 characters; no other role has it, in upper or lower case.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Only ones that the caller holds; may be empty. `admin:access` is added to them.
    #[schema(extensions(("maxLength" = json!(AdminPermission::max_length()))))]
    pub permissions: Vec<String>,
}

/// What is to change.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct UpdateAdminRoleInput {
    /// 1 to 50 characters; no other role has it, in upper or lower case.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 500 characters; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// Those that are to be held, only ones that the caller holds: others are taken away, except ones that this version
    /// does not know. `admin:access` is added to them.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(AdminPermission::max_length()))))]
    pub permissions: Patch<Vec<String>>,
}

/// Every role of operator staff.
pub static ADMIN_ROLES: Operation<Admin> =
    Operation::admin("adminRoles", AdminPermission::AdminRolesRead, Grants::Nothing);

/// Lists the roles of operator staff: the seeded ones, then by name.
///
/// # Errors
/// As the rule.
pub async fn admin_roles(cx: &Cx) -> Result<Vec<AdminRole>> {
    let admin = cx.authorize(&ADMIN_ROLES).await?;
    db::list(&mut *admin.db().await?).await
}

/// A role of operator staff.
pub static ADMIN_ROLE: Operation<Admin> =
    Operation::admin("adminRole", AdminPermission::AdminRolesRead, Grants::Nothing);

/// Answers a role of operator staff.
///
/// # Errors
/// As the rule; 404 when there is no such role.
pub async fn admin_role(cx: &Cx, id: Input<Uuid>) -> Result<AdminRole> {
    let admin = cx.authorize(&ADMIN_ROLE).await?;
    db::find(&mut *admin.db().await?, id?).await?.ok_or_else(not_found)
}

/// The permissions that a role of operator staff may hold.
pub static ALL_ADMIN_PERMISSIONS: Operation<Admin> =
    Operation::admin("allAdminPermissions", AdminPermission::AdminRolesRead, Grants::Nothing);

/// Lists the permissions that a role of operator staff may hold, in the order of the catalogue.
///
/// # Errors
/// As the rule.
pub async fn all_admin_permissions(cx: &Cx) -> Result<Vec<AdminPermissionInfo>> {
    cx.authorize(&ALL_ADMIN_PERMISSIONS).await?;
    Ok(AdminPermission::ALL.iter().copied().map(AdminPermissionInfo::of).collect())
}

/// Creates a role of operator staff.
pub static ADMIN_CREATE_ROLE: Operation<Admin> =
    Operation::admin("adminCreateRole", AdminPermission::AdminRolesCreate, Grants::AdminPermissions);

/// Creates a role of operator staff. It always holds `admin:access`, without which the dashboard does not open.
///
/// # Errors
/// As the rule; 400 for a wrong input, with `Invalid permission: …` for an unknown permission, and for one that only the
/// System Admin role may hold; 403 for one that the caller lacks; 409 for a name that is taken.
pub async fn admin_create_role(cx: &Cx, input: Input<CreateAdminRoleInput>) -> Result<AdminRole> {
    let admin = cx.authorize(&ADMIN_CREATE_ROLE).await?;
    let (new, now) = (NewAdminRole::checked(input?)?, cx.state().clock.now());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            Authority::of(connection, &admin).await?.must_hold(&new.permissions)?;
            if db::is_name_taken(connection, &new.name, None).await? {
                return Err(name_taken());
            }
            if db::count(connection).await? >= db::MAX_ROLES {
                return Err(ApiError::conflict("Role limit reached"));
            }
            let id = db::insert(connection, &new, now).await?;
            let role = db::find(connection, id).await?.ok_or_else(not_found)?;
            record(cx, connection, "admin_role:created", &role).await?;
            Ok(role)
        })
        .await
}

/// Changes a role of operator staff.
pub static ADMIN_UPDATE_ROLE: Operation<Admin> =
    Operation::admin("adminUpdateRole", AdminPermission::AdminRolesEdit, Grants::AdminPermissions);

/// Changes a role of operator staff. Permissions that this version does not know stay: they may be those of another
/// version beside it.
///
/// # Errors
/// As the rule; 400 for a wrong input, with `Invalid permission: …` for a permission that is unknown and not held
/// already, and for one that only the System Admin role may hold; 403 when the role holds or is to hold what the caller
/// lacks; 404 when there is no such role; 409 for the System Admin role, and for a name that is taken.
pub async fn admin_update_role(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateAdminRoleInput>,
) -> Result<AdminRole> {
    let admin = cx.authorize(&ADMIN_UPDATE_ROLE).await?;
    let (id, change, now) = (id?, AdminRoleChange::checked(input?)?, cx.state().clock.now());
    if change.is_empty() {
        return db::find(&mut *admin.db().await?, id).await?.ok_or_else(not_found);
    }
    let role = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let before = db::find(connection, id).await?.ok_or_else(not_found)?;
            if before.is_system {
                return Err(ApiError::conflict("Cannot edit system admin role"));
            }
            let permissions = change.permissions_of(&before)?;
            authority.must_hold(&before.held())?;
            if let Some(after) = &permissions {
                authority.must_hold(&PermissionSet::from_strings(after))?;
            }
            if let Some(name) = &change.name
                && db::is_name_taken(connection, name, Some(id)).await?
            {
                return Err(name_taken());
            }
            db::update(connection, id, &change, permissions, now).await?;
            let after = db::find(connection, id).await?.ok_or_else(not_found)?;
            record(cx, connection, "admin_role:updated", &after).await?;
            Ok(after)
        })
        .await?;
    if change.permissions.is_some() {
        cx.changed(Invalidation::AllUsers).await;
    }
    Ok(role)
}

/// Deletes a role of operator staff.
pub static ADMIN_DELETE_ROLE: Operation<Admin> =
    Operation::admin("adminDeleteRole", AdminPermission::AdminRolesDelete, Grants::AdminPermissions);

/// Deletes a role of operator staff with its permissions and assignments.
///
/// # Errors
/// As the rule; 403 for a role that holds what the caller lacks; 404 when there is no such role; 409 for the System Admin
/// role.
pub async fn admin_delete_role(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_ROLE).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let role = db::find(connection, id).await?.ok_or_else(not_found)?;
            if role.is_system {
                return Err(ApiError::conflict("Cannot delete system admin role"));
            }
            authority.must_hold(&role.held())?;
            db::delete(connection, id).await?;
            record(cx, connection, "admin_role:deleted", &role).await
        })
        .await?;
    cx.changed(Invalidation::AllUsers).await;
    Ok(())
}

impl AdminRole {
    fn held(&self) -> AdminScopes {
        PermissionSet::from_strings(&self.permissions)
    }
}

impl AdminPermissionInfo {
    fn of(permission: AdminPermission) -> Self {
        Self { permission: permission.text().to_owned(), category: permission.resource().to_owned() }
    }
}

async fn record(cx: &Cx, connection: &mut AsyncPgConnection, action: &str, role: &AdminRole) -> Result<()> {
    let mut entry = cx.audit_system(action, "admin_role", role.id);
    entry.metadata = json!({ "name": role.name, "permissions": role.permissions });
    Ok(shared::audit::record(connection, entry).await?)
}

fn not_found() -> ApiError {
    ApiError::not_found("Admin role not found")
}

fn name_taken() -> ApiError {
    ApiError::conflict("Role name already in use")
}
