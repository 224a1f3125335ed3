//! Login connections over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, path_uuid, single},
};

use super::{LoginConnection, LoginReconnectFlagInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(login_connections);
    config.service(disconnect_login_connection);
    config.service(set_login_reconnect_flag);
}

#[utoipa::path(tag = "users", operation_id = "loginConnections",
    responses((status = 200, body = Listed<LoginConnection>)))]
#[get("/v1/users/me/login-connections")]
async fn login_connections(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::login_connections(&cx).await?))
}

#[utoipa::path(tag = "users", operation_id = "disconnectLoginConnection", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/login-connections/{id}")]
async fn disconnect_login_connection(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::disconnect_login_connection(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "users", operation_id = "setLoginReconnectFlag", params(("id" = uuid::Uuid, Path)),
    request_body = LoginReconnectFlagInput, responses((status = 200, body = Enveloped<LoginConnection>)))]
#[put("/v1/login-connections/{id}/reconnect-flag")]
async fn set_login_reconnect_flag(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<LoginReconnectFlagInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::set_login_reconnect_flag(&cx, id, input.0).await?))
}
