//! GraphQL fields of `admin_roles`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AdminPermissionInfo, AdminRole, AdminRoleMember, CreateAdminRoleInput, UpdateAdminRoleInput,
    members::{self, AssignAdminRoleInput},
};

/// Query fields.
pub struct AdminRoleQueries;
/// Mutation fields.
pub struct AdminRoleMutations;

#[graphql_object(context = Cx)]
impl AdminRoleQueries {
    async fn admin_roles(ctx: &Cx) -> Result<Vec<AdminRole>> {
        super::admin_roles(ctx).await
    }

    async fn admin_role(ctx: &Cx, id: Uuid) -> Result<AdminRole> {
        super::admin_role(ctx, Ok(id)).await
    }

    async fn admin_role_members(ctx: &Cx, role_id: Uuid) -> Result<Vec<AdminRoleMember>> {
        members::admin_role_members(ctx, Ok(role_id)).await
    }

    async fn all_admin_permissions(ctx: &Cx) -> Result<Vec<AdminPermissionInfo>> {
        super::all_admin_permissions(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl AdminRoleMutations {
    async fn admin_create_role(ctx: &Cx, input: CreateAdminRoleInput) -> Result<AdminRole> {
        super::admin_create_role(ctx, Ok(input)).await
    }

    async fn admin_update_role(ctx: &Cx, id: Uuid, input: UpdateAdminRoleInput) -> Result<AdminRole> {
        super::admin_update_role(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_delete_role(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_role(ctx, Ok(id)).await?;
        Ok(true)
    }

    async fn admin_assign_user_role(ctx: &Cx, user_id: Uuid, role_id: Uuid) -> Result<bool> {
        members::admin_assign_user_role(ctx, Ok(role_id), Ok(AssignAdminRoleInput { user_id })).await
    }

    async fn admin_unassign_user_role(ctx: &Cx, user_id: Uuid, role_id: Uuid) -> Result<bool> {
        members::admin_unassign_user_role(ctx, Ok(role_id), Ok(user_id)).await
    }
}
