//! Scope of the crawler, which staff sets (reference/public-stats.md#scope-of-the-crawler).

mod db;
pub mod graphql;
mod languages;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, AnyOperation, Grants},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{catalogue::AdminPermission, platform::Platform};
use stats_model::samples::MAX_WEIGHT_SECS;
use utoipa::ToSchema;

use crate::platforms::supported;
use languages::{LANGUAGE_LENGTH, is_language};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ADMIN_CRAWLER_SCOPE, &ADMIN_UPDATE_CRAWLER_SCOPE];

/// Length of the slug of a platform.
const MAX_PLATFORM_LENGTH: usize = 16;
const MAX_MIN_VIEWERS: i32 = 1_000_000;
const MAX_LANGUAGES: usize = 100;
const MIN_CHANNELS: i32 = 1;
const MAX_CHANNELS: i32 = 5_000_000;
const MIN_INTERVAL_SECS: i32 = 60;
/// Longest time for which a visit stands.
const MAX_INTERVAL_SECS: i32 = MAX_WEIGHT_SECS;

/// Scope of the crawler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct CrawlerScope {
    /// False: the crawler rests.
    pub enabled: bool,
    /// Platforms that are crawled.
    pub platforms: Vec<String>,
    /// Viewers from which a channel is crawled.
    pub min_viewers: i32,
    /// ISO 639-1 codes of the languages that are crawled. Empty: all.
    pub languages: Vec<String>,
    /// Number of channels that are crawled at most.
    pub max_channels: i32,
    /// Seconds between two visits of a channel.
    pub interval_secs: i32,
}

/// New scope of the crawler.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "enabled": true, "platforms": ["twitch"], "min_viewers": 10, "languages": ["en", "de"],
    "max_channels": 50_000, "interval_secs": 300,
}))]
pub struct AdminUpdateCrawlerScopeInput {
    /// False: the crawler rests.
    pub enabled: bool,
    /// Platforms to crawl, each once: `twitch`, `youtube`, `kick`, `trovo`.
    #[schema(extensions(("maxLength" = json!(MAX_PLATFORM_LENGTH))))]
    pub platforms: Vec<String>,
    /// Viewers from which a channel is crawled.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_MIN_VIEWERS))))]
    pub min_viewers: i32,
    /// ISO 639-1 codes of the languages to crawl, each once, at most 100. Empty: all.
    #[schema(extensions(("maxLength" = json!(LANGUAGE_LENGTH))))]
    pub languages: Vec<String>,
    /// Number of channels to crawl at most.
    #[schema(extensions(("minimum" = json!(MIN_CHANNELS)), ("maximum" = json!(MAX_CHANNELS))))]
    pub max_channels: i32,
    /// Seconds between two visits of a channel.
    #[schema(extensions(("minimum" = json!(MIN_INTERVAL_SECS)), ("maximum" = json!(MAX_INTERVAL_SECS))))]
    pub interval_secs: i32,
}

pub static ADMIN_CRAWLER_SCOPE: Operation<Admin> =
    Operation::admin("adminCrawlerScope", AdminPermission::CrawlerScopeRead, Grants::Nothing);

/// Returns the scope of the crawler.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn admin_crawler_scope(cx: &Cx) -> Result<CrawlerScope> {
    let admin = cx.authorize(&ADMIN_CRAWLER_SCOPE).await?;
    db::find(&mut *admin.db().await?).await
}

pub static ADMIN_UPDATE_CRAWLER_SCOPE: Operation<Admin> =
    Operation::admin("adminUpdateCrawlerScope", AdminPermission::CrawlerScopeEdit, Grants::Nothing);

/// Replaces the scope of the crawler.
///
/// The crawler follows it with its next pass. While `system:crawler` is off it rests, whatever the scope.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field.
#[api_core::operation]
pub async fn admin_update_crawler_scope(
    cx: &Cx,
    input: Input<AdminUpdateCrawlerScopeInput>,
) -> Result<CrawlerScope> {
    let admin = cx.authorize(&ADMIN_UPDATE_CRAWLER_SCOPE).await?;
    let scope = input?.checked()?;
    let now = cx.state().clock.now();
    admin
        .db()
        .await?
        .transaction(async |connection| {
            db::replace(connection, &scope, (admin.user, now)).await?;
            let metadata = serde_json::to_value(&scope)?;
            let entry = cx.audit_system("crawler:scope_updated", "crawler_scope", "scope");
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok::<_, ApiError>(())
        })
        .await?;
    Ok(scope)
}

impl AdminUpdateCrawlerScopeInput {
    fn checked(self) -> Result<CrawlerScope> {
        Ok(CrawlerScope {
            enabled: self.enabled,
            platforms: checked_platforms(&self.platforms)?,
            min_viewers: within("min_viewers", self.min_viewers, 0, MAX_MIN_VIEWERS)?,
            languages: checked_languages(self.languages)?,
            max_channels: within("max_channels", self.max_channels, MIN_CHANNELS, MAX_CHANNELS)?,
            interval_secs: within("interval_secs", self.interval_secs, MIN_INTERVAL_SECS, MAX_INTERVAL_SECS)?,
        })
    }
}

fn checked_platforms(given: &[String]) -> Result<Vec<String>> {
    let mut platforms: Vec<Platform> = Vec::new();
    for (place, text) in given.iter().enumerate() {
        let platform = supported(&format!("platforms[{place}]"), text)?;
        if platforms.contains(&platform) {
            return Err(ApiError::invalid("platforms must name each platform once"));
        }
        platforms.push(platform);
    }
    Ok(platforms.into_iter().map(|platform| platform.slug().to_owned()).collect())
}

fn checked_languages(given: Vec<String>) -> Result<Vec<String>> {
    if given.len() > MAX_LANGUAGES {
        return Err(ApiError::invalid(format!("languages must hold at most {MAX_LANGUAGES} entries")));
    }
    for (place, language) in given.iter().enumerate() {
        if !is_language(language) {
            let message = format!("languages[{place}] must be an ISO 639-1 code, for example en");
            return Err(ApiError::invalid(message));
        }
        if given.iter().take(place).any(|earlier| earlier == language) {
            return Err(ApiError::invalid("languages must name each language once"));
        }
    }
    Ok(given)
}

fn within(field: &str, number: i32, min: i32, max: i32) -> Result<i32> {
    if (min..=max).contains(&number) {
        return Ok(number);
    }
    Err(ApiError::invalid(format!("{field} must be between {min} and {max}")))
}
