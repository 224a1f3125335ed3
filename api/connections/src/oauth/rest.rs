//! REST routes of `oauth`.

use actix_web::{HttpRequest, HttpResponse, Responder, get, http::header, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, LenientQuery, ServiceConfig, single},
};

use super::{CallbackQuery, ExchangeOauthInput, OauthExchange};

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig) {
    config.service(exchange_oauth);
    config.service(receive_oauth_callback);
}

#[utoipa::path(tag = "connections", operation_id = "exchangeOauth", params(("platform" = String, Path)),
    request_body = ExchangeOauthInput, responses((status = 200, body = Enveloped<OauthExchange>)))]
#[post("/v1/connections/oauth/{platform}/exchange")]
async fn exchange_oauth(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ExchangeOauthInput>,
) -> Result<impl Responder> {
    let exchanged = super::exchange_oauth(&cx, platform(&request), input.0).await?;
    Ok(single(&request, exchanged))
}

#[utoipa::path(tag = "connections", operation_id = "receiveOauthCallback",
    params(("platform" = String, Path), CallbackQuery),
    responses((status = 303, description = "A redirect of the browser, with the result in the query.")))]
#[get("/v1/connections/oauth/{platform}/exchange")]
async fn receive_oauth_callback(
    cx: Cx,
    request: HttpRequest,
    query: LenientQuery<CallbackQuery>,
) -> Result<HttpResponse> {
    let target = super::receive_oauth_callback(&cx, platform(&request), query.0).await?;
    Ok(HttpResponse::SeeOther()
        .insert_header((header::LOCATION, target.as_str()))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .finish())
}

fn platform(request: &HttpRequest) -> &str {
    request.match_info().get("platform").unwrap_or_default()
}
