//! Roles of an account (reference/permissions.md#account-roles).

mod db;
pub mod graphql;
mod input;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AccountScopes, AnyOperation, Grants, lock_account_rights},
};
use diesel_async::AsyncConnection;
use foundation::invalidation::Invalidation;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Permission, PermissionSet};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::publish;
use input::{NewRole, RoleChange};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ROLES, &ACCOUNT_PERMISSIONS, &ROLE, &CREATE_ROLE, &UPDATE_ROLE, &DELETE_ROLE, &MOVE_ROLE];

/// Largest number of roles of an account, the default ones included.
const MAX_ROLES: i64 = 25;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "roles",
        MAX_ROLES,
        "SELECT count(*) FROM account_roles WHERE account_id = $1",
    )
}

/// Role of an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AccountRole {
    /// Identifier.
    pub id: Uuid,
    /// Identifier of the account.
    pub account_id: Uuid,
    /// Made of the name at creation. It stays when the role is renamed.
    pub slug: String,
    /// Name, unique in the account in any case.
    pub name: String,
    /// Description. Null: none.
    pub description: Option<String>,
    /// `#rrggbb` in lower case. Null: none.
    pub color: Option<String>,
    /// True for the owner's role, which holds every permission and cannot be deleted.
    pub is_system: bool,
    /// Permissions, sorted.
    pub permissions: Vec<String>,
    /// Number of members who hold the role.
    pub member_count: i32,
    /// Position in the list, from 0.
    pub position: i32,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Permission that a role may hold.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AccountPermissionInfo {
    /// Text `resource:action`.
    pub permission: String,
    /// Resource of the permission.
    pub category: String,
    /// Readable name.
    pub label: String,
}

/// New role.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateRoleInput {
    /// 1 to 50 characters; unique in the account in any case.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// `#rrggbb`
    #[schema(extensions(("maxLength" = json!(input::COLOR_LENGTH))))]
    pub color: Option<String>,
    /// Permissions that the caller holds; no wildcards.
    #[schema(extensions(("maxLength" = json!(AccountPermission::max_length()))))]
    pub permissions: Vec<String>,
}

/// Change of a role.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct UpdateRoleInput {
    /// 1 to 50 characters; unique in the account in any case.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::naming::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 500 characters; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::naming::MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// `#rrggbb`; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(input::COLOR_LENGTH))))]
    pub color: Patch<String>,
    /// Replaces the set. Permissions that the caller holds; no wildcards.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(AccountPermission::max_length()))))]
    pub permissions: Patch<Vec<String>>,
}

/// New position of a role.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct MoveRoleInput {
    /// Position in the list, from 0.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub position: i32,
}

pub static ROLES: Operation<AccountCaller> =
    Operation::account("roles", AccountPermission::RolesRead, Grants::Nothing);

/// Lists the roles of the active account by position.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn roles(cx: &Cx) -> Result<Vec<AccountRole>> {
    let caller = cx.authorize(&ROLES).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

pub static ACCOUNT_PERMISSIONS: Operation<AccountCaller> =
    Operation::account("accountPermissions", AccountPermission::RolesRead, Grants::Nothing);

/// Lists the permissions that a role may hold, in the order of the catalogue.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn account_permissions(cx: &Cx) -> Result<Vec<AccountPermissionInfo>> {
    cx.authorize(&ACCOUNT_PERMISSIONS).await?;
    Ok(AccountPermission::ALL.iter().copied().map(AccountPermissionInfo::of).collect())
}

pub static ROLE: Operation<AccountCaller> =
    Operation::account("role", AccountPermission::RolesRead, Grants::Nothing);

/// Returns a role of the active account.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such role.
#[api_core::operation]
pub async fn role(cx: &Cx, id: Input<Uuid>) -> Result<AccountRole> {
    let caller = cx.authorize(&ROLE).await?;
    db::find(&mut *caller.db().await?, caller.account, id?).await?.ok_or_else(not_found)
}

pub static CREATE_ROLE: Operation<AccountCaller> =
    Operation::account("createRole", AccountPermission::RolesEdit, Grants::AccountPermissions).idempotent();

/// Creates a role at the end of the list.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, with `Invalid permission: …` for an unknown
/// permission or a wildcard; 403 for one that the caller lacks; 409 for a name that is taken; 403
/// `PLAN_LIMIT_REACHED` for one role too many.
#[api_core::operation]
pub async fn create_role(cx: &Cx, input: Input<CreateRoleInput>) -> Result<AccountRole> {
    let caller = cx.authorize(&CREATE_ROLE).await?;
    let new = NewRole::checked(input?)?;
    let (account, now) = (caller.account, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            caller.authority(connection).await?.must_hold(&new.permissions)?;
            if db::is_name_taken(connection, account, &new.name, None).await? {
                return Err(name_taken());
            }
            if db::count(connection, account).await? >= MAX_ROLES {
                return Err(ApiError::new(Code::PlanLimitReached, "Role limit reached"));
            }
            let id = db::insert(connection, account, &new, now).await?;
            let mut entry = cx.audit("role:created", "account_role", id);
            entry.metadata = json!({ "name": new.name, "permissions": new.permissions.to_strings() });
            foundation::audit::record(connection, entry).await?;
            publish::account(connection, account, Some(id), now).await?;
            db::find(connection, account, id).await?.ok_or_else(not_found)
        })
        .await
}

pub static UPDATE_ROLE: Operation<AccountCaller> =
    Operation::account("updateRole", AccountPermission::RolesEdit, Grants::AccountPermissions);

/// Changes a role.
///
/// The slug stays. Given permissions replace the set and take effect for every member with the role at once.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input, with `Invalid permission: …` for an unknown
/// permission or a wildcard; 403 when the role holds, before or after, a permission that the caller lacks;
/// 404 when the account has no such role; 409 for a name that is taken and for the permissions of the owner's
/// role.
#[api_core::operation]
pub async fn update_role(cx: &Cx, id: Input<Uuid>, input: Input<UpdateRoleInput>) -> Result<AccountRole> {
    let caller = cx.authorize(&UPDATE_ROLE).await?;
    let (id, change) = (id?, RoleChange::checked(input?)?);
    let (account, now) = (caller.account, cx.state().clock.now());
    if change.is_empty() {
        return db::find(&mut *caller.db().await?, account, id).await?.ok_or_else(not_found);
    }
    let role = caller
        .db()
        .await?
        .transaction(async |connection| {
            let authority = caller.authority(connection).await?;
            if let Some(permissions) = &change.permissions {
                authority.must_hold(permissions)?;
            }
            let before = db::find(connection, account, id).await?.ok_or_else(not_found)?;
            authority.may_change(&before.held())?;
            if before.is_system && change.permissions.is_some() {
                return Err(ApiError::conflict("Cannot edit system role"));
            }
            if let Some(name) = &change.name
                && db::is_name_taken(connection, account, name, Some(id)).await?
            {
                return Err(name_taken());
            }
            db::update(connection, account, id, &change, now).await?;
            let after = db::find(connection, account, id).await?.ok_or_else(not_found)?;
            let mut entry = cx.audit("role:updated", "account_role", id);
            entry.metadata = json!({ "name": after.name, "permissions": after.permissions });
            foundation::audit::record(connection, entry).await?;
            publish::account(connection, account, Some(id), now).await?;
            Ok(after)
        })
        .await?;
    cx.changed(Invalidation::Account { account_id: account.uuid() }).await;
    Ok(role)
}

pub static DELETE_ROLE: Operation<AccountCaller> =
    Operation::account("deleteRole", AccountPermission::RolesDelete, Grants::AccountPermissions);

/// Deletes a role that no member holds.
///
/// # Errors
/// Refusals of the access rule; 403 for a role with a permission that the caller lacks; 404 when the account
/// has no such role; 409 for the owner's role and for one that members still hold.
#[api_core::operation]
pub async fn delete_role(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_ROLE).await?;
    let (id, account, now) = (id?, caller.account, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let authority = caller.authority(connection).await?;
            let role = db::find_locked(connection, account, id).await?.ok_or_else(not_found)?;
            authority.may_change(&role.held())?;
            if role.is_system {
                return Err(ApiError::conflict("Cannot delete system role"));
            }
            if role.member_count > 0 {
                let members = role.member_count;
                return Err(ApiError::conflict(format!("Role is still assigned to {members} member(s)")));
            }
            db::delete(connection, account, id).await?;
            let mut entry = cx.audit("role:deleted", "account_role", id);
            entry.metadata = json!({ "name": role.name });
            foundation::audit::record(connection, entry).await?;
            publish::account(connection, account, Some(id), now).await
        })
        .await?;
    cx.changed(Invalidation::Account { account_id: account.uuid() }).await;
    Ok(())
}

pub static MOVE_ROLE: Operation<AccountCaller> =
    Operation::account("moveRole", AccountPermission::RolesEdit, Grants::Nothing);

/// Moves a role in the list; the others close up.
///
/// Positions only order the list: they grant nothing.
///
/// # Errors
/// Refusals of the access rule; 400 for a position beyond the end of the list; 404 when the account has no
/// such role.
#[api_core::operation]
pub async fn move_role(cx: &Cx, id: Input<Uuid>, input: Input<MoveRoleInput>) -> Result<AccountRole> {
    let caller = cx.authorize(&MOVE_ROLE).await?;
    let (id, position) = (id?, input::position(input?.position)?);
    let (account, now) = (caller.account, cx.state().clock.now());
    let role = caller
        .db()
        .await?
        .transaction(async |connection| {
            lock_account_rights(connection, account).await?;
            let mut order = db::order(connection, account).await?;
            let from = order.iter().position(|other| *other == id).ok_or_else(not_found)?;
            if position >= order.len() {
                return Err(input::wrong_position(order.len() - 1));
            }
            order.remove(from);
            order.insert(position, id);
            db::renumber(connection, account, &order, now).await?;
            let mut entry = cx.audit("role:moved", "account_role", id);
            entry.metadata = json!({ "from": from, "to": position });
            foundation::audit::record(connection, entry).await?;
            publish::account(connection, account, Some(id), now).await?;
            db::find(connection, account, id).await?.ok_or_else(not_found)
        })
        .await?;
    cx.changed(Invalidation::Account { account_id: account.uuid() }).await;
    Ok(role)
}

impl AccountRole {
    fn held(&self) -> AccountScopes {
        PermissionSet::from_strings(&self.permissions)
    }
}

impl AccountPermissionInfo {
    fn of(permission: AccountPermission) -> Self {
        Self {
            permission: permission.text().to_owned(),
            category: permission.resource().to_owned(),
            label: permission.label(),
        }
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Role not found")
}

fn name_taken() -> ApiError {
    ApiError::conflict("Role name already in use")
}
