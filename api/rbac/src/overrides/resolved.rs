//! Effective permissions of a person (reference/permissions.md#resolved-permissions).

use std::collections::BTreeSet;

use api_core::{
    Cx, Input, Operation, Result,
    access::{Admin, Grants, effective_user_roles},
};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{catalogue::AdminPermission, id::UserId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AccountPermissionOverride, UserPermissionOverride, db};
use crate::people;

/// Effective permissions of a person, with their sources.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ResolvedUserPermissions {
    /// Permissions of the roles after the overrides of the person and those of the active account, sorted.
    pub permissions: Vec<String>,
    /// Slugs of the assigned roles, or of the default role when none is assigned.
    pub roles: Vec<String>,
    /// Overrides of the person.
    pub overrides: Vec<UserPermissionOverride>,
    /// Overrides of the person's active account. Empty without one.
    pub account_overrides: Vec<AccountPermissionOverride>,
}

pub static RESOLVED_USER_PERMISSIONS: Operation<Admin> =
    Operation::admin("resolvedUserPermissions", AdminPermission::UserRolesRead, Grants::Nothing);

/// Returns the effective permissions of a person, with their sources.
///
/// They are read from the database past the caches, which stay unchanged.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such person.
#[api_core::operation]
pub async fn resolved_user_permissions(cx: &Cx, user: Input<Uuid>) -> Result<ResolvedUserPermissions> {
    let admin = cx.authorize(&RESOLVED_USER_PERMISSIONS).await?;
    let (user, mut connection) = (UserId(user?), admin.db().await?);
    people::find(&mut connection, user).await?;
    let (roles, held) = effective_user_roles(&mut connection, user).await?;
    let overrides = db::of_user(&mut connection, user).await?;
    let account_overrides = match db::active_account(&mut connection, user).await? {
        Some(account) => db::of_account(&mut connection, account).await?,
        None => Vec::new(),
    };
    let mut permissions: BTreeSet<String> = held.to_strings().into_iter().collect();
    for account_override in &account_overrides {
        if account_override.granted {
            permissions.insert(account_override.permission.clone());
        } else {
            permissions.remove(&account_override.permission);
        }
    }
    Ok(ResolvedUserPermissions {
        permissions: permissions.into_iter().collect(),
        roles,
        overrides,
        account_overrides,
    })
}
