//! Providers over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::AdminProvider;
use crate::platforms::PlatformSwitchesInput;

pub struct ProviderQueries;
pub struct ProviderMutations;

#[graphql_object(context = Cx)]
impl ProviderQueries {
    /// Every platform that people sign in with or connect.
    async fn admin_providers(ctx: &Cx) -> Result<Vec<AdminProvider>> {
        super::admin_providers(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl ProviderMutations {
    /// Turn switches of a provider.
    async fn admin_update_provider(
        ctx: &Cx,
        platform: String,
        input: PlatformSwitchesInput,
    ) -> Result<AdminProvider> {
        super::admin_update_provider(ctx, Ok(platform), Ok(input)).await
    }
}
