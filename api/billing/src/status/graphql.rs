//! Where an account stands, over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{BillingStatus, PlanLimit};

pub struct StatusQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StatusQueries {
    /// The account's plan, its limits and its subscription.
    async fn billing_status(ctx: &Cx) -> Result<BillingStatus> {
        super::billing_status(ctx).await
    }

    /// The account's limits and how much of each is used.
    async fn plan_limits(ctx: &Cx) -> Result<Vec<PlanLimit>> {
        super::plan_limits(ctx).await
    }
}
