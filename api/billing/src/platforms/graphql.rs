//! The switches of platforms over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{AdminPlatform, PlatformSwitchesInput};

pub struct PlatformQueries;
pub struct PlatformMutations;

#[graphql_object(context = Cx)]
impl PlatformQueries {
    /// Every platform with its switches.
    async fn admin_platforms(ctx: &Cx) -> Result<Vec<AdminPlatform>> {
        super::admin_platforms(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl PlatformMutations {
    /// Turn switches of a platform.
    async fn admin_update_platform(
        ctx: &Cx,
        platform: String,
        input: PlatformSwitchesInput,
    ) -> Result<AdminPlatform> {
        super::admin_update_platform(ctx, Ok(platform), Ok(input)).await
    }
}
