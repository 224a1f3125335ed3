//! Platform-wide roles of people (specification A §2.9, §4.6; C §6).

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
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AdminPermission, PermissionSet},
    db::schema::user_roles,
    invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

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

/// A platform-wide role.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = user_roles)]
pub struct UserRole {
    pub id: Uuid,
    /// Made of the name; unique.
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    /// Whether it is the role of whoever has none assigned. One role is.
    pub is_default: bool,
    /// Whether it was seeded: it can be neither renamed nor deleted.
    pub is_system: bool,
    pub created_at: Timestamp,
    /// Sorted.
    pub permissions: Vec<String>,
}

/// What a new role is to be.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateUserRoleInput {
    /// 1 to 50 characters; the slug is made of it.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Of the ten platform-wide permissions of an ordinary member.
    #[schema(extensions(("maxLength" = json!(shared::catalogue::UserPermission::max_length()))))]
    pub permissions: Vec<String>,
}

/// What is to change.
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
    /// `true` makes it the default instead of the present one; the default cannot be cleared otherwise.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub is_default: Patch<bool>,
}

/// Every platform-wide role.
pub static USER_ROLES: Operation<Admin> =
    Operation::admin("userRoles", AdminPermission::UserRolesRead, Grants::Nothing);

/// Lists the platform-wide roles: the seeded ones, then by name.
///
/// # Errors
/// As the rule.
pub async fn user_roles(cx: &Cx) -> Result<Vec<UserRole>> {
    let admin = cx.authorize(&USER_ROLES).await?;
    db::list(&mut *admin.db().await?).await
}

/// Creates a platform-wide role. No handler checks `user-roles:create` (A §4.6).
pub static CREATE_USER_ROLE: Operation<Admin> =
    Operation::admin("createUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Creates a platform-wide role.
///
/// # Errors
/// As the rule; 400 for a wrong input, with `Invalid permission: …` for what no custom role may hold; 403 for what the
/// caller lacks; 409 for a slug that is taken.
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

/// Changes a platform-wide role.
pub static UPDATE_USER_ROLE: Operation<Admin> =
    Operation::admin("updateUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Changes a platform-wide role: whoever holds it may do at once what it now says, and no more.
///
/// # Errors
/// As the rule; 400 for a wrong input, with `Invalid permission: …` for what the role may not hold; 403 when the role holds
/// or is to hold what the caller lacks; 404 when there is no such role; 409 for a slug that is taken, the name of a seeded role, and clearing the default.
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

/// Deletes a platform-wide role. No handler checks `user-roles:delete` (A §4.6).
pub static DELETE_USER_ROLE: Operation<Admin> =
    Operation::admin("deleteUserRole", AdminPermission::UserRolesEdit, Grants::UserPermissions);

/// Deletes a platform-wide role with its assignments: whoever is left without a role gets the default one.
///
/// # Errors
/// As the rule; 403 when the role or the default one holds what the caller lacks; 404 when there is no such role; 409 for a
/// seeded role and for the default one.
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
    Ok(shared::audit::record(connection, entry).await?)
}

fn not_found() -> ApiError {
    ApiError::not_found("User role not found")
}

fn slug_taken() -> ApiError {
    ApiError::conflict("Role slug already in use")
}
