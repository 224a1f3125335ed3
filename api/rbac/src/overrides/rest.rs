//! REST routes of `overrides`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, path_uuid, single},
};

use super::{
    AccountPermissionOverride, SetPermissionOverrideInput, UserPermissionOverride, accounts,
    resolved::{self, ResolvedUserPermissions},
    users,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(user_permission_overrides);
    config.service(set_user_permission_override);
    config.service(remove_user_permission_override);
    config.service(resolved_user_permissions);
    config.service(admin_account_permission_overrides);
    config.service(admin_set_account_permission_override);
    config.service(admin_remove_account_permission_override);
}

#[utoipa::path(tag = "overrides", operation_id = "userPermissionOverrides",
    params(("user_id" = uuid::Uuid, Path)), responses((status = 200, body = Listed<UserPermissionOverride>)))]
#[get("/v1/users/{user_id}/permission-overrides")]
async fn user_permission_overrides(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let overrides = users::user_permission_overrides(&cx, path_uuid(&request, "user_id")).await?;
    Ok(listed(&request, overrides))
}

#[utoipa::path(tag = "overrides", operation_id = "setUserPermissionOverride",
    params(("user_id" = uuid::Uuid, Path)), request_body = SetPermissionOverrideInput,
    responses((status = 200, body = Enveloped<UserPermissionOverride>)))]
#[put("/v1/users/{user_id}/permission-overrides")]
async fn set_user_permission_override(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetPermissionOverrideInput>,
) -> Result<impl Responder> {
    let user = path_uuid(&request, "user_id");
    Ok(single(&request, users::set_user_permission_override(&cx, user, input.0).await?))
}

#[utoipa::path(tag = "overrides", operation_id = "removeUserPermissionOverride",
    params(("user_id" = uuid::Uuid, Path), ("permission" = String, Path)), responses((status = 204)))]
#[delete("/v1/users/{user_id}/permission-overrides/{permission}")]
async fn remove_user_permission_override(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let permission = request.match_info().get("permission").unwrap_or_default();
    users::remove_user_permission_override(&cx, path_uuid(&request, "user_id"), permission).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "overrides", operation_id = "resolvedUserPermissions",
    params(("user_id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<ResolvedUserPermissions>)))]
#[get("/v1/users/{user_id}/permissions/resolved")]
async fn resolved_user_permissions(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let resolved = resolved::resolved_user_permissions(&cx, path_uuid(&request, "user_id")).await?;
    Ok(single(&request, resolved))
}

#[utoipa::path(tag = "overrides", operation_id = "adminAccountPermissionOverrides",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Listed<AccountPermissionOverride>)))]
#[get("/v1/admin/accounts/{id}/permission-overrides")]
async fn admin_account_permission_overrides(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let overrides = accounts::admin_account_permission_overrides(&cx, path_uuid(&request, "id")).await?;
    Ok(listed(&request, overrides))
}

#[utoipa::path(tag = "overrides", operation_id = "adminSetAccountPermissionOverride",
    params(("id" = uuid::Uuid, Path)), request_body = SetPermissionOverrideInput,
    responses((status = 200, body = Enveloped<AccountPermissionOverride>)))]
#[put("/v1/admin/accounts/{id}/permission-overrides")]
async fn admin_set_account_permission_override(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetPermissionOverrideInput>,
) -> Result<impl Responder> {
    let account = path_uuid(&request, "id");
    Ok(single(&request, accounts::admin_set_account_permission_override(&cx, account, input.0).await?))
}

#[utoipa::path(tag = "overrides", operation_id = "adminRemoveAccountPermissionOverride",
    params(("id" = uuid::Uuid, Path), ("permission" = String, Path)), responses((status = 204)))]
#[delete("/v1/admin/accounts/{id}/permission-overrides/{permission}")]
async fn admin_remove_account_permission_override(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let permission = request.match_info().get("permission").unwrap_or_default();
    accounts::admin_remove_account_permission_override(&cx, path_uuid(&request, "id"), permission).await?;
    Ok(HttpResponse::NoContent().finish())
}
