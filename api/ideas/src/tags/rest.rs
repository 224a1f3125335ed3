//! REST routes of `tags`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, created, listed, path_uuid, single},
};

use super::{Created, IdeaTag, IdeaTagsQuery, NewIdeaTag};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(delete_idea_tag);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(idea_tags);
    config.service(create_idea_tag);
}

#[utoipa::path(tag = "ideas", operation_id = "ideaTags", params(IdeaTagsQuery),
    responses((status = 200, body = Listed<IdeaTag>)))]
#[get("/v1/ideas/tags")]
async fn idea_tags(cx: Cx, request: HttpRequest, query: QueryOf<IdeaTagsQuery>) -> Result<impl Responder> {
    Ok(listed(&request, super::idea_tags(&cx, query.0).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "createIdeaTag", request_body = NewIdeaTag,
    responses(
        (status = 201, body = Enveloped<IdeaTag>),
        (status = 200, description = "There was a tag of the name before.", body = Enveloped<IdeaTag>),
    ))]
#[post("/v1/ideas/tags")]
async fn create_idea_tag(cx: Cx, request: HttpRequest, input: JsonBody<NewIdeaTag>) -> Result<HttpResponse> {
    let Created { tag, is_new } = super::create_idea_tag(&cx, input.0).await?;
    if is_new {
        return Ok(created(format!("/v1/ideas/tags/{}", tag.id), tag));
    }
    Ok(single(&request, tag).respond_to(&request).map_into_boxed_body())
}

#[utoipa::path(tag = "ideas", operation_id = "deleteIdeaTag", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/ideas/tags/{id}")]
async fn delete_idea_tag(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_idea_tag(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
