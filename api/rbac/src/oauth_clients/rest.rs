//! REST routes of `oauth_clients`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{AdminCreateOauthClientInput, AdminUpdateOauthClientInput, OauthClient};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_oauth_clients);
    config.service(admin_create_oauth_client);
    config.service(admin_update_oauth_client);
    config.service(admin_delete_oauth_client);
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminOauthClients",
    responses((status = 200, body = Listed<OauthClient>)))]
#[get("/v1/admin/oauth-clients")]
async fn admin_oauth_clients(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_oauth_clients(&cx).await?))
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminCreateOauthClient",
    request_body = AdminCreateOauthClientInput, responses((status = 201, body = Enveloped<OauthClient>)))]
#[post("/v1/admin/oauth-clients")]
async fn admin_create_oauth_client(
    cx: Cx,
    input: JsonBody<AdminCreateOauthClientInput>,
) -> Result<HttpResponse> {
    let client = super::admin_create_oauth_client(&cx, input.0).await?;
    Ok(created(format!("/v1/admin/oauth-clients/{}", client.id), client))
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminUpdateOauthClient", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpdateOauthClientInput, responses((status = 200, body = Enveloped<OauthClient>)))]
#[patch("/v1/admin/oauth-clients/{id}")]
async fn admin_update_oauth_client(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdateOauthClientInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::admin_update_oauth_client(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "admin_misc", operation_id = "adminDeleteOauthClient", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/oauth-clients/{id}")]
async fn admin_delete_oauth_client(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_delete_oauth_client(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
