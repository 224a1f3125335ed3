//! Permissions of the credential and popout tokens over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, KeyLinks, Listed, ServiceConfig, created_key, listed, path_uuid, single},
};

use super::{
    CreatePopoutTokenInput, CreatePopoutTokenResult, PopoutToken, PopoutTokenChanges, TokenPermissions,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    // Registered before `/{id}`, which would match this path too.
    config.service(my_permissions);
    config.service(popout_tokens);
    config.service(create_popout_token);
    config.service(popout_token);
    config.service(update_popout_token);
    config.service(delete_popout_token);
}

#[utoipa::path(tag = "tokens", operation_id = "myPermissions",
    responses((status = 200, body = Enveloped<TokenPermissions>)))]
#[get("/v1/tokens/me")]
async fn my_permissions(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::my_permissions(&cx).await?))
}

#[utoipa::path(tag = "tokens", operation_id = "popoutTokens",
    responses((status = 200, body = Listed<PopoutToken>)))]
#[get("/v1/tokens")]
async fn popout_tokens(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::popout_tokens(&cx).await?))
}

#[utoipa::path(tag = "tokens", operation_id = "createPopoutToken", request_body = CreatePopoutTokenInput,
    responses((status = 201, body = Enveloped<CreatePopoutTokenResult, KeyLinks>)))]
#[post("/v1/tokens")]
async fn create_popout_token(cx: Cx, input: JsonBody<CreatePopoutTokenInput>) -> Result<HttpResponse> {
    let data = super::create_popout_token(&cx, input.0).await?;
    let address = format!("/v1/tokens/{}", data.popout_token.id);
    Ok(created_key(address, data))
}

#[utoipa::path(tag = "tokens", operation_id = "popoutToken", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<PopoutToken>)))]
#[get("/v1/tokens/{id}")]
async fn popout_token(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::popout_token(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "tokens", operation_id = "updatePopoutToken", params(("id" = uuid::Uuid, Path)),
    request_body = PopoutTokenChanges, responses((status = 200, body = Enveloped<PopoutToken>)))]
#[patch("/v1/tokens/{id}")]
async fn update_popout_token(
    cx: Cx,
    request: HttpRequest,
    changes: JsonBody<PopoutTokenChanges>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_popout_token(&cx, id, changes.0).await?))
}

#[utoipa::path(tag = "tokens", operation_id = "deletePopoutToken", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/tokens/{id}")]
async fn delete_popout_token(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_popout_token(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
