//! Roles of an account over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AccountPermissionInfo, AccountRole, CreateRoleInput, MoveRoleInput, UpdateRoleInput};

pub struct RoleQueries;
pub struct RoleMutations;

#[graphql_object(context = Cx)]
impl RoleQueries {
    /// The roles of the active account, by position.
    async fn roles(ctx: &Cx) -> Result<Vec<AccountRole>> {
        super::roles(ctx).await
    }

    /// A role of the active account.
    async fn role(ctx: &Cx, id: Uuid) -> Result<AccountRole> {
        super::role(ctx, Ok(id)).await
    }

    /// The permissions that a role may hold.
    async fn account_permissions(ctx: &Cx) -> Result<Vec<AccountPermissionInfo>> {
        super::account_permissions(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl RoleMutations {
    /// Create a role at the end of the list.
    async fn create_role(ctx: &Cx, input: CreateRoleInput) -> Result<AccountRole> {
        super::create_role(ctx, Ok(input)).await
    }

    /// Change a role.
    async fn update_role(ctx: &Cx, id: Uuid, input: UpdateRoleInput) -> Result<AccountRole> {
        super::update_role(ctx, Ok(id), Ok(input)).await
    }

    /// Delete a role that nobody holds.
    async fn delete_role(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_role(ctx, Ok(id)).await?;
        Ok(true)
    }

    /// Move a role in the list.
    async fn move_role(ctx: &Cx, id: Uuid, position: i32) -> Result<AccountRole> {
        super::move_role(ctx, Ok(id), Ok(MoveRoleInput { position })).await
    }
}
