//! REST routes of events.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged_by_cursor, path_uuid, single,
    },
};

use super::{EmitEventInput, Event, EventsFilter};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(events);
    config.service(event);
    config.service(emit_event);
}

#[utoipa::path(tag = "events", operation_id = "events", params(EventsFilter),
    responses((status = 200, body = Collection<Event>)))]
#[get("/v1/events")]
async fn events(cx: Cx, request: HttpRequest, filter: QueryOf<EventsFilter>) -> Result<impl Responder> {
    Ok(paged_by_cursor(&request, super::events(&cx, filter.0).await?))
}

#[utoipa::path(tag = "events", operation_id = "event", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Event>)))]
#[get("/v1/events/{id}")]
async fn event(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::event(&cx, id).await?))
}

#[utoipa::path(tag = "events", operation_id = "emitEvent", request_body = EmitEventInput,
    responses((status = 201, body = Enveloped<Event>)))]
#[post("/v1/events")]
async fn emit_event(cx: Cx, input: JsonBody<EmitEventInput>) -> Result<HttpResponse> {
    let emitted = super::emit_event(&cx, input.0).await?;
    Ok(created(format!("/v1/events/{}", emitted.id), emitted))
}
