//! What a credential may do, over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Enveloped, single},
};
use utoipa_actix_web::service_config::ServiceConfig;

use super::TokenPermissions;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(my_permissions);
}

/// What the credential of this request may do.
#[utoipa::path(tag = "tokens", operation_id = "myPermissions",
    responses((status = 200, body = Enveloped<TokenPermissions>)))]
#[get("/v1/tokens/me")]
async fn my_permissions(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::my_permissions(&cx).await?))
}
