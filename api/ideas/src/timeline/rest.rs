//! REST route of `timeline`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, QueryOf, listed, path_uuid},
};
use utoipa_actix_web::service_config::ServiceConfig;

use super::{IdeaTimelineEntry, IdeaTimelineQuery};

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
    Ok(listed(&request, super::idea_timeline(&cx, id, query.0).await?))
}
