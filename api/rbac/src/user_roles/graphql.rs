//! Platform-wide roles over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateUserRoleInput, UpdateUserRoleInput, UserRole,
    assignments::{self, AssignUserRoleInput, UserRoleAssignment, UserRoleMember},
};

pub struct UserRoleQueries;
pub struct UserRoleMutations;

#[graphql_object(context = Cx)]
impl UserRoleQueries {
    /// Every platform-wide role.
    async fn user_roles(ctx: &Cx) -> Result<Vec<UserRole>> {
        super::user_roles(ctx).await
    }

    /// The people who were assigned a role, the latest 1000.
    async fn user_role_members(ctx: &Cx, role_id: Uuid) -> Result<Vec<UserRoleMember>> {
        assignments::user_role_members(ctx, Ok(role_id)).await
    }

    /// The roles that a person was assigned; none means that the default role holds.
    async fn user_role_assignments(ctx: &Cx, user_id: Uuid) -> Result<Vec<UserRoleAssignment>> {
        assignments::user_role_assignments(ctx, Ok(user_id)).await
    }
}

#[graphql_object(context = Cx)]
impl UserRoleMutations {
    /// Create a platform-wide role.
    async fn create_user_role(ctx: &Cx, input: CreateUserRoleInput) -> Result<UserRole> {
        super::create_user_role(ctx, Ok(input)).await
    }

    /// Change a platform-wide role.
    async fn update_user_role(ctx: &Cx, id: Uuid, input: UpdateUserRoleInput) -> Result<UserRole> {
        super::update_user_role(ctx, Ok(id), Ok(input)).await
    }

    /// Delete a platform-wide role with its assignments.
    async fn delete_user_role(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_user_role(ctx, Ok(id)).await?;
        Ok(true)
    }

    /// Give a person a role.
    async fn assign_user_role(ctx: &Cx, user_id: Uuid, role_id: Uuid) -> Result<UserRoleAssignment> {
        let input = AssignUserRoleInput { role_id };
        Ok(assignments::assign_user_role(ctx, Ok(user_id), Ok(input)).await?.assignment)
    }

    /// Take a role from a person.
    async fn remove_user_role(ctx: &Cx, user_id: Uuid, role_id: Uuid) -> Result<bool> {
        assignments::remove_user_role(ctx, Ok(user_id), Ok(role_id)).await?;
        Ok(true)
    }
}
