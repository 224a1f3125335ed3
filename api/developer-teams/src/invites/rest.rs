//! Invites to a team over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateDeveloperTeamInviteInput, DeveloperTeamInvite, DeveloperTeamInvitePreview};
use crate::teams::DeveloperTeam;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_team_invites);
    config.service(create_developer_team_invite);
    config.service(delete_developer_team_invite);
    config.service(developer_team_invite_by_code);
    config.service(accept_developer_team_invite);
}

#[utoipa::path(tag = "developer_teams", operation_id = "developerTeamInvites",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Listed<DeveloperTeamInvite>)))]
#[get("/v1/developer/teams/{id}/invites")]
async fn developer_team_invites(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::developer_team_invites(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "createDeveloperTeamInvite",
    params(("id" = uuid::Uuid, Path)), request_body = CreateDeveloperTeamInviteInput,
    responses((status = 201, body = Enveloped<DeveloperTeamInvite>)))]
#[post("/v1/developer/teams/{id}/invites")]
async fn create_developer_team_invite(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateDeveloperTeamInviteInput>,
) -> Result<HttpResponse> {
    // No route returns a single invite by id. The address is the one that deletes it.
    let invite = super::create_developer_team_invite(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("{}/{}", request.path(), invite.id), invite))
}

#[utoipa::path(tag = "developer_teams", operation_id = "deleteDeveloperTeamInvite",
    params(("id" = uuid::Uuid, Path), ("invite_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/developer/teams/{id}/invites/{invite_id}")]
async fn delete_developer_team_invite(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (id, invite) = (path_uuid(&request, "id"), path_uuid(&request, "invite_id"));
    super::delete_developer_team_invite(&cx, id, invite).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "developer_teams", operation_id = "developerTeamInviteByCode",
    params(("code" = String, Path)), responses((status = 200, body = Enveloped<DeveloperTeamInvitePreview>)))]
#[get("/v1/developer/team-invites/{code}")]
async fn developer_team_invite_by_code(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::developer_team_invite_by_code(&cx, code(&request)).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "acceptDeveloperTeamInvite",
    params(("code" = String, Path)), responses((status = 200, body = Enveloped<DeveloperTeam>)))]
#[post("/v1/developer/team-invites/{code}/accept")]
async fn accept_developer_team_invite(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::accept_developer_team_invite(&cx, code(&request)).await?))
}

fn code(request: &HttpRequest) -> &str {
    request.match_info().get("code").unwrap_or_default()
}
