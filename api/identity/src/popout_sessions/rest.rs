//! Sessions of popouts over REST.

use actix_web::{HttpRequest, Responder, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{ExchangePopoutTokenInput, PopoutSession};
use crate::auth::WsToken;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(issue_popout_ws_token);
}

/// Routes without a credential.
pub fn public_routes(config: &mut ServiceConfig) {
    config.service(exchange_popout_token);
}

#[utoipa::path(tag = "auth", operation_id = "exchangePopoutToken", request_body = ExchangePopoutTokenInput,
    responses((status = 200, body = Enveloped<PopoutSession>,
        headers(("Set-Cookie" = String, description = "`service-popout-token`: the session, for 15 minutes."))), (status = 401)))]
#[post("/v1/auth/popout/exchange")]
async fn exchange_popout_token(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ExchangePopoutTokenInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::exchange_popout_token(&cx, input.0).await?))
}

#[utoipa::path(tag = "auth", operation_id = "issuePopoutWsToken",
    responses((status = 200, body = Enveloped<WsToken>)))]
#[post("/v1/auth/popout/ws-token")]
async fn issue_popout_ws_token(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::issue_popout_ws_token(&cx).await?))
}
