//! GraphQL fields of `user_roles`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateUserRoleInput, UpdateUserRoleInput, UserRole, UserRoleAssignment, UserRoleMember,
    assignments::{self, AssignUserRoleInput},
};

/// Query fields.
pub struct UserRoleQueries;
/// Mutation fields.
pub struct UserRoleMutations;

#[graphql_object(context = Cx)]
impl UserRoleQueries {
    async fn user_roles(ctx: &Cx) -> Result<Vec<UserRole>> {
        super::user_roles(ctx).await
    }

    async fn user_role_members(ctx: &Cx, role_id: Uuid) -> Result<Vec<UserRoleMember>> {
        assignments::user_role_members(ctx, Ok(role_id)).await
    }

    async fn user_role_assignments(ctx: &Cx, user_id: Uuid) -> Result<Vec<UserRoleAssignment>> {
        assignments::user_role_assignments(ctx, Ok(user_id)).await
    }
}

#[graphql_object(context = Cx)]
impl UserRoleMutations {
    async fn create_user_role(ctx: &Cx, input: CreateUserRoleInput) -> Result<UserRole> {
        super::create_user_role(ctx, Ok(input)).await
    }

    async fn update_user_role(ctx: &Cx, id: Uuid, input: UpdateUserRoleInput) -> Result<UserRole> {
        super::update_user_role(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_user_role(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_user_role(ctx, Ok(id)).await?;
        Ok(true)
    }

    async fn assign_user_role(ctx: &Cx, user_id: Uuid, role_id: Uuid) -> Result<UserRoleAssignment> {
        let input = AssignUserRoleInput { role_id };
        Ok(assignments::assign_user_role(ctx, Ok(user_id), Ok(input)).await?.assignment)
    }

    async fn remove_user_role(ctx: &Cx, user_id: Uuid, role_id: Uuid) -> Result<bool> {
        assignments::remove_user_role(ctx, Ok(user_id), Ok(role_id)).await?;
        Ok(true)
    }
}
