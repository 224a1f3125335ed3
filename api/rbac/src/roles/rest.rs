//! REST routes of `roles`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{AccountPermissionInfo, AccountRole, CreateRoleInput, MoveRoleInput, UpdateRoleInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    // Must precede `/{id}`, which would match it too.
    config.service(account_permissions);
    config.service(roles);
    config.service(role);
    config.service(create_role);
    config.service(update_role);
    config.service(delete_role);
    config.service(move_role);
}

#[utoipa::path(tag = "roles", operation_id = "roles", responses((status = 200, body = Listed<AccountRole>)))]
#[get("/v1/roles")]
async fn roles(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::roles(&cx).await?))
}

#[utoipa::path(tag = "roles", operation_id = "accountPermissions",
    responses((status = 200, body = Listed<AccountPermissionInfo>)))]
#[get("/v1/roles/permissions")]
async fn account_permissions(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::account_permissions(&cx).await?))
}

#[utoipa::path(tag = "roles", operation_id = "role", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AccountRole>)))]
#[get("/v1/roles/{id}")]
async fn role(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::role(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "roles", operation_id = "createRole", request_body = CreateRoleInput,
    responses((status = 201, body = Enveloped<AccountRole>)))]
#[post("/v1/roles")]
async fn create_role(cx: Cx, input: JsonBody<CreateRoleInput>) -> Result<HttpResponse> {
    let new = super::create_role(&cx, input.0).await?;
    Ok(created(format!("/v1/roles/{}", new.id), new))
}

#[utoipa::path(tag = "roles", operation_id = "updateRole", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateRoleInput, responses((status = 200, body = Enveloped<AccountRole>)))]
#[patch("/v1/roles/{id}")]
async fn update_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateRoleInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::update_role(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "roles", operation_id = "deleteRole", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/roles/{id}")]
async fn delete_role(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_role(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "roles", operation_id = "moveRole", params(("id" = uuid::Uuid, Path)),
    request_body = MoveRoleInput, responses((status = 200, body = Enveloped<AccountRole>)))]
#[put("/v1/roles/{id}/position")]
async fn move_role(cx: Cx, request: HttpRequest, input: JsonBody<MoveRoleInput>) -> Result<impl Responder> {
    Ok(single(&request, super::move_role(&cx, path_uuid(&request, "id"), input.0).await?))
}
