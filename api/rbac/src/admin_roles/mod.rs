//! Roles of operator staff (reference/administration.md#staff-roles).

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
use foundation::invalidation::Invalidation;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AdminPermission, Permission, PermissionSet};
use utoipa::ToSchema;
use uuid::Uuid;

pub use db::AdminRoleMember;

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

/// Role of operator staff.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminRole {
    /// Identifier.
    pub id: Uuid,
    /// Name, unique in any case.
    pub name: String,
    /// Description. Null: none.
    pub description: Option<String>,
    /// True for the System Admin role, which holds every permission and can be neither changed nor deleted.
    pub is_system: bool,
    /// Permissions, sorted.
    pub permissions: Vec<String>,
    /// Number of people who hold the role.
    pub member_count: i32,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Permission that a role of operator staff may hold.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminPermissionInfo {
    /// Text `resource:action`.
    pub permission: String,
    /// Resource of the permission.
    pub category: String,
}

/// New role of operator staff.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateAdminRoleInput {
    /// 1 to 50 characters; unique in any case.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Permissions that the caller holds; may be empty. `admin:access` is added.
    #[schema(extensions(("maxLength" = json!(AdminPermission::max_length()))))]
    pub permissions: Vec<String>,
}

/// Change of a role of operator staff.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct UpdateAdminRoleInput {
    /// 1 to 50 characters; unique in any case.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 500 characters; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// Complete set of permissions that the caller holds: others are taken away, except those that this
    /// version does not know. `admin:access` is added.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(AdminPermission::max_length()))))]
    pub permissions: Patch<Vec<String>>,
}

pub static ADMIN_ROLES: Operation<Admin> =
    Operation::admin("adminRoles", AdminPermission::AdminRolesRead, Grants::Nothing);

/// Lists the roles of operator staff: the seeded ones first, then by name.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn admin_roles(cx: &Cx) -> Result<Vec<AdminRole>> {
    let admin = cx.authorize(&ADMIN_ROLES).await?;
    db::list(&mut *admin.db().await?).await
}

pub static ADMIN_ROLE: Operation<Admin> =
    Operation::admin("adminRole", AdminPermission::AdminRolesRead, Grants::Nothing);

/// Returns a role of operator staff.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such role.
#[api_core::operation]
pub async fn admin_role(cx: &Cx, id: Input<Uuid>) -> Result<AdminRole> {
    let admin = cx.authorize(&ADMIN_ROLE).await?;
    db::find(&mut *admin.db().await?, id?).await?.ok_or_else(not_found)
}

pub static ALL_ADMIN_PERMISSIONS: Operation<Admin> =
    Operation::admin("allAdminPermissions", AdminPermission::AdminRolesRead, Grants::Nothing);

/// Lists the permissions that a role of operator staff may hold, in the order of the catalogue.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn all_admin_permissions(cx: &Cx) -> Result<Vec<AdminPermissionInfo>> {
    cx.authorize(&ALL_ADMIN_PERMISSIONS).await?;
    Ok(AdminPermission::ALL.iter().copied().map(AdminPermissionInfo::of).collect())
}

pub static ADMIN_CREATE_ROLE: Operation<Admin> =
    Operation::admin("adminCreateRole", AdminPermission::AdminRolesCreate, Grants::AdminPermissions)
        .idempotent();

/// Creates a role of operator staff.
///
/// The role always holds `admin:access`, without which the dashboard does not open.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, with `Invalid permission: …` for an unknown
/// permission, and for one that only the System Admin role may hold; 403 for one that the caller lacks; 409
/// for a name that is taken, and for one role too many.
#[api_core::operation]
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

pub static ADMIN_UPDATE_ROLE: Operation<Admin> =
    Operation::admin("adminUpdateRole", AdminPermission::AdminRolesEdit, Grants::AdminPermissions);

/// Changes a role of operator staff.
///
/// Given permissions replace the set. Permissions that this version does not know stay: another version that
/// runs beside it may know them. A changed permission takes effect at once.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, with `Invalid permission: …` for a permission that
/// is unknown and not held already, and for one that only the System Admin role may hold; 403 when the role
/// holds, before or after, a permission that the caller lacks; 404 when there is no such role; 409 for the
/// System Admin role, and for a name that is taken.
#[api_core::operation]
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

pub static ADMIN_DELETE_ROLE: Operation<Admin> =
    Operation::admin("adminDeleteRole", AdminPermission::AdminRolesDelete, Grants::AdminPermissions);

/// Deletes a role of operator staff with its permissions and assignments.
///
/// # Errors
/// Refusals of the access rule; 403 for a role with a permission that the caller lacks; 404 when there is no
/// such role; 409 for the System Admin role.
#[api_core::operation]
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
    Ok(foundation::audit::record(connection, entry).await?)
}

fn not_found() -> ApiError {
    ApiError::not_found("Admin role not found")
}

fn name_taken() -> ApiError {
    ApiError::conflict("Role name already in use")
}
