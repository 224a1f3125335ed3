//! Billing status over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{BillingStatus, PlanLimit};

/// Queries of the billing status.
pub struct StatusQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StatusQueries {
    async fn billing_status(ctx: &Cx) -> Result<BillingStatus> {
        super::billing_status(ctx).await
    }

    async fn plan_limits(ctx: &Cx) -> Result<Vec<PlanLimit>> {
        super::plan_limits(ctx).await
    }
}
