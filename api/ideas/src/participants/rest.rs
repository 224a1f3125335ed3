//! REST route of `participants`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, QueryOf, ServiceConfig, listed, path_uuid},
};

use super::IdeaParticipantsQuery;
use crate::people::IdeaAuthor;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(idea_participants);
}

#[utoipa::path(tag = "ideas", operation_id = "ideaParticipants",
    params(("id" = uuid::Uuid, Path), IdeaParticipantsQuery),
    responses((status = 200, body = Listed<IdeaAuthor>)))]
#[get("/v1/ideas/{id}/participants")]
async fn idea_participants(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<IdeaParticipantsQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(listed(&request, super::idea_participants(&cx, id, query.0).await?))
}
