//! REST routes of polls.

use actix_web::{HttpRequest, HttpResponse, Responder, get, patch, post};
use api_core::{
    CursorRequest, Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged_by_cursor, path_uuid, single,
    },
};

use super::{CreatePollInput, EndPollInput, Poll};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(polls);
    config.service(create_poll);
    config.service(end_poll);
}

#[utoipa::path(tag = "chat", operation_id = "polls", params(CursorRequest),
    responses((status = 200, body = Collection<Poll>)))]
#[get("/v1/chat/polls")]
async fn polls(cx: Cx, request: HttpRequest, page: QueryOf<CursorRequest>) -> Result<impl Responder> {
    Ok(paged_by_cursor(&request, super::polls(&cx, page.0).await?))
}

#[utoipa::path(tag = "chat", operation_id = "createPoll", request_body = CreatePollInput,
    responses((status = 201, body = Enveloped<Poll>)))]
#[post("/v1/chat/polls")]
async fn create_poll(cx: Cx, input: JsonBody<CreatePollInput>) -> Result<HttpResponse> {
    let poll = super::create_poll(&cx, input.0).await?;
    Ok(created(format!("/v1/chat/polls/{}", poll.id), poll))
}

#[utoipa::path(tag = "chat", operation_id = "endPoll", params(("id" = uuid::Uuid, Path)),
    request_body = EndPollInput, responses((status = 200, body = Enveloped<Poll>)))]
#[patch("/v1/chat/polls/{id}")]
async fn end_poll(cx: Cx, request: HttpRequest, input: JsonBody<EndPollInput>) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::end_poll(&cx, id, input.0).await?))
}
