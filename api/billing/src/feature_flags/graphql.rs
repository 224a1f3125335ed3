//! Feature flags over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminUpdateFeatureFlagInput, FeatureCategory, FeatureFlag, FeatureFlagQuery};

/// Queries of feature flags.
pub struct FeatureFlagQueries;
/// Mutations of feature flags.
pub struct FeatureFlagMutations;

#[graphql_object(context = Cx)]
impl FeatureFlagQueries {
    async fn admin_feature_flags(
        ctx: &Cx,
        category: Option<FeatureCategory>,
        search: Option<String>,
    ) -> Result<Vec<FeatureFlag>> {
        super::admin_feature_flags(ctx, Ok(FeatureFlagQuery { category, search })).await
    }
}

#[graphql_object(context = Cx)]
impl FeatureFlagMutations {
    async fn admin_update_feature_flag(
        ctx: &Cx,
        id: Uuid,
        input: AdminUpdateFeatureFlagInput,
    ) -> Result<FeatureFlag> {
        super::admin_update_feature_flag(ctx, Ok(id), Ok(input)).await
    }
}
