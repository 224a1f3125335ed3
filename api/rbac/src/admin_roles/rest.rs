//! REST routes of `admin_roles`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post, web::Json};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    AdminPermissionInfo, AdminRole, AdminRoleMember, CreateAdminRoleInput, UpdateAdminRoleInput,
    members::{self, AssignAdminRoleInput},
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_roles);
    config.service(admin_create_role);
    config.service(admin_role);
    config.service(admin_update_role);
    config.service(admin_delete_role);
    config.service(admin_role_members);
    config.service(admin_assign_user_role);
    config.service(admin_unassign_user_role);
    config.service(all_admin_permissions);
}

/// Result of an assignment.
#[derive(Serialize, ToSchema)]
struct AdminRoleAssigned {
    /// False when the person held the role already.
    assigned: bool,
}

/// Result of a removal.
#[derive(Serialize, ToSchema)]
struct AdminRoleUnassigned {
    /// False when the person did not hold the role.
    removed: bool,
}

#[utoipa::path(tag = "admin_roles", operation_id = "adminRoles", responses((status = 200, body = Listed<AdminRole>)))]
#[get("/v1/admin/admin-roles")]
async fn admin_roles(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_roles(&cx).await?))
}

#[utoipa::path(tag = "admin_roles", operation_id = "adminCreateRole", request_body = CreateAdminRoleInput,
    responses((status = 201, body = Enveloped<AdminRole>)))]
#[post("/v1/admin/admin-roles")]
async fn admin_create_role(cx: Cx, input: JsonBody<CreateAdminRoleInput>) -> Result<HttpResponse> {
    let role = super::admin_create_role(&cx, input.0).await?;
    Ok(created(format!("/v1/admin/admin-roles/{}", role.id), role))
}

#[utoipa::path(tag = "admin_roles", operation_id = "adminRole", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AdminRole>)))]
#[get("/v1/admin/admin-roles/{id}")]
async fn admin_role(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_role(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "admin_roles", operation_id = "adminUpdateRole", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateAdminRoleInput, responses((status = 200, body = Enveloped<AdminRole>)))]
#[patch("/v1/admin/admin-roles/{id}")]
async fn admin_update_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateAdminRoleInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::admin_update_role(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "admin_roles", operation_id = "adminDeleteRole", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/admin-roles/{id}")]
async fn admin_delete_role(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_delete_role(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "admin_roles", operation_id = "adminRoleMembers", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<AdminRoleMember>)))]
#[get("/v1/admin/admin-roles/{id}/members")]
async fn admin_role_members(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, members::admin_role_members(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "admin_roles", operation_id = "adminAssignUserRole", params(("id" = uuid::Uuid, Path)),
    request_body = AssignAdminRoleInput, responses((status = 200, body = AdminRoleAssigned)))]
#[post("/v1/admin/admin-roles/{id}/members")]
async fn admin_assign_user_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AssignAdminRoleInput>,
) -> Result<impl Responder> {
    let assigned = members::admin_assign_user_role(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(Json(AdminRoleAssigned { assigned }))
}

#[utoipa::path(tag = "admin_roles", operation_id = "adminUnassignUserRole",
    params(("id" = uuid::Uuid, Path), ("user_id" = uuid::Uuid, Path)),
    responses((status = 200, body = AdminRoleUnassigned)))]
#[delete("/v1/admin/admin-roles/{id}/members/{user_id}")]
async fn admin_unassign_user_role(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let (role, user) = (path_uuid(&request, "id"), path_uuid(&request, "user_id"));
    let removed = members::admin_unassign_user_role(&cx, role, user).await?;
    Ok(Json(AdminRoleUnassigned { removed }))
}

#[utoipa::path(tag = "admin_roles", operation_id = "allAdminPermissions",
    responses((status = 200, body = Listed<AdminPermissionInfo>)))]
#[get("/v1/admin/admin-permissions")]
async fn all_admin_permissions(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::all_admin_permissions(&cx).await?))
}
