//! Changing the plan over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::ChangePlanInput;
use crate::status::BillingStatus;

pub struct PlanChangeMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PlanChangeMutations {
    /// Move the account to another plan.
    async fn change_plan(ctx: &Cx, plan_id: Uuid) -> Result<BillingStatus> {
        super::change_plan(ctx, Ok(ChangePlanInput { plan_id })).await
    }
}
