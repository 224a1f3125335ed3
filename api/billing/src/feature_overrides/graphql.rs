//! Features that operators switch for one account, over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AccountFeatureOverride, AdminSetAccountFeatureOverrideInput};

pub struct FeatureOverrideQueries;
pub struct FeatureOverrideMutations;

#[graphql_object(context = Cx)]
impl FeatureOverrideQueries {
    /// The features that are switched for an account.
    async fn admin_account_feature_overrides(
        ctx: &Cx,
        account_id: Uuid,
    ) -> Result<Vec<AccountFeatureOverride>> {
        super::admin_account_feature_overrides(ctx, Ok(account_id)).await
    }
}

#[graphql_object(context = Cx)]
impl FeatureOverrideMutations {
    /// Switch a feature for an account.
    async fn admin_set_account_feature_override(
        ctx: &Cx,
        account_id: Uuid,
        input: AdminSetAccountFeatureOverrideInput,
    ) -> Result<AccountFeatureOverride> {
        super::admin_set_account_feature_override(ctx, Ok(account_id), Ok(input)).await
    }

    /// Take an override away, so that the plan decides again.
    async fn admin_remove_account_feature_override(
        ctx: &Cx,
        account_id: Uuid,
        feature_id: Uuid,
    ) -> Result<bool> {
        super::admin_remove_account_feature_override(ctx, Ok(account_id), Ok(feature_id)).await?;
        Ok(true)
    }
}
