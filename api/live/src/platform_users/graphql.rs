//! GraphQL fields of platform users.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{GqlUnifiedProfile, PlatformUser, SearchPlatformUsers, UserPath};

/// Queries of platform users.
pub struct PlatformUserQueries;
/// Mutations of platform users.
pub struct PlatformUserMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PlatformUserQueries {
    async fn search_platform_users(
        ctx: &Cx,
        query: String,
        platforms: Option<Vec<String>>,
        limit: Option<i32>,
    ) -> Result<Vec<PlatformUser>> {
        let platforms = platforms.unwrap_or_default();
        let input = SearchPlatformUsers { query, platforms, limit: limit.map(i64::from) };
        super::search_platform_users(ctx, Ok(input)).await
    }

    async fn platform_user_profile(
        ctx: &Cx,
        platform: String,
        platform_user_id: String,
    ) -> Result<GqlUnifiedProfile> {
        let user = UserPath { platform: &platform, platform_user_id: &platform_user_id };
        super::platform_user_profile(ctx, user).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PlatformUserMutations {
    async fn refresh_platform_user_profile(
        ctx: &Cx,
        platform: String,
        platform_user_id: String,
    ) -> Result<GqlUnifiedProfile> {
        let user = UserPath { platform: &platform, platform_user_id: &platform_user_id };
        super::refresh_platform_user_profile(ctx, user).await
    }
}
