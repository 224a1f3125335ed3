//! REST routes of `categories`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateIdeaCategoryInput, IdeaCategory, UpdateIdeaCategoryInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(create_idea_category);
    config.service(update_idea_category);
    config.service(delete_idea_category);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(idea_categories);
}

#[utoipa::path(tag = "ideas", operation_id = "ideaCategories",
    responses((status = 200, body = Listed<IdeaCategory>)))]
#[get("/v1/ideas/categories")]
async fn idea_categories(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::idea_categories(&cx).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "createIdeaCategory", request_body = CreateIdeaCategoryInput,
    responses((status = 201, body = Enveloped<IdeaCategory>)))]
#[post("/v1/ideas/categories")]
async fn create_idea_category(cx: Cx, input: JsonBody<CreateIdeaCategoryInput>) -> Result<HttpResponse> {
    let made = super::create_idea_category(&cx, input.0).await?;
    Ok(created(format!("/v1/ideas/categories/{}", made.id), made))
}

#[utoipa::path(tag = "ideas", operation_id = "updateIdeaCategory", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateIdeaCategoryInput, responses((status = 200, body = Enveloped<IdeaCategory>)))]
#[patch("/v1/ideas/categories/{id}")]
async fn update_idea_category(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateIdeaCategoryInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_idea_category(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "deleteIdeaCategory", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/ideas/categories/{id}")]
async fn delete_idea_category(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_idea_category(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
