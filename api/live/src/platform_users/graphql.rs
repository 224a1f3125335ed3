//! Those who chat, over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{GqlUnifiedProfile, PlatformUser, SearchPlatformUsers, UserPath};

pub struct PlatformUserQueries;
pub struct PlatformUserMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PlatformUserQueries {
    /// Search among those who chatted, whoever was seen last first.
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

    /// What is known of somebody who chats.
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
    /// Ask the platform anew about somebody who chats; once in ten minutes.
    async fn refresh_platform_user_profile(
        ctx: &Cx,
        platform: String,
        platform_user_id: String,
    ) -> Result<GqlUnifiedProfile> {
        let user = UserPath { platform: &platform, platform_user_id: &platform_user_id };
        super::refresh_platform_user_profile(ctx, user).await
    }
}
