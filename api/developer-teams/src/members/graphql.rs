//! Members of a team over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{DeveloperTeamMember, UpdateDeveloperTeamMemberRoleInput};

/// Queries of members of a team.
pub struct DeveloperTeamMemberQueries;
/// Mutations of members of a team.
pub struct DeveloperTeamMemberMutations;

#[graphql_object(context = Cx)]
impl DeveloperTeamMemberQueries {
    async fn developer_team_members(ctx: &Cx, id: Uuid) -> Result<Vec<DeveloperTeamMember>> {
        super::developer_team_members(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl DeveloperTeamMemberMutations {
    async fn update_developer_team_member_role(
        ctx: &Cx,
        id: Uuid,
        member_id: Uuid,
        input: UpdateDeveloperTeamMemberRoleInput,
    ) -> Result<DeveloperTeamMember> {
        super::update_developer_team_member_role(ctx, Ok(id), Ok(member_id), Ok(input)).await
    }

    async fn remove_developer_team_member(ctx: &Cx, id: Uuid, member_id: Uuid) -> Result<bool> {
        super::remove_developer_team_member(ctx, Ok(id), Ok(member_id)).await.map(|()| true)
    }
}
