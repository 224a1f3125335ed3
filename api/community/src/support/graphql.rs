//! Support tickets over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateSupportTicketInput, SupportTicket, SupportTicketStatus, SupportTicketsQuery,
    UpdateSupportTicketInput,
};

pub struct SupportQueries;
pub struct SupportMutations;

graphql_page! {
    /// One page of tickets.
    SupportTicketPage of SupportTicket
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SupportQueries {
    /// The tickets of everybody, newest first.
    async fn admin_support_tickets(
        ctx: &Cx,
        status: Option<SupportTicketStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<SupportTicketPage> {
        let query = SupportTicketsQuery { status, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_support_tickets(ctx, Ok(query)).await?.into())
    }

    /// One ticket.
    async fn admin_support_ticket(ctx: &Cx, id: Uuid) -> Result<SupportTicket> {
        super::admin_support_ticket(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SupportMutations {
    /// File a ticket.
    async fn create_support_ticket(ctx: &Cx, input: CreateSupportTicketInput) -> Result<SupportTicket> {
        super::create_support_ticket(ctx, Ok(input)).await
    }

    /// Move a ticket on.
    async fn admin_update_support_ticket(
        ctx: &Cx,
        id: Uuid,
        input: UpdateSupportTicketInput,
    ) -> Result<SupportTicket> {
        super::admin_update_support_ticket(ctx, Ok(id), Ok(input)).await
    }
}
