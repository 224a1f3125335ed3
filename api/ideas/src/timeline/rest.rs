//! REST route of `timeline`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Linked, Listed, PartLinks, QueryOf, ServiceConfig, listed, path_uuid},
};

use super::{IdeaTimelineEntry, IdeaTimelineQuery, MAX_LIMIT};

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(idea_timeline);
}

#[utoipa::path(tag = "ideas", operation_id = "ideaTimeline", params(("id" = uuid::Uuid, Path), IdeaTimelineQuery),
    responses((status = 200, body = Listed<IdeaTimelineEntry>)))]
#[get("/v1/ideas/{id}/timeline")]
async fn idea_timeline(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<IdeaTimelineQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    let list = super::idea_timeline(&cx, id, query.0).await?;
    let links = PartLinks::by_offset(&request, MAX_LIMIT, list.len(), None);
    Ok(Linked { body: listed(&request, list).0, links })
}
