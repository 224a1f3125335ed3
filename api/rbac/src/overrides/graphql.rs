//! Overrides over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    SetPermissionOverrideInput,
    accounts::{self, AccountPermissionOverride},
    resolved::{self, ResolvedUserPermissions},
    users::{self, UserPermissionOverride},
};

pub struct OverrideQueries;
pub struct OverrideMutations;

#[graphql_object(context = Cx)]
impl OverrideQueries {
    /// The overrides of a person.
    async fn user_permission_overrides(ctx: &Cx, user_id: Uuid) -> Result<Vec<UserPermissionOverride>> {
        users::user_permission_overrides(ctx, Ok(user_id)).await
    }

    /// What a person may do in the end, past the caches.
    async fn resolved_user_permissions(ctx: &Cx, user_id: Uuid) -> Result<ResolvedUserPermissions> {
        resolved::resolved_user_permissions(ctx, Ok(user_id)).await
    }

    /// The overrides of an account.
    async fn admin_account_permission_overrides(
        ctx: &Cx,
        account_id: Uuid,
    ) -> Result<Vec<AccountPermissionOverride>> {
        accounts::admin_account_permission_overrides(ctx, Ok(account_id)).await
    }
}

#[graphql_object(context = Cx)]
impl OverrideMutations {
    /// Grant or deny a person a platform-wide permission.
    async fn set_user_permission_override(
        ctx: &Cx,
        user_id: Uuid,
        permission: String,
        granted: bool,
        reason: Option<String>,
    ) -> Result<UserPermissionOverride> {
        let input = SetPermissionOverrideInput { permission, granted, reason };
        users::set_user_permission_override(ctx, Ok(user_id), Ok(input)).await
    }

    /// Let the roles decide again about a platform-wide permission of a person.
    async fn remove_user_permission_override(ctx: &Cx, user_id: Uuid, permission: String) -> Result<bool> {
        users::remove_user_permission_override(ctx, Ok(user_id), &permission).await?;
        Ok(true)
    }

    /// Grant or deny everybody in an account an account permission.
    async fn admin_set_account_permission_override(
        ctx: &Cx,
        account_id: Uuid,
        permission: String,
        granted: bool,
        reason: Option<String>,
    ) -> Result<AccountPermissionOverride> {
        let input = SetPermissionOverrideInput { permission, granted, reason };
        accounts::admin_set_account_permission_override(ctx, Ok(account_id), Ok(input)).await
    }

    /// Let the roles decide again about an account permission.
    async fn admin_remove_account_permission_override(
        ctx: &Cx,
        account_id: Uuid,
        permission: String,
    ) -> Result<bool> {
        accounts::admin_remove_account_permission_override(ctx, Ok(account_id), &permission).await?;
        Ok(true)
    }
}
