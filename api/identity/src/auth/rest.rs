//! Signing in and out over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, SelfLink, ServiceConfig, created, single},
};

use super::{
    AuthorizeLoginInput, ExchangeTokenInput, ExchangedToken, LogoutInput, RefreshTokenInput, RefreshedToken,
    WsToken,
};
use crate::login_connections::LoginConnection;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(link_login_provider);
    config.service(logout);
    config.service(issue_ws_token);
}

/// Routes without a credential.
pub fn public_routes(config: &mut ServiceConfig) {
    config.service(exchange_token);
    config.service(authorize_login);
    config.service(refresh_token);
}

#[utoipa::path(tag = "auth", operation_id = "exchangeToken", request_body = ExchangeTokenInput,
    responses((status = 200, body = Enveloped<ExchangedToken>), (status = 401)))]
#[post("/v1/auth/token")]
async fn exchange_token(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ExchangeTokenInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::exchange_token(&cx, input.0).await?))
}

#[utoipa::path(tag = "auth", operation_id = "authorizeLogin", request_body = AuthorizeLoginInput,
    responses((status = 200, body = Enveloped<ExchangedToken>), (status = 401)))]
#[post("/v1/auth/authorize")]
async fn authorize_login(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AuthorizeLoginInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::authorize_login(&cx, input.0).await?))
}

#[utoipa::path(tag = "auth", operation_id = "linkLoginProvider", request_body = ExchangeTokenInput,
    responses((status = 201, body = Enveloped<LoginConnection>), (status = 200, body = Enveloped<LoginConnection>)))]
#[post("/v1/auth/link")]
async fn link_login_provider(cx: Cx, input: JsonBody<ExchangeTokenInput>) -> Result<HttpResponse> {
    let linked = super::link_login_provider(&cx, input.0).await?;
    let address = format!("/v1/login-connections/{}", linked.connection.id);
    if linked.is_new {
        return Ok(created(address, linked.connection));
    }
    Ok(HttpResponse::Ok().json(Enveloped { data: linked.connection, links: SelfLink { this: address } }))
}

#[utoipa::path(tag = "auth", operation_id = "refreshToken", request_body = RefreshTokenInput,
    responses((status = 200, body = Enveloped<RefreshedToken>), (status = 401)))]
#[post("/v1/auth/refresh")]
async fn refresh_token(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<RefreshTokenInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::refresh_token(&cx, input.0).await?))
}

#[utoipa::path(tag = "auth", operation_id = "logout", request_body = LogoutInput, responses((status = 204)))]
#[post("/v1/auth/logout")]
async fn logout(cx: Cx, input: JsonBody<LogoutInput>) -> Result<HttpResponse> {
    super::logout(&cx, input.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "auth", operation_id = "issueWsToken", responses((status = 200, body = Enveloped<WsToken>)))]
#[post("/v1/auth/ws-token")]
async fn issue_ws_token(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::issue_ws_token(&cx).await?))
}
