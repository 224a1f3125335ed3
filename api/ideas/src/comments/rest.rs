//! REST routes of `comments`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post, put};
use api_core::{
    Cx, Result,
    http::{
        Enveloped, JsonBody, Linked, Listed, PartLinks, QueryOf, ServiceConfig, created, listed, path_uuid,
        single,
    },
};

use super::{DEFAULT_LIMIT, IdeaComment, IdeaCommentChange, IdeaCommentsQuery, NewIdeaComment};
use crate::votes::NewIdeaVote;

/// Routes that need no credential. The rules of changes demand a permission.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(idea_comments);
    config.service(create_idea_comment);
    config.service(update_idea_comment);
    config.service(delete_idea_comment);
    config.service(vote_idea_comment);
    config.service(remove_idea_comment_vote);
}

#[utoipa::path(tag = "ideas", operation_id = "ideaComments", params(("id" = uuid::Uuid, Path), IdeaCommentsQuery),
    responses((status = 200, body = Listed<IdeaComment>)))]
#[get("/v1/ideas/{id}/comments")]
async fn idea_comments(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<IdeaCommentsQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    let list = super::idea_comments(&cx, id, query.0).await?;
    let links = PartLinks::by_offset(&request, DEFAULT_LIMIT, list.len(), None);
    Ok(Linked { body: listed(&request, list).0, links })
}

#[utoipa::path(tag = "ideas", operation_id = "createIdeaComment", params(("id" = uuid::Uuid, Path)),
    request_body = NewIdeaComment, responses((status = 201, body = Enveloped<IdeaComment>)))]
#[post("/v1/ideas/{id}/comments")]
async fn create_idea_comment(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<NewIdeaComment>,
) -> Result<HttpResponse> {
    let made = super::create_idea_comment(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("/v1/ideas/comments/{}", made.id), made))
}

#[utoipa::path(tag = "ideas", operation_id = "updateIdeaComment", params(("id" = uuid::Uuid, Path)),
    request_body = IdeaCommentChange, responses((status = 200, body = Enveloped<IdeaComment>)))]
#[patch("/v1/ideas/comments/{id}")]
async fn update_idea_comment(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<IdeaCommentChange>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_idea_comment(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "deleteIdeaComment", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/ideas/comments/{id}")]
async fn delete_idea_comment(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_idea_comment(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "ideas", operation_id = "voteIdeaComment", params(("id" = uuid::Uuid, Path)),
    request_body = NewIdeaVote, responses((status = 200, body = Enveloped<IdeaComment>)))]
#[put("/v1/ideas/comments/{id}/vote")]
async fn vote_idea_comment(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<NewIdeaVote>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::vote_idea_comment(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "removeIdeaCommentVote", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<IdeaComment>)))]
#[delete("/v1/ideas/comments/{id}/vote")]
async fn remove_idea_comment_vote(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::remove_idea_comment_vote(&cx, id).await?))
}
