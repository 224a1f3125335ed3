//! Invites to a team over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateDeveloperTeamInviteInput, DeveloperTeamInvite, DeveloperTeamInvitePreview};
use crate::teams::DeveloperTeam;

/// Queries of invites to a team.
pub struct DeveloperTeamInviteQueries;
/// Mutations of invites to a team.
pub struct DeveloperTeamInviteMutations;

#[graphql_object(context = Cx)]
impl DeveloperTeamInviteQueries {
    async fn developer_team_invites(ctx: &Cx, id: Uuid) -> Result<Vec<DeveloperTeamInvite>> {
        super::developer_team_invites(ctx, Ok(id)).await
    }

    async fn developer_team_invite_by_code(ctx: &Cx, code: String) -> Result<DeveloperTeamInvitePreview> {
        super::developer_team_invite_by_code(ctx, &code).await
    }
}

#[graphql_object(context = Cx)]
impl DeveloperTeamInviteMutations {
    async fn create_developer_team_invite(
        ctx: &Cx,
        id: Uuid,
        input: CreateDeveloperTeamInviteInput,
    ) -> Result<DeveloperTeamInvite> {
        super::create_developer_team_invite(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_developer_team_invite(ctx: &Cx, id: Uuid, invite_id: Uuid) -> Result<bool> {
        super::delete_developer_team_invite(ctx, Ok(id), Ok(invite_id)).await.map(|()| true)
    }

    async fn accept_developer_team_invite(ctx: &Cx, code: String) -> Result<DeveloperTeam> {
        super::accept_developer_team_invite(ctx, &code).await
    }
}
