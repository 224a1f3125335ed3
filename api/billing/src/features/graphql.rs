//! Features and open platforms over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::AccountFeatures;

pub struct FeatureQueries;

#[graphql_object(context = Cx)]
impl FeatureQueries {
    /// The features of the caller's active account.
    async fn account_features(ctx: &Cx) -> Result<AccountFeatures> {
        super::account_features(ctx, None).await
    }

    /// The platforms that people can sign in with or run a bot on.
    async fn enabled_platforms(ctx: &Cx) -> Result<Vec<String>> {
        super::enabled_platforms(ctx).await
    }
}
