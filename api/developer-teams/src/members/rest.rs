//! Members of a team over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, path_uuid, single},
};

use super::{DeveloperTeamMember, UpdateDeveloperTeamMemberRoleInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_team_members);
    config.service(update_developer_team_member_role);
    config.service(remove_developer_team_member);
}

#[utoipa::path(tag = "developer_teams", operation_id = "developerTeamMembers",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Listed<DeveloperTeamMember>)))]
#[get("/v1/developer/teams/{id}/members")]
async fn developer_team_members(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::developer_team_members(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "updateDeveloperTeamMemberRole",
    params(("id" = uuid::Uuid, Path), ("member_id" = uuid::Uuid, Path)),
    request_body = UpdateDeveloperTeamMemberRoleInput,
    responses((status = 200, body = Enveloped<DeveloperTeamMember>)))]
#[patch("/v1/developer/teams/{id}/members/{member_id}/role")]
async fn update_developer_team_member_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateDeveloperTeamMemberRoleInput>,
) -> Result<impl Responder> {
    let (id, member) = (path_uuid(&request, "id"), path_uuid(&request, "member_id"));
    Ok(single(&request, super::update_developer_team_member_role(&cx, id, member, input.0).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "removeDeveloperTeamMember",
    params(("id" = uuid::Uuid, Path), ("member_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/developer/teams/{id}/members/{member_id}")]
async fn remove_developer_team_member(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (id, member) = (path_uuid(&request, "id"), path_uuid(&request, "member_id"));
    super::remove_developer_team_member(&cx, id, member).await?;
    Ok(HttpResponse::NoContent().finish())
}
