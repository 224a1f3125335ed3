//! Support tickets over GraphQL.

use api_core::{Cx, Page, Result, graphql::Int64};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{
    CreateSupportTicketInput, SupportTicket, SupportTicketStatus, SupportTicketsQuery,
    UpdateSupportTicketInput,
};

pub struct SupportQueries;
pub struct SupportMutations;

/// One page of tickets.
#[derive(GraphQLObject)]
pub struct SupportTicketPage {
    items: Vec<SupportTicket>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<SupportTicket>> for SupportTicketPage {
    fn from(page: Page<SupportTicket>) -> Self {
        let pages = Int64(page.pages());
        let (number, limit) = (Int64(page.window.page), Int64(page.window.limit));
        Self { total: Int64(page.total), page: number, limit, pages, items: page.items }
    }
}

#[graphql_object(context = Cx)]
impl SupportQueries {
    /// The tickets of everybody, newest first.
    async fn admin_support_tickets(
        ctx: &Cx,
        status: Option<SupportTicketStatus>,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<SupportTicketPage> {
        let query = SupportTicketsQuery { status, page: page.map(|n| n.0), limit: limit.map(|n| n.0) };
        Ok(super::admin_support_tickets(ctx, Ok(query)).await?.into())
    }

    /// One ticket.
    async fn admin_support_ticket(ctx: &Cx, id: Uuid) -> Result<SupportTicket> {
        super::admin_support_ticket(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
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
