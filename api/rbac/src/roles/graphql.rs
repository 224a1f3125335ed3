//! GraphQL fields of `roles`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AccountPermissionInfo, AccountRole, CreateRoleInput, MoveRoleInput, UpdateRoleInput};

/// Query fields.
pub struct RoleQueries;
/// Mutation fields.
pub struct RoleMutations;

#[graphql_object(context = Cx)]
impl RoleQueries {
    async fn roles(ctx: &Cx) -> Result<Vec<AccountRole>> {
        super::roles(ctx).await
    }

    async fn role(ctx: &Cx, id: Uuid) -> Result<AccountRole> {
        super::role(ctx, Ok(id)).await
    }

    async fn account_permissions(ctx: &Cx) -> Result<Vec<AccountPermissionInfo>> {
        super::account_permissions(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl RoleMutations {
    async fn create_role(ctx: &Cx, input: CreateRoleInput) -> Result<AccountRole> {
        super::create_role(ctx, Ok(input)).await
    }

    async fn update_role(ctx: &Cx, id: Uuid, input: UpdateRoleInput) -> Result<AccountRole> {
        super::update_role(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_role(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_role(ctx, Ok(id)).await?;
        Ok(true)
    }

    async fn move_role(ctx: &Cx, id: Uuid, position: i32) -> Result<AccountRole> {
        super::move_role(ctx, Ok(id), Ok(MoveRoleInput { position })).await
    }
}
