//! Plans over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminCreatePlanInput, AdminPlan, AdminUpdatePlanInput, BillingPlan};

/// Queries of plans.
pub struct PlanQueries;
/// Mutations of plans.
pub struct PlanMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PlanQueries {
    async fn plans(ctx: &Cx) -> Result<Vec<BillingPlan>> {
        super::plans(ctx).await
    }

    async fn admin_plans(ctx: &Cx) -> Result<Vec<AdminPlan>> {
        super::admin_plans(ctx).await
    }

    async fn admin_plan(ctx: &Cx, id: Uuid) -> Result<AdminPlan> {
        super::admin_plan(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PlanMutations {
    async fn admin_create_plan(ctx: &Cx, input: AdminCreatePlanInput) -> Result<AdminPlan> {
        super::admin_create_plan(ctx, Ok(input)).await
    }

    async fn admin_update_plan(ctx: &Cx, id: Uuid, input: AdminUpdatePlanInput) -> Result<AdminPlan> {
        super::admin_update_plan(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_delete_plan(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_plan(ctx, Ok(id)).await?;
        Ok(true)
    }
}
