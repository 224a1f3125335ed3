//! REST routes of platform users.

use actix_web::{HttpRequest, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, Listed, QueryOf, ServiceConfig, listed, single},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{GqlUnifiedProfile, PlatformUser, SearchPlatformUsers, UserPath};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(search_platform_users);
    config.service(platform_user_profile);
    config.service(refresh_platform_user_profile);
}

/// Query of the search.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SearchPlatformUsersQuery {
    /// Beginning of a username or of a display name, in any case; fewer than 2 characters find no user.
    q: String,
    /// `twitch`, `youtube`, `kick` or `trovo`, several separated by commas; all when absent.
    platform: Option<String>,
    /// 10 when absent; more than 25 are 25.
    limit: Option<i64>,
}

#[utoipa::path(tag = "chat", operation_id = "searchPlatformUsers", params(SearchPlatformUsersQuery),
    responses((status = 200, body = Listed<PlatformUser>)))]
#[get("/v1/chat/users/search")]
async fn search_platform_users(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<SearchPlatformUsersQuery>,
) -> Result<impl Responder> {
    let input = query.0.map(SearchPlatformUsers::from);
    Ok(listed(&request, super::search_platform_users(&cx, input).await?))
}

#[utoipa::path(tag = "chat", operation_id = "platformUserProfile",
    params(("platform" = String, Path), ("platform_user_id" = String, Path)),
    responses((status = 200, body = Enveloped<GqlUnifiedProfile>)))]
#[get("/v1/chat/users/{platform}/{platform_user_id}")]
async fn platform_user_profile(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::platform_user_profile(&cx, UserPath::of(&request)).await?))
}

#[utoipa::path(tag = "chat", operation_id = "refreshPlatformUserProfile",
    params(("platform" = String, Path), ("platform_user_id" = String, Path)),
    responses((status = 200, body = Enveloped<GqlUnifiedProfile>)))]
#[post("/v1/chat/users/{platform}/{platform_user_id}/refresh")]
async fn refresh_platform_user_profile(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::refresh_platform_user_profile(&cx, UserPath::of(&request)).await?))
}

impl<'a> UserPath<'a> {
    /// Platform and user of the path.
    pub(crate) fn of(request: &'a HttpRequest) -> Self {
        let path = request.match_info();
        Self { platform: path.query("platform"), platform_user_id: path.query("platform_user_id") }
    }
}

impl From<SearchPlatformUsersQuery> for SearchPlatformUsers {
    fn from(query: SearchPlatformUsersQuery) -> Self {
        let platforms = query.platform.as_deref().unwrap_or_default().split(',').map(str::trim);
        let platforms = platforms.filter(|platform| !platform.is_empty()).map(str::to_owned).collect();
        Self { query: query.q, platforms, limit: query.limit }
    }
}
