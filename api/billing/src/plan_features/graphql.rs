//! What plans include, over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminPlanFeature, AdminSetPlanFeatureInput};

pub struct PlanFeatureQueries;
pub struct PlanFeatureMutations;

#[graphql_object(context = Cx)]
impl PlanFeatureQueries {
    /// Every feature that plans decide about, and whether the plan includes it.
    async fn admin_plan_features(ctx: &Cx, plan_id: Uuid) -> Result<Vec<AdminPlanFeature>> {
        super::admin_plan_features(ctx, Ok(plan_id)).await
    }
}

#[graphql_object(context = Cx)]
impl PlanFeatureMutations {
    /// Set features of a plan; those that are not listed stay.
    async fn admin_set_plan_feature(
        ctx: &Cx,
        plan_id: Uuid,
        input: AdminSetPlanFeatureInput,
    ) -> Result<Vec<AdminPlanFeature>> {
        super::admin_set_plan_feature(ctx, Ok(plan_id), Ok(input)).await
    }
}
