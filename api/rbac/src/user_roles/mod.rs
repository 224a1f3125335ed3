//! Platform-wide roles of people (reference/permissions.md#user-roles).

pub mod assignments;
mod db;
pub mod graphql;
mod input;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{Admin, AnyOperation, Grants, UserScopes},
};
use diesel::{Queryable, Selectable};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::invalidation::Invalidation;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AdminPermission, PermissionSet},
    schema::user_roles,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use db::{UserRoleAssignment, UserRoleMember};

use crate::authority::Authority;
use input::{NewUserRole, UserRoleChange};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &USER_ROLES,
    &CREATE_USER_ROLE,
    &UPDATE_USER_ROLE,
    &DELETE_USER_ROLE,
    &assignments::USER_ROLE_MEMBERS,
    &assignments::USER_ROLE_ASSIGNMENTS,
    &assignments::ASSIGN_USER_ROLE,
    &assignments::REMOVE_USER_ROLE,
];

/// Platform-wide role.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = user_roles)]
pub struct UserRole {
    /// Identifier.
    pub id: Uuid,
    /// Made of the name; unique.
    pub slug: String,
    /// Name.
    pub name: String,
    /// Description. Null: none.
    pub description: Option<String>,
    /// True for the role of people without an assigned role. Exactly one role is the default.
    pub is_default: bool,
    /// True for a seeded role, which can be neither renamed nor deleted.
    pub is_system: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Permissions, sorted.
    pub permissions: Vec<String>,
}

/// New platform-wide role.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateUserRoleInput {
    /// 1 to 50 characters; the slug is made of it.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Permissions out of the ten of an ordinary member.
    #[schema(extensions(("maxLength" = json!(shared::catalogue::UserPermission::max_length()))))]
    pub permissions: Vec<String>,
}

/// Change of a platform-wide role.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct UpdateUserRoleInput {
    /// 1 to 50 characters; the slug follows it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 500 characters; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// Replaces the set.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(shared::catalogue::UserPermission::max_length()))))]
    pub permissions: Patch<Vec<String>>,
    /// True makes it the default instead of the present one. The default cannot be cleared otherwise.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub is_default: Patch<bool>,
}

pub static USER_ROLES: Operation<Admin> =
    Operation::admin("userRoles", AdminPermission::UserRolesRead, Grants::Nothing);

/// Lists the platform-wide roles: the seeded ones first, then by name.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn user_roles(cx: &Cx) -> Result<Vec<UserRole>> {
    let admin = cx.authorize(&USER_ROLES).await?;
    db::list(&mut *admin.db().await?).await
}

pub static CREATE_USER_ROLE: Operation<Admin> =
    Operation::admin("createUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions).idempotent();

/// Creates a platform-wide role.
///
/// It needs `user-roles:edit`. No operation checks `user-roles:create`.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, with `Invalid permission: …` for a permission that
/// a custom role cannot hold; 403 for one that the caller lacks; 409 for a slug that is taken, and for one
/// role too many.
#[api_core::operation]
pub async fn create_user_role(cx: &Cx, input: Input<CreateUserRoleInput>) -> Result<UserRole> {
    let admin = cx.authorize(&CREATE_USER_ROLE).await?;
    let (new, now) = (NewUserRole::checked(input?)?, cx.state().clock.now());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            authority.must_hold_as_user(connection, &new.permissions).await?;
            if db::is_slug_taken(connection, &new.slug, None).await? {
                return Err(slug_taken());
            }
            if db::count(connection).await? >= db::MAX_ROLES {
                return Err(ApiError::conflict("Role limit reached"));
            }
            let role = db::insert(connection, &new, now).await?;
            record(cx, connection, "user_role:created", &role).await?;
            Ok(role)
        })
        .await
}

pub static UPDATE_USER_ROLE: Operation<Admin> =
    Operation::admin("updateUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Changes a platform-wide role.
///
/// The slug follows the name. Given permissions replace the set. Changes take effect for every person with
/// the role at once.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, with `Invalid permission: …` for a permission that
/// the role cannot hold; 403 when the role holds, before or after, a permission that the caller lacks; 404
/// when there is no such role; 409 for a slug that is taken, for the name of a seeded role, and for clearing
/// the default.
#[api_core::operation]
pub async fn update_user_role(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateUserRoleInput>,
) -> Result<UserRole> {
    let admin = cx.authorize(&UPDATE_USER_ROLE).await?;
    let (id, change) = (id?, UserRoleChange::checked(input?)?);
    if change.is_empty() {
        return db::find(&mut *admin.db().await?, id).await?.ok_or_else(not_found);
    }
    let (role, changes_rights) = admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let before = db::find(connection, id).await?.ok_or_else(not_found)?;
            let change = change.for_role(&before)?;
            let mut concerned = before.held();
            concerned.extend(change.permissions.iter().flat_map(UserScopes::iter));
            if change.is_default == Some(true) {
                concerned.extend(db::default_permissions(connection).await?.iter());
            }
            authority.must_hold_as_user(connection, &concerned).await?;
            if let Some(slug) = &change.slug
                && db::is_slug_taken(connection, slug, Some(id)).await?
            {
                return Err(slug_taken());
            }
            if change.is_default == Some(true) {
                db::clear_default(connection).await?;
            }
            let after = db::update(connection, id, &change).await?;
            record(cx, connection, "user_role:updated", &after).await?;
            Ok((after, change.permissions.is_some() || change.is_default.is_some()))
        })
        .await?;
    if changes_rights {
        cx.changed(Invalidation::AllUsers).await;
    }
    Ok(role)
}

pub static DELETE_USER_ROLE: Operation<Admin> =
    Operation::admin("deleteUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Deletes a platform-wide role with its assignments.
///
/// A person who has no other role gets the default one. It needs `user-roles:edit`. No operation checks
/// `user-roles:delete`.
///
/// # Errors
/// Refusals of the access rule; 403 when the role or the default one holds a permission that the caller
/// lacks; 404 when there is no such role; 409 for a seeded role and for the default one.
#[api_core::operation]
pub async fn delete_user_role(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&DELETE_USER_ROLE).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let role = db::find(connection, id).await?.ok_or_else(not_found)?;
            if role.is_system {
                return Err(ApiError::conflict("Cannot delete system role"));
            }
            if role.is_default {
                return Err(ApiError::conflict("Cannot delete the default role"));
            }
            let mut concerned = role.held();
            concerned.extend(db::default_permissions(connection).await?.iter());
            authority.must_hold_as_user(connection, &concerned).await?;
            db::delete(connection, id).await?;
            record(cx, connection, "user_role:deleted", &role).await
        })
        .await?;
    cx.changed(Invalidation::AllUsers).await;
    Ok(())
}

impl UserRole {
    fn held(&self) -> UserScopes {
        PermissionSet::from_strings(&self.permissions)
    }
}

async fn record(cx: &Cx, connection: &mut AsyncPgConnection, action: &str, role: &UserRole) -> Result<()> {
    let mut entry = cx.audit_system(action, "user_role", role.id);
    entry.metadata =
        json!({ "slug": role.slug, "permissions": role.permissions, "is_default": role.is_default });
    Ok(foundation::audit::record(connection, entry).await?)
}

fn not_found() -> ApiError {
    ApiError::not_found("User role not found")
}

fn slug_taken() -> ApiError {
    ApiError::conflict("Role slug already in use")
}
