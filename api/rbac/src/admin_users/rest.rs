//! REST routes of `admin_users`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged, path_uuid, single},
};

use super::{
    AdminUser, AdminUserMembership, AdminUserSummary,
    changes::{self, AdminUpdateUserInput},
    memberships::{self, AdminAddUserMembershipInput},
    removal,
};
use crate::search::SearchQuery;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_users);
    config.service(admin_user);
    config.service(admin_update_user);
    config.service(admin_delete_user);
    config.service(admin_disconnect_user_login);
    config.service(admin_add_user_membership);
    config.service(admin_remove_user_membership);
}

#[utoipa::path(tag = "admin_users", operation_id = "adminUsers", params(SearchQuery),
    responses((status = 200, body = Collection<AdminUserSummary>)))]
#[get("/v1/admin/users")]
async fn admin_users(cx: Cx, request: HttpRequest, query: QueryOf<SearchQuery>) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_users(&cx, query.0).await?))
}

#[utoipa::path(tag = "admin_users", operation_id = "adminUser", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AdminUser>)))]
#[get("/v1/admin/users/{id}")]
async fn admin_user(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_user(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "admin_users", operation_id = "adminUpdateUser", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpdateUserInput, responses((status = 200, body = Enveloped<AdminUser>)))]
#[patch("/v1/admin/users/{id}")]
async fn admin_update_user(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdateUserInput>,
) -> Result<impl Responder> {
    Ok(single(&request, changes::admin_update_user(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "admin_users", operation_id = "adminDeleteUser", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/users/{id}")]
async fn admin_delete_user(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    removal::admin_delete_user(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "admin_users", operation_id = "adminDisconnectUserLogin",
    params(("id" = uuid::Uuid, Path), ("cid" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/admin/users/{id}/login-connections/{cid}")]
async fn admin_disconnect_user_login(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (user, id) = (path_uuid(&request, "id"), path_uuid(&request, "cid"));
    removal::admin_disconnect_user_login(&cx, user, id).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "admin_users", operation_id = "adminAddUserMembership", params(("id" = uuid::Uuid, Path)),
    request_body = AdminAddUserMembershipInput, responses((status = 201, body = Enveloped<AdminUserMembership>)))]
#[post("/v1/admin/users/{id}/memberships")]
async fn admin_add_user_membership(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminAddUserMembershipInput>,
) -> Result<HttpResponse> {
    let user = path_uuid(&request, "id");
    let membership = memberships::admin_add_user_membership(&cx, user, input.0).await?;
    Ok(created(format!("{}/{}", request.path(), membership.membership_id), membership))
}

#[utoipa::path(tag = "admin_users", operation_id = "adminRemoveUserMembership",
    params(("id" = uuid::Uuid, Path), ("membership_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/admin/users/{id}/memberships/{membership_id}")]
async fn admin_remove_user_membership(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (user, membership) = (path_uuid(&request, "id"), path_uuid(&request, "membership_id"));
    memberships::admin_remove_user_membership(&cx, user, membership).await?;
    Ok(HttpResponse::NoContent().finish())
}
