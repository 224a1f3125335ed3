//! Roles of a team over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateDeveloperTeamRoleInput, DeveloperTeamRole, UpdateDeveloperTeamRoleInput};

/// Queries of roles of a team.
pub struct DeveloperTeamRoleQueries;
/// Mutations of roles of a team.
pub struct DeveloperTeamRoleMutations;

#[graphql_object(context = Cx)]
impl DeveloperTeamRoleQueries {
    async fn developer_team_roles(ctx: &Cx, id: Uuid) -> Result<Vec<DeveloperTeamRole>> {
        super::developer_team_roles(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl DeveloperTeamRoleMutations {
    async fn create_developer_team_role(
        ctx: &Cx,
        id: Uuid,
        input: CreateDeveloperTeamRoleInput,
    ) -> Result<DeveloperTeamRole> {
        super::create_developer_team_role(ctx, Ok(id), Ok(input)).await
    }

    async fn update_developer_team_role(
        ctx: &Cx,
        id: Uuid,
        rid: Uuid,
        input: UpdateDeveloperTeamRoleInput,
    ) -> Result<DeveloperTeamRole> {
        super::update_developer_team_role(ctx, Ok(id), Ok(rid), Ok(input)).await
    }

    async fn delete_developer_team_role(ctx: &Cx, id: Uuid, rid: Uuid) -> Result<bool> {
        super::delete_developer_team_role(ctx, Ok(id), Ok(rid)).await.map(|()| true)
    }
}
