//! What a person may do in the end (specification A §4.6; C §6).

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

use super::{accounts::AccountPermissionOverride, db, users::UserPermissionOverride};
use crate::people;

/// A person's rights after roles and overrides, with what they come from.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ResolvedUserPermissions {
    /// Sorted: what the roles give, with the person's overrides and then those of the active account applied.
    pub permissions: Vec<String>,
    /// Slugs of the assigned roles, or of the default one when none is assigned.
    pub roles: Vec<String>,
    /// The overrides of the person.
    pub overrides: Vec<UserPermissionOverride>,
    /// The overrides of the account that the person acts in; none without one.
    pub account_overrides: Vec<AccountPermissionOverride>,
}

/// The effective permissions of a person.
pub static RESOLVED_USER_PERMISSIONS: Operation<Admin> =
    Operation::admin("resolvedUserPermissions", AdminPermission::UserRolesRead, Grants::Nothing);

/// Resolves what a person may do, from the database and past the caches, which it leaves as they are.
///
/// # Errors
/// As the rule; 404 when there is no such person.
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
