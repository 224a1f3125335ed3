//! Teams over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateDeveloperTeamInput, DeveloperTeam, DeveloperTeamPermissionInfo, UpdateDeveloperTeamInput,
    profile::{self, PublicDeveloperTeamProfile},
};

/// Queries of teams.
pub struct DeveloperTeamQueries;
/// Mutations of teams.
pub struct DeveloperTeamMutations;

#[graphql_object(context = Cx)]
impl DeveloperTeamQueries {
    async fn developer_teams(ctx: &Cx) -> Result<Vec<DeveloperTeam>> {
        super::developer_teams(ctx).await
    }

    async fn developer_team_permissions(ctx: &Cx) -> Result<Vec<DeveloperTeamPermissionInfo>> {
        super::developer_team_permissions(ctx).await
    }

    async fn developer_team(ctx: &Cx, id: Uuid) -> Result<DeveloperTeam> {
        super::developer_team(ctx, Ok(id)).await
    }

    async fn public_developer_team_profile(ctx: &Cx, slug: String) -> Result<PublicDeveloperTeamProfile> {
        profile::public_developer_team_profile(ctx, &slug).await
    }
}

#[graphql_object(context = Cx)]
impl DeveloperTeamMutations {
    async fn create_developer_team(ctx: &Cx, input: CreateDeveloperTeamInput) -> Result<DeveloperTeam> {
        super::create_developer_team(ctx, Ok(input)).await
    }

    async fn update_developer_team(
        ctx: &Cx,
        id: Uuid,
        input: UpdateDeveloperTeamInput,
    ) -> Result<DeveloperTeam> {
        super::update_developer_team(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_developer_team(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_developer_team(ctx, Ok(id)).await.map(|()| true)
    }
}
