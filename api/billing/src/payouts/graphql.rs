//! Payouts over GraphQL.

use api_core::{Cx, Page, Result, graphql::Int64};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{AdminPayout, AdminUpdatePayoutInput, PayoutQuery, PayoutStatus};

pub struct PayoutQueries;
pub struct PayoutMutations;

/// One page of payouts.
#[derive(GraphQLObject)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminPayoutPage {
    items: Vec<AdminPayout>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<AdminPayout>> for AdminPayoutPage {
    fn from(page: Page<AdminPayout>) -> Self {
        let pages = Int64(page.pages());
        Self {
            total: Int64(page.total),
            page: Int64(page.window.page),
            limit: Int64(page.window.limit),
            pages,
            items: page.items,
        }
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PayoutQueries {
    /// Payouts to developers, the longest waiting first.
    async fn admin_payouts(
        ctx: &Cx,
        status: Option<PayoutStatus>,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<AdminPayoutPage> {
        let query = PayoutQuery { status, page: page.map(|n| n.0), limit: limit.map(|n| n.0) };
        Ok(super::admin_payouts(ctx, Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PayoutMutations {
    /// Move a payout to another status.
    async fn admin_update_payout(ctx: &Cx, id: Uuid, input: AdminUpdatePayoutInput) -> Result<AdminPayout> {
        super::admin_update_payout(ctx, Ok(id), Ok(input)).await
    }
}
