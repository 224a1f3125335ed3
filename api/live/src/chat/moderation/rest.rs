//! REST routes of moderation.

use actix_web::{HttpRequest, Responder, get, post, web::Json};
use api_core::{
    CursorRequest, Cx, Result,
    http::{Collection, JsonBody, QueryOf, ServiceConfig, paged_by_cursor},
};

use super::{GqlModerationResult, ModerationInput, ModerationLogEntry};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(moderate_chat);
    config.service(moderation_log);
}

#[utoipa::path(tag = "chat", operation_id = "moderateChat", request_body = ModerationInput,
    responses((status = 200, body = GqlModerationResult)))]
#[post("/v1/chat/moderate")]
async fn moderate_chat(cx: Cx, input: JsonBody<ModerationInput>) -> Result<impl Responder> {
    Ok(Json(super::moderate_chat(&cx, input.0).await?))
}

#[utoipa::path(tag = "chat", operation_id = "moderationLog", params(CursorRequest),
    responses((status = 200, body = Collection<ModerationLogEntry>)))]
#[get("/v1/chat/moderation-log")]
async fn moderation_log(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<CursorRequest>,
) -> Result<impl Responder> {
    Ok(paged_by_cursor(&request, super::moderation_log(&cx, query.0).await?))
}
