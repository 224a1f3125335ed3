//! Roles of a team over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateDeveloperTeamRoleInput, DeveloperTeamRole, UpdateDeveloperTeamRoleInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_team_roles);
    config.service(create_developer_team_role);
    config.service(update_developer_team_role);
    config.service(delete_developer_team_role);
}

#[utoipa::path(tag = "developer_teams", operation_id = "developerTeamRoles",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Listed<DeveloperTeamRole>)))]
#[get("/v1/developer/teams/{id}/roles")]
async fn developer_team_roles(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::developer_team_roles(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "createDeveloperTeamRole",
    params(("id" = uuid::Uuid, Path)), request_body = CreateDeveloperTeamRoleInput,
    responses((status = 201, body = Enveloped<DeveloperTeamRole>)))]
#[post("/v1/developer/teams/{id}/roles")]
async fn create_developer_team_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateDeveloperTeamRoleInput>,
) -> Result<HttpResponse> {
    let role = super::create_developer_team_role(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("{}/{}", request.path(), role.id), role))
}

#[utoipa::path(tag = "developer_teams", operation_id = "updateDeveloperTeamRole",
    params(("id" = uuid::Uuid, Path), ("rid" = uuid::Uuid, Path)), request_body = UpdateDeveloperTeamRoleInput,
    responses((status = 200, body = Enveloped<DeveloperTeamRole>)))]
#[patch("/v1/developer/teams/{id}/roles/{rid}")]
async fn update_developer_team_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateDeveloperTeamRoleInput>,
) -> Result<impl Responder> {
    let (id, role) = (path_uuid(&request, "id"), path_uuid(&request, "rid"));
    Ok(single(&request, super::update_developer_team_role(&cx, id, role, input.0).await?))
}

#[utoipa::path(tag = "developer_teams", operation_id = "deleteDeveloperTeamRole",
    params(("id" = uuid::Uuid, Path), ("rid" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/developer/teams/{id}/roles/{rid}")]
async fn delete_developer_team_role(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (id, role) = (path_uuid(&request, "id"), path_uuid(&request, "rid"));
    super::delete_developer_team_role(&cx, id, role).await?;
    Ok(HttpResponse::NoContent().finish())
}
