//! REST routes of `se_tokens`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, created, listed, paged, path_uuid,
        single,
    },
};

use super::{
    AdminSeToken, CreateSeTokenInput, SeToken, Stored,
    admin::{self, AdminSeTokensQuery},
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(se_tokens);
    config.service(create_se_token);
    config.service(delete_se_token);
    config.service(admin_se_tokens);
    config.service(admin_delete_se_token);
}

#[utoipa::path(tag = "se_tokens", operation_id = "seTokens",
    responses((status = 200, body = Listed<SeToken>)))]
#[get("/v1/se-tokens")]
async fn se_tokens(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::se_tokens(&cx).await?))
}

#[utoipa::path(tag = "se_tokens", operation_id = "createSeToken", request_body = CreateSeTokenInput,
    responses(
        (status = 201, body = Enveloped<SeToken>),
        (status = 200, description = "The account had a token of the platform before.", body = Enveloped<SeToken>),
    ))]
#[post("/v1/se-tokens")]
async fn create_se_token(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateSeTokenInput>,
) -> Result<HttpResponse> {
    let Stored { token, is_new } = super::create_se_token(&cx, input.0).await?;
    if is_new {
        return Ok(created(format!("/v1/se-tokens/{}", token.id), token));
    }
    Ok(single(&request, token).respond_to(&request).map_into_boxed_body())
}

#[utoipa::path(tag = "se_tokens", operation_id = "deleteSeToken", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/se-tokens/{id}")]
async fn delete_se_token(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_se_token(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "se_tokens", operation_id = "adminSeTokens", params(AdminSeTokensQuery),
    responses((status = 200, body = Collection<AdminSeToken>)))]
#[get("/v1/admin/se-tokens")]
async fn admin_se_tokens(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<AdminSeTokensQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, admin::admin_se_tokens(&cx, query.0).await?))
}

#[utoipa::path(tag = "se_tokens", operation_id = "adminDeleteSeToken", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/se-tokens/{id}")]
async fn admin_delete_se_token(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    admin::admin_delete_se_token(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
