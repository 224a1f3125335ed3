//! The current user over REST.

use actix_web::{HttpRequest, Responder, get, patch};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{CurrentUser, UpdateMeInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(me);
    config.service(update_me);
}

#[utoipa::path(tag = "users", operation_id = "me", responses((status = 200, body = Enveloped<CurrentUser>)))]
#[get("/v1/users/me")]
async fn me(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::me(&cx).await?))
}

#[utoipa::path(tag = "users", operation_id = "updateMe", request_body = UpdateMeInput,
    responses((status = 200, body = Enveloped<CurrentUser>)))]
#[patch("/v1/users/me")]
async fn update_me(cx: Cx, request: HttpRequest, input: JsonBody<UpdateMeInput>) -> Result<impl Responder> {
    Ok(single(&request, super::update_me(&cx, input.0).await?))
}
