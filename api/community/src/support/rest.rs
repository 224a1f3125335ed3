//! REST routes of `support`.

use actix_web::{HttpRequest, HttpResponse, Responder, get, patch, post};
use api_core::{
    Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged_by_cursor, path_uuid, single,
    },
};

use super::{CreateSupportTicketInput, SupportTicket, SupportTicketsQuery, UpdateSupportTicketInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(create_support_ticket);
    config.service(admin_support_tickets);
    config.service(admin_support_ticket);
    config.service(admin_update_support_ticket);
}

#[utoipa::path(tag = "support", operation_id = "createSupportTicket", request_body = CreateSupportTicketInput,
    responses((status = 201, body = Enveloped<SupportTicket>), (status = 404)))]
#[post("/v1/support/tickets")]
async fn create_support_ticket(cx: Cx, input: JsonBody<CreateSupportTicketInput>) -> Result<HttpResponse> {
    let ticket = super::create_support_ticket(&cx, input.0).await?;
    Ok(created(format!("/v1/support/tickets/{}", ticket.id), ticket))
}

#[utoipa::path(tag = "support", operation_id = "adminSupportTickets", params(SupportTicketsQuery),
    responses((status = 200, body = Collection<SupportTicket>)))]
#[get("/v1/admin/support/tickets")]
async fn admin_support_tickets(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<SupportTicketsQuery>,
) -> Result<impl Responder> {
    Ok(paged_by_cursor(&request, super::admin_support_tickets(&cx, query.0).await?))
}

#[utoipa::path(tag = "support", operation_id = "adminSupportTicket", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<SupportTicket>)))]
#[get("/v1/admin/support/tickets/{id}")]
async fn admin_support_ticket(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_support_ticket(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "support", operation_id = "adminUpdateSupportTicket", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateSupportTicketInput, responses((status = 200, body = Enveloped<SupportTicket>)))]
#[patch("/v1/admin/support/tickets/{id}")]
async fn admin_update_support_ticket(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateSupportTicketInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_update_support_ticket(&cx, id, input.0).await?))
}
