//! Features and open platforms over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::AccountFeatures;

/// Queries of features and open platforms.
pub struct FeatureQueries;

#[graphql_object(context = Cx)]
impl FeatureQueries {
    async fn account_features(ctx: &Cx) -> Result<AccountFeatures> {
        super::account_features(ctx, None).await
    }

    async fn enabled_platforms(ctx: &Cx) -> Result<Vec<String>> {
        super::enabled_platforms(ctx).await
    }
}
