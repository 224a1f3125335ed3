//! Teams over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{
    CreateDeveloperTeamInput, DeveloperTeam, DeveloperTeamPermissionInfo, UpdateDeveloperTeamInput,
    profile::{self, PublicDeveloperTeamProfile},
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_team_permissions);
    config.service(create_developer_team);
    config.service(developer_teams);
    config.service(developer_team);
    config.service(update_developer_team);
    config.service(delete_developer_team);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(public_developer_team_profile);
}

#[utoipa::path(tag = "developer_teams", operation_id = "createDeveloperTeam",
    request_body = CreateDeveloperTeamInput,
    responses((status = 201, body = Enveloped<DeveloperTeam>), (status = 404)))]
#[post("/v1/developer/teams")]
async fn create_developer_team(cx: Cx, input: JsonBody<CreateDeveloperTeamInput>) -> Result<HttpResponse> {
    let team = super::create_developer_team(&cx, input.0).await?;
    Ok(created(format!("/v1/developer/teams/{}", team.id), team))
}

#[utoipa::path(tag = "developer_teams", operation_id = "developerTeams",
    responses((status = 200, body = Listed<DeveloperTeam>)))]
#[get("/v1/developer/teams")]
async fn developer_teams(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::developer_teams(&cx).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "developerTeamPermissions",
    responses((status = 200, body = Listed<DeveloperTeamPermissionInfo>)))]
#[get("/v1/developer/teams/permissions")]
async fn developer_team_permissions(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::developer_team_permissions(&cx).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "developerTeam", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<DeveloperTeam>)))]
#[get("/v1/developer/teams/{id}")]
async fn developer_team(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::developer_team(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "updateDeveloperTeam", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateDeveloperTeamInput, responses((status = 200, body = Enveloped<DeveloperTeam>)))]
#[patch("/v1/developer/teams/{id}")]
async fn update_developer_team(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateDeveloperTeamInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_developer_team(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "deleteDeveloperTeam", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/developer/teams/{id}")]
async fn delete_developer_team(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_developer_team(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "developer_teams", operation_id = "publicDeveloperTeamProfile",
    params(("slug" = String, Path)), responses((status = 200, body = Enveloped<PublicDeveloperTeamProfile>)))]
#[get("/v1/developer/teams/{slug}/profile")]
async fn public_developer_team_profile(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let slug = request.match_info().get("slug").unwrap_or_default();
    Ok(single(&request, profile::public_developer_team_profile(&cx, slug).await?))
}
