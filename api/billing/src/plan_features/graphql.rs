//! Features of plans over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminPlanFeature, AdminSetPlanFeatureInput};

/// Queries of the features of plans.
pub struct PlanFeatureQueries;
/// Mutations of the features of plans.
pub struct PlanFeatureMutations;

#[graphql_object(context = Cx)]
impl PlanFeatureQueries {
    async fn admin_plan_features(ctx: &Cx, plan_id: Uuid) -> Result<Vec<AdminPlanFeature>> {
        super::admin_plan_features(ctx, Ok(plan_id)).await
    }
}

#[graphql_object(context = Cx)]
impl PlanFeatureMutations {
    async fn admin_set_plan_feature(
        ctx: &Cx,
        plan_id: Uuid,
        input: AdminSetPlanFeatureInput,
    ) -> Result<Vec<AdminPlanFeature>> {
        super::admin_set_plan_feature(ctx, Ok(plan_id), Ok(input)).await
    }
}
