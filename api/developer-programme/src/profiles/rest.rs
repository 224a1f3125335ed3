//! REST routes of `profiles`.

use actix_web::{HttpRequest, Responder, get, patch};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{DeveloperProfile, PublicDeveloperProfile, UpdateDeveloperProfileInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_profile);
    config.service(update_developer_profile);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(public_developer_profile);
}

#[utoipa::path(tag = "developer", operation_id = "developerProfile",
    responses((status = 200, body = Enveloped<DeveloperProfile>), (status = 404)))]
#[get("/v1/developer/profile")]
async fn developer_profile(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::developer_profile(&cx).await?))
}

#[utoipa::path(tag = "developer", operation_id = "updateDeveloperProfile",
    request_body = UpdateDeveloperProfileInput,
    responses((status = 200, body = Enveloped<DeveloperProfile>), (status = 404)))]
#[patch("/v1/developer/profile")]
async fn update_developer_profile(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateDeveloperProfileInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::update_developer_profile(&cx, input.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "publicDeveloperProfile", params(("slug" = String, Path)),
    responses((status = 200, body = Enveloped<PublicDeveloperProfile>)))]
#[get("/v1/developer/profiles/{slug}")]
async fn public_developer_profile(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let slug = request.match_info().get("slug").unwrap_or_default();
    Ok(single(&request, super::public_developer_profile(&cx, slug).await?))
}
