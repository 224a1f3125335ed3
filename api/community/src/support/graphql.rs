//! GraphQL fields of `support`.

use api_core::{Cx, Result, graphql_cursor_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateSupportTicketInput, SupportTicket, SupportTicketStatus, SupportTicketsQuery,
    UpdateSupportTicketInput,
};

/// Query fields.
pub struct SupportQueries;
/// Mutation fields.
pub struct SupportMutations;

graphql_cursor_page! {
    /// Page of tickets.
    SupportTicketPage of SupportTicket
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SupportQueries {
    async fn admin_support_tickets(
        ctx: &Cx,
        status: Option<SupportTicketStatus>,
        page: Option<i32>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<SupportTicketPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = SupportTicketsQuery { status, page, limit, cursor };
        Ok(super::admin_support_tickets(ctx, Ok(query)).await?.into())
    }

    async fn admin_support_ticket(ctx: &Cx, id: Uuid) -> Result<SupportTicket> {
        super::admin_support_ticket(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SupportMutations {
    async fn create_support_ticket(ctx: &Cx, input: CreateSupportTicketInput) -> Result<SupportTicket> {
        super::create_support_ticket(ctx, Ok(input)).await
    }

    async fn admin_update_support_ticket(
        ctx: &Cx,
        id: Uuid,
        input: UpdateSupportTicketInput,
    ) -> Result<SupportTicket> {
        super::admin_update_support_ticket(ctx, Ok(id), Ok(input)).await
    }
}
