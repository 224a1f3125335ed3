//! GraphQL fields of `overrides`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AccountPermissionOverride, SetPermissionOverrideInput, UserPermissionOverride, accounts,
    resolved::{self, ResolvedUserPermissions},
    users,
};

/// Query fields.
pub struct OverrideQueries;
/// Mutation fields.
pub struct OverrideMutations;

#[graphql_object(context = Cx)]
impl OverrideQueries {
    async fn user_permission_overrides(ctx: &Cx, user_id: Uuid) -> Result<Vec<UserPermissionOverride>> {
        users::user_permission_overrides(ctx, Ok(user_id)).await
    }

    async fn resolved_user_permissions(ctx: &Cx, user_id: Uuid) -> Result<ResolvedUserPermissions> {
        resolved::resolved_user_permissions(ctx, Ok(user_id)).await
    }

    async fn admin_account_permission_overrides(
        ctx: &Cx,
        account_id: Uuid,
    ) -> Result<Vec<AccountPermissionOverride>> {
        accounts::admin_account_permission_overrides(ctx, Ok(account_id)).await
    }
}

#[graphql_object(context = Cx)]
impl OverrideMutations {
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

    async fn remove_user_permission_override(ctx: &Cx, user_id: Uuid, permission: String) -> Result<bool> {
        users::remove_user_permission_override(ctx, Ok(user_id), &permission).await?;
        Ok(true)
    }

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

    async fn admin_remove_account_permission_override(
        ctx: &Cx,
        account_id: Uuid,
        permission: String,
    ) -> Result<bool> {
        accounts::admin_remove_account_permission_override(ctx, Ok(account_id), &permission).await?;
        Ok(true)
    }
}
