//! Who chats in an account's channels: search, and what is known of one of them (specification B §4.7, C B13).

mod breaker;
mod cooldown;
mod db;
mod enrichment;
pub mod graphql;
mod profile;
pub mod rest;
mod search;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    validate,
};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    events::{Channel, Event},
};
use utoipa::ToSchema;

use enrichment::Wish;
use profile::Subject;
use search::{Found, Search};

use crate::chat::{CHAT_PLATFORMS, chat_platform};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&SEARCH_PLATFORM_USERS, &PLATFORM_USER_PROFILE, &REFRESH_PLATFORM_USER_PROFILE];

/// Longest id of a user on a platform.
pub(crate) const MAX_USER_ID_LENGTH: usize = 128;

const MIN_PREFIX_LENGTH: usize = 2;
/// Longer than any name on any platform.
const MAX_PREFIX_LENGTH: usize = 100;
const DEFAULT_LIMIT: i64 = 10;
const MAX_LIMIT: i64 = 25;

/// Somebody who chatted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PlatformUser {
    pub platform: String,
    /// The platform's id.
    pub platform_user_id: String,
    /// As last seen.
    pub username: String,
    pub display_name: String,
    pub avatar_url: Option<String>,
    pub last_seen_at: Timestamp,
    pub message_count: Int64,
}

/// What is searched for.
#[derive(Debug, Clone, Default)]
pub struct SearchPlatformUsers {
    /// The beginning of a username or of a display name.
    pub query: String,
    /// Empty for all.
    pub platforms: Vec<String>,
    /// 10 when absent; more than 25 are 25.
    pub limit: Option<i64>,
}

/// Everything that is known of somebody who chats. What the platform does not tell is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct GqlUnifiedProfile {
    pub platform: String,
    /// The platform's id.
    pub platform_user_id: String,
    pub username: Option<String>,
    pub display_name: Option<String>,
    pub avatar_url: Option<String>,
    pub description: Option<String>,
    pub account_created_at: Option<Timestamp>,
    /// Twitch: `partner`, `affiliate` or empty.
    pub broadcaster_type: Option<String>,
    /// Whether they follow the account's channel.
    pub is_follower: Option<bool>,
    pub followed_at: Option<Timestamp>,
    pub is_moderator: Option<bool>,
    pub is_vip: Option<bool>,
    /// Whether they subscribe to the account's channel, or are a member of it.
    pub is_subscriber: Option<bool>,
    /// Twitch: `1000`, `2000` or `3000`.
    pub subscriber_tier: Option<String>,
    pub is_banned: Option<bool>,
    pub ban_reason: Option<String>,
    /// The end of a time-out that is running.
    pub timeout_until: Option<Timestamp>,
    /// Messages in the account's chat.
    pub message_count: Int64,
    pub first_seen_at: Option<Timestamp>,
    pub last_seen_at: Option<Timestamp>,
    /// When the platform was asked last and answered.
    pub enriched_at: Option<Timestamp>,
    /// Notes of the account's moderators.
    pub notes_count: Int64,
}

/// Who it is about, as it stands in the path.
#[derive(Debug, Clone, Copy)]
pub struct UserPath<'a> {
    pub platform: &'a str,
    pub platform_user_id: &'a str,
}

/// Search among those who chatted.
pub static SEARCH_PLATFORM_USERS: Operation<AccountCaller> =
    Operation::account("searchPlatformUsers", AccountPermission::ChatUserinfo, Grants::Nothing)
        .feature(Feature::Multichat);

/// Lists those whose username or display name begins with the query, whoever was seen last first.
///
/// # Errors
/// As the rule; 400 for an unknown platform, a query that is too long or a limit below 1.
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
    // No name has a control character, and the database takes no zero.
    if letters < MIN_PREFIX_LENGTH || prefix.chars().any(char::is_control) {
        return Ok(Vec::new());
    }
    let search = Search { account: caller.account, prefix, platforms: &platforms, limit };
    let found = search.run(&mut *caller.timeseries().await?).await?;
    Ok(found.into_iter().map(PlatformUser::from).collect())
}

/// What is known of somebody who chats.
pub static PLATFORM_USER_PROFILE: Operation<AccountCaller> =
    Operation::account("platformUserProfile", AccountPermission::ChatUserinfo, Grants::Nothing)
        .feature(Feature::Multichat);

/// Tells what is known of somebody. The platform is asked when it was not for a day.
///
/// # Errors
/// As the rule; 400 for an unknown platform or a malformed id; 404 when neither the account nor the platform knows the
/// user.
pub async fn platform_user_profile(cx: &Cx, user: UserPath<'_>) -> Result<GqlUnifiedProfile> {
    let caller = cx.authorize(&PLATFORM_USER_PROFILE).await?;
    let subject = Subject::parse(caller.account, user)?;
    profile::of(cx, &caller, &subject, Wish::Fresh).await?.ok_or_else(not_found)
}

/// Ask the platform anew about somebody who chats.
pub static REFRESH_PLATFORM_USER_PROFILE: Operation<AccountCaller> =
    Operation::account("refreshPlatformUserProfile", AccountPermission::ChatRefreshUser, Grants::Nothing);

/// Asks the platform about somebody, whenever it was asked last, and tells what is known then. When the platform does
/// not answer, `enriched_at` stays what it was.
///
/// # Errors
/// As the rule; 400 for an unknown platform or a malformed id; 429 `REFRESH_COOLDOWN` for ten minutes after another
/// refresh of the same user in the account; 404 when neither the account nor the platform knows the user.
pub async fn refresh_platform_user_profile(cx: &Cx, user: UserPath<'_>) -> Result<GqlUnifiedProfile> {
    let caller = cx.authorize(&REFRESH_PLATFORM_USER_PROFILE).await?;
    let subject = Subject::parse(caller.account, user)?;
    if let Some(seconds) = cooldown::begin(cx.state(), &subject).await? {
        let message = "This profile was refreshed less than 10 minutes ago";
        return Err(ApiError::new(Code::RefreshCooldown, message).with_retry_after(seconds));
    }
    let profile = profile::of(cx, &caller, &subject, Wish::New).await?.ok_or_else(not_found)?;
    tell(cx, &subject).await?;
    Ok(profile)
}

/// Tells those who watch the chat. What is known of the user is for those who may ask (`chat:userinfo`).
async fn tell(cx: &Cx, subject: &Subject) -> Result<()> {
    let data = json!({
        "platform": subject.platform.slug(),
        "platform_user_id": subject.user_id,
        "profile": null,
    });
    let now = cx.state().clock.now();
    let event = Event::new(Channel::Chat(subject.account.0), "chat:user_updated", data, now);
    cx.state().events.append(&event).await?;
    Ok(())
}

/// An id of a user as platforms write them.
///
/// # Errors
/// 400 that says what is allowed.
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
        // Asked for twice, everybody would be found twice.
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
