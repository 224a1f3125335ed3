//! Providers over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::AdminProvider;
use crate::platforms::PlatformSwitchesInput;

/// Queries of providers.
pub struct ProviderQueries;
/// Mutations of providers.
pub struct ProviderMutations;

#[graphql_object(context = Cx)]
impl ProviderQueries {
    async fn admin_providers(ctx: &Cx) -> Result<Vec<AdminProvider>> {
        super::admin_providers(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl ProviderMutations {
    async fn admin_update_provider(
        ctx: &Cx,
        platform: String,
        input: PlatformSwitchesInput,
    ) -> Result<AdminProvider> {
        super::admin_update_provider(ctx, Ok(platform), Ok(input)).await
    }
}
