//! Change of the plan over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::ChangePlanInput;
use crate::status::BillingStatus;

/// Mutations of the account's plan.
pub struct PlanChangeMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PlanChangeMutations {
    async fn change_plan(ctx: &Cx, plan_id: Uuid) -> Result<BillingStatus> {
        super::change_plan(ctx, Ok(ChangePlanInput { plan_id })).await
    }
}
