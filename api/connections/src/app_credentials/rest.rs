//! REST routes of `app_credentials`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, single},
};

use super::{AppCredentials, SaveAppCredentialsInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(app_credentials);
    config.service(save_app_credentials);
    config.service(delete_app_credentials);
}

#[utoipa::path(tag = "connections", operation_id = "appCredentials",
    responses((status = 200, body = Listed<AppCredentials>)))]
#[get("/v1/connections/app-credentials")]
async fn app_credentials(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::app_credentials(&cx).await?))
}

#[utoipa::path(tag = "connections", operation_id = "saveAppCredentials", params(("platform" = String, Path)),
    request_body = SaveAppCredentialsInput, responses((status = 200, body = Enveloped<AppCredentials>)))]
#[put("/v1/connections/app-credentials/{platform}")]
async fn save_app_credentials(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SaveAppCredentialsInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::save_app_credentials(&cx, platform(&request), input.0).await?))
}

#[utoipa::path(tag = "connections", operation_id = "deleteAppCredentials", params(("platform" = String, Path)),
    responses((status = 204)))]
#[delete("/v1/connections/app-credentials/{platform}")]
async fn delete_app_credentials(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_app_credentials(&cx, platform(&request)).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn platform(request: &HttpRequest) -> &str {
    request.match_info().get("platform").unwrap_or_default()
}
