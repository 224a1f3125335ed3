//! Users who chat in an account's channels: search and profiles (reference/chat.md#platform-users).

mod breaker;
mod cooldown;
mod db;
mod enrichment;
pub mod graphql;
mod profile;
pub mod rest;
mod search;
mod subject;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    validate,
};
use foundation::events::{Channel, Event};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;

use enrichment::Freshness;
use search::{Found, Search};
use subject::Subject;

use crate::chat::{CHAT_PLATFORMS, chat_platform};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&SEARCH_PLATFORM_USERS, &PLATFORM_USER_PROFILE, &REFRESH_PLATFORM_USER_PROFILE];

/// Longest id of a user on a platform, in characters.
pub(crate) const MAX_USER_ID_LENGTH: usize = 128;

const MIN_PREFIX_LENGTH: usize = 2;
/// Longest prefix in characters, longer than the names of all platforms.
const MAX_PREFIX_LENGTH: usize = 100;
const DEFAULT_LIMIT: i64 = 10;
const MAX_LIMIT: i64 = 25;

/// User who chatted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PlatformUser {
    /// Slug of the platform.
    pub platform: String,
    /// The platform's id of the user.
    pub platform_user_id: String,
    /// Last name in addresses.
    pub username: String,
    /// Last name as the platform shows it.
    pub display_name: String,
    /// Address of the picture; null when unknown.
    pub avatar_url: Option<String>,
    /// Time of the last message.
    pub last_seen_at: Timestamp,
    /// Number of messages in the account's chat.
    pub message_count: Int64,
}

/// Input of a search.
#[derive(Debug, Clone, Default)]
pub struct SearchPlatformUsers {
    /// Beginning of a username or of a display name.
    pub query: String,
    /// Platforms to search; empty for all.
    pub platforms: Vec<String>,
    /// 10 when absent; more than 25 are 25.
    pub limit: Option<i64>,
}

/// Profile of a user who chats. Fields that the platform does not report are null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct GqlUnifiedProfile {
    /// Slug of the platform.
    pub platform: String,
    /// The platform's id of the user.
    pub platform_user_id: String,
    /// Name in addresses.
    pub username: Option<String>,
    /// Name as the platform shows it.
    pub display_name: Option<String>,
    /// Address of the picture.
    pub avatar_url: Option<String>,
    /// Description that the user wrote on the platform.
    pub description: Option<String>,
    /// Time at which the user joined the platform.
    pub account_created_at: Option<Timestamp>,
    /// Twitch: `partner`, `affiliate` or empty.
    pub broadcaster_type: Option<String>,
    /// True when the user follows the account's channel.
    pub is_follower: Option<bool>,
    /// Time since when the user follows it.
    pub followed_at: Option<Timestamp>,
    /// True when the user is a moderator of the channel.
    pub is_moderator: Option<bool>,
    /// True when the user is a VIP of the channel.
    pub is_vip: Option<bool>,
    /// True when the user subscribes to the account's channel, or is a member of it.
    pub is_subscriber: Option<bool>,
    /// Twitch: `1000`, `2000` or `3000`.
    pub subscriber_tier: Option<String>,
    /// True when the user is banned from the channel.
    pub is_banned: Option<bool>,
    /// Reason of the ban.
    pub ban_reason: Option<String>,
    /// End of a running time-out.
    pub timeout_until: Option<Timestamp>,
    /// Number of messages in the account's chat.
    pub message_count: Int64,
    /// Time of the first message there.
    pub first_seen_at: Option<Timestamp>,
    /// Time of the last message there.
    pub last_seen_at: Option<Timestamp>,
    /// Time of the last response of the platform.
    pub enriched_at: Option<Timestamp>,
    /// Number of notes of the account's moderators.
    pub notes_count: Int64,
}

/// User of a path.
#[derive(Debug, Clone, Copy)]
pub struct UserPath<'a> {
    /// Platform as written.
    pub platform: &'a str,
    /// The platform's id of the user as written.
    pub platform_user_id: &'a str,
}

pub static SEARCH_PLATFORM_USERS: Operation<AccountCaller> =
    Operation::account("searchPlatformUsers", AccountPermission::ChatUserinfo, Grants::Nothing)
        .feature(Feature::Multichat);

/// Lists users who chatted and whose username or display name begins with the query.
///
/// The user with the latest message comes first. The case does not matter. A query of fewer than 2 characters
/// finds no user. At most 25 users are returned, 10 by default.
///
/// (reference/chat.md#user-search)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the platform is unknown, the query is too long, or the limit is below 1.
#[api_core::operation]
pub async fn search_platform_users(cx: &Cx, input: Input<SearchPlatformUsers>) -> Result<Vec<PlatformUser>> {
    let caller = cx.authorize(&SEARCH_PLATFORM_USERS).await?;
    let input = input?;
    let platforms = wanted(&input.platforms)?;
    let limit = checked_limit(input.limit)?;
    let prefix = input.query.trim();
    let letters = prefix.chars().count();
    if letters > MAX_PREFIX_LENGTH {
        return Err(ApiError::invalid(format!("query must be at most {MAX_PREFIX_LENGTH} characters")));
    }
    // No name has a control character, and the database accepts no zero.
    if letters < MIN_PREFIX_LENGTH || prefix.chars().any(char::is_control) {
        return Ok(Vec::new());
    }
    let search = Search { account: caller.account, prefix, platforms: &platforms, limit };
    let found = search.run(&mut *caller.timeseries().await?).await?;
    Ok(found.into_iter().map(PlatformUser::from).collect())
}

pub static PLATFORM_USER_PROFILE: Operation<AccountCaller> =
    Operation::account("platformUserProfile", AccountPermission::ChatUserinfo, Grants::Nothing)
        .feature(Feature::Multichat);

/// Returns the profile of a user who chats.
///
/// It joins the data of the account with the response of the platform, which is requested when the last
/// response is older than a day. Fields that the platform does not report are null.
///
/// (reference/chat.md#profiles)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the platform is unknown or the id is malformed.
/// - 404: neither the account nor the platform knows the user.
#[api_core::operation]
pub async fn platform_user_profile(cx: &Cx, user: UserPath<'_>) -> Result<GqlUnifiedProfile> {
    let caller = cx.authorize(&PLATFORM_USER_PROFILE).await?;
    let subject = Subject::parse(caller.account, user)?;
    profile::of(cx, &caller, &subject, Freshness::Fresh).await?.ok_or_else(not_found)
}

pub static REFRESH_PLATFORM_USER_PROFILE: Operation<AccountCaller> =
    Operation::account("refreshPlatformUserProfile", AccountPermission::ChatRefreshUser, Grants::Nothing)
        .idempotent_by_claim();

/// Requests the profile of a user from the platform, independent of the last request, and returns it.
///
/// One refresh in ten minutes is possible for a user in an account. It is published as `chat:user_updated`.
/// When the platform does not respond, the stored profile is returned and `enriched_at` stays the same.
///
/// (reference/chat.md#profile-refresh)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the platform is unknown or the id is malformed.
/// - 404: neither the account nor the platform knows the user.
/// - 429 `REFRESH_COOLDOWN`: the user was refreshed in the account less than ten minutes ago.
#[api_core::operation]
pub async fn refresh_platform_user_profile(cx: &Cx, user: UserPath<'_>) -> Result<GqlUnifiedProfile> {
    let caller = cx.authorize(&REFRESH_PLATFORM_USER_PROFILE).await?;
    let subject = Subject::parse(caller.account, user)?;
    if let Some(seconds) = cooldown::begin(cx.state(), &subject).await? {
        let message = "This profile was refreshed less than 10 minutes ago";
        return Err(ApiError::new(Code::RefreshCooldown, message).with_retry_after(seconds));
    }
    cx.begin_effect();
    let profile = profile::of(cx, &caller, &subject, Freshness::New).await?.ok_or_else(not_found)?;
    publish(cx, &subject).await?;
    Ok(profile)
}

/// Publishes the refresh on the chat channel, without the profile: listeners may lack the permission to read
/// it (`chat:userinfo`).
async fn publish(cx: &Cx, subject: &Subject) -> Result<()> {
    let data = json!({
        "platform": subject.platform.slug(),
        "platform_user_id": subject.user_id,
        "profile": null,
    });
    let now = cx.state().clock.now();
    let event = Event::new(Channel::Chat(subject.account.uuid()), "chat:user_updated", data, now);
    cx.state().events.append(&event).await?;
    Ok(())
}

/// Checks an id of a user as platforms write them.
///
/// # Errors
/// 400 with the allowed form.
pub(crate) fn user_id(text: &str) -> Result<String> {
    validate::text("platform_user_id", text, 1, MAX_USER_ID_LENGTH)
}

fn wanted(platforms: &[String]) -> Result<Vec<&'static str>> {
    if platforms.is_empty() {
        return Ok(CHAT_PLATFORMS.iter().map(|platform| platform.slug()).collect());
    }
    let mut wanted: Vec<&'static str> = Vec::new();
    for platform in platforms {
        let slug = chat_platform(platform)?.slug();
        // A repeated platform would return each user twice.
        if !wanted.contains(&slug) {
            wanted.push(slug);
        }
    }
    Ok(wanted)
}

fn checked_limit(limit: Option<i64>) -> Result<i64> {
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    if limit < 1 {
        return Err(ApiError::invalid(format!("limit must be between 1 and {MAX_LIMIT}")));
    }
    Ok(limit.min(MAX_LIMIT))
}

fn not_found() -> ApiError {
    ApiError::not_found("User not found")
}

impl From<Found> for PlatformUser {
    fn from(found: Found) -> Self {
        Self {
            platform: found.platform,
            platform_user_id: found.platform_user_id,
            username: found.username,
            display_name: found.display_name,
            avatar_url: found.avatar_url,
            last_seen_at: found.last_seen_at,
            message_count: Int64(found.message_count),
        }
    }
}
