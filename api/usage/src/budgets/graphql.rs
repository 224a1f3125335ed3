//! GraphQL fields of `budgets`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{SetUsageBudgetInput, UsageBudget};

/// Query fields.
pub struct UsageBudgetQueries;
/// Mutation fields.
pub struct UsageBudgetMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl UsageBudgetQueries {
    async fn usage_budgets(ctx: &Cx) -> Result<Vec<UsageBudget>> {
        super::usage_budgets(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl UsageBudgetMutations {
    async fn set_usage_budget(ctx: &Cx, input: SetUsageBudgetInput) -> Result<UsageBudget> {
        super::set_usage_budget(ctx, Ok(input)).await
    }

    async fn delete_usage_budget(ctx: &Cx, budget_id: Uuid) -> Result<bool> {
        super::delete_usage_budget(ctx, Ok(budget_id)).await.map(|()| true)
    }
}
