//! Switches of platforms over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{AdminPlatform, PlatformSwitchesInput};

/// Queries of platform switches.
pub struct PlatformQueries;
/// Mutations of platform switches.
pub struct PlatformMutations;

#[graphql_object(context = Cx)]
impl PlatformQueries {
    async fn admin_platforms(ctx: &Cx) -> Result<Vec<AdminPlatform>> {
        super::admin_platforms(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl PlatformMutations {
    async fn admin_update_platform(
        ctx: &Cx,
        platform: String,
        input: PlatformSwitchesInput,
    ) -> Result<AdminPlatform> {
        super::admin_update_platform(ctx, Ok(platform), Ok(input)).await
    }
}
