//! REST routes of `votes`.

use actix_web::{HttpRequest, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{
        Enveloped, JsonBody, Linked, Listed, PartLinks, QueryOf, ServiceConfig, listed, path_uuid, single,
    },
};

use super::{IdeaVoter, IdeaVotersQuery, MAX_LIMIT, NewIdeaVote};
use crate::ideas::GqlIdea;

/// Routes that need no credential. The rules of votes demand a permission.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(vote_idea);
    config.service(remove_vote);
    config.service(idea_voters);
}

#[utoipa::path(tag = "ideas", operation_id = "voteIdea", params(("id" = uuid::Uuid, Path)),
    request_body = NewIdeaVote, responses((status = 200, body = Enveloped<GqlIdea>)))]
#[put("/v1/ideas/{id}/vote")]
async fn vote_idea(cx: Cx, request: HttpRequest, input: JsonBody<NewIdeaVote>) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::vote_idea(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "removeVote", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<GqlIdea>)))]
#[delete("/v1/ideas/{id}/vote")]
async fn remove_vote(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::remove_vote(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "ideaVoters", params(("id" = uuid::Uuid, Path), IdeaVotersQuery),
    responses((status = 200, body = Listed<IdeaVoter>)))]
#[get("/v1/ideas/{id}/voters")]
async fn idea_voters(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<IdeaVotersQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    let list = super::idea_voters(&cx, id, query.0).await?;
    let links = PartLinks::by_offset(&request, MAX_LIMIT, list.len(), None);
    Ok(Linked { body: listed(&request, list).0, links })
}
