//! Payouts over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminPayout, AdminUpdatePayoutInput, PayoutQuery, PayoutStatus};

/// Queries of payouts.
pub struct PayoutQueries;
/// Mutations of payouts.
pub struct PayoutMutations;

graphql_page! {
    /// One page of payouts.
    AdminPayoutPage of AdminPayout
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PayoutQueries {
    async fn admin_payouts(
        ctx: &Cx,
        status: Option<PayoutStatus>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<AdminPayoutPage> {
        let query = PayoutQuery { status, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_payouts(ctx, Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PayoutMutations {
    async fn admin_update_payout(ctx: &Cx, id: Uuid, input: AdminUpdatePayoutInput) -> Result<AdminPayout> {
        super::admin_update_payout(ctx, Ok(id), Ok(input)).await
    }
}
