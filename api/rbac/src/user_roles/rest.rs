//! REST routes of `user_roles`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{
    CreateUserRoleInput, UpdateUserRoleInput, UserRole, UserRoleAssignment, UserRoleMember,
    assignments::{self, AssignUserRoleInput},
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(user_roles);
    config.service(create_user_role);
    config.service(update_user_role);
    config.service(delete_user_role);
    config.service(user_role_members);
    config.service(user_role_assignments);
    config.service(assign_user_role);
    config.service(remove_user_role);
}

#[utoipa::path(tag = "user_roles", operation_id = "userRoles", responses((status = 200, body = Listed<UserRole>)))]
#[get("/v1/user-roles")]
async fn user_roles(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::user_roles(&cx).await?))
}

#[utoipa::path(tag = "user_roles", operation_id = "createUserRole", request_body = CreateUserRoleInput,
    responses((status = 201, body = Enveloped<UserRole>)))]
#[post("/v1/user-roles")]
async fn create_user_role(cx: Cx, input: JsonBody<CreateUserRoleInput>) -> Result<HttpResponse> {
    let role = super::create_user_role(&cx, input.0).await?;
    Ok(created(format!("/v1/user-roles/{}", role.id), role))
}

#[utoipa::path(tag = "user_roles", operation_id = "updateUserRole", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateUserRoleInput, responses((status = 200, body = Enveloped<UserRole>)))]
#[patch("/v1/user-roles/{id}")]
async fn update_user_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateUserRoleInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::update_user_role(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "user_roles", operation_id = "deleteUserRole", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/user-roles/{id}")]
async fn delete_user_role(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_user_role(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "user_roles", operation_id = "userRoleMembers", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<UserRoleMember>)))]
#[get("/v1/user-roles/{id}/members")]
async fn user_role_members(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let members = assignments::user_role_members(&cx, path_uuid(&request, "id")).await?;
    Ok(listed(&request, members))
}

#[utoipa::path(tag = "user_roles", operation_id = "userRoleAssignments", params(("user_id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<UserRoleAssignment>)))]
#[get("/v1/users/{user_id}/roles")]
async fn user_role_assignments(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let assigned = assignments::user_role_assignments(&cx, path_uuid(&request, "user_id")).await?;
    Ok(listed(&request, assigned))
}

#[utoipa::path(tag = "user_roles", operation_id = "assignUserRole", params(("user_id" = uuid::Uuid, Path)),
    request_body = AssignUserRoleInput,
    responses((status = 201, body = Enveloped<UserRoleAssignment>),
        (status = 200, description = "Was assigned already.", body = Enveloped<UserRoleAssignment>)))]
#[post("/v1/users/{user_id}/roles")]
async fn assign_user_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AssignUserRoleInput>,
) -> Result<HttpResponse> {
    let assigned = assignments::assign_user_role(&cx, path_uuid(&request, "user_id"), input.0).await?;
    if assigned.is_new {
        return Ok(created(request.path().to_owned(), assigned.assignment));
    }
    Ok(HttpResponse::Ok().json(single(&request, assigned.assignment).into_inner()))
}

#[utoipa::path(tag = "user_roles", operation_id = "removeUserRole",
    params(("user_id" = uuid::Uuid, Path), ("role_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/users/{user_id}/roles/{role_id}")]
async fn remove_user_role(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (user, role) = (path_uuid(&request, "user_id"), path_uuid(&request, "role_id"));
    assignments::remove_user_role(&cx, user, role).await?;
    Ok(HttpResponse::NoContent().finish())
}
