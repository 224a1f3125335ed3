//! Feature overrides of accounts over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AccountFeatureOverride, AdminSetAccountFeatureOverrideInput};

/// Queries of feature overrides.
pub struct FeatureOverrideQueries;
/// Mutations of feature overrides.
pub struct FeatureOverrideMutations;

#[graphql_object(context = Cx)]
impl FeatureOverrideQueries {
    async fn admin_account_feature_overrides(
        ctx: &Cx,
        account_id: Uuid,
    ) -> Result<Vec<AccountFeatureOverride>> {
        super::admin_account_feature_overrides(ctx, Ok(account_id)).await
    }
}

#[graphql_object(context = Cx)]
impl FeatureOverrideMutations {
    async fn admin_set_account_feature_override(
        ctx: &Cx,
        account_id: Uuid,
        input: AdminSetAccountFeatureOverrideInput,
    ) -> Result<AccountFeatureOverride> {
        super::admin_set_account_feature_override(ctx, Ok(account_id), Ok(input)).await
    }

    async fn admin_remove_account_feature_override(
        ctx: &Cx,
        account_id: Uuid,
        feature_id: Uuid,
    ) -> Result<bool> {
        super::admin_remove_account_feature_override(ctx, Ok(account_id), Ok(feature_id)).await?;
        Ok(true)
    }
}
