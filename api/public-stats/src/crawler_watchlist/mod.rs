//! Channels that are crawled outside of the scope (reference/public-stats.md#channels-outside-of-the-scope).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
    validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{catalogue::AdminPermission, platform::Platform};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platforms::supported;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_CRAWLER_WATCHLIST, &ADMIN_ADD_CRAWLER_WATCHLIST_ENTRY, &ADMIN_REMOVE_CRAWLER_WATCHLIST_ENTRY];

/// Channels of the list.
const MAX_ENTRIES: i64 = 10_000;
/// Length of the slug of a platform.
const MAX_PLATFORM_LENGTH: usize = 16;
const MAX_CHANNEL_LENGTH: usize = 100;
const MAX_NOTE_LENGTH: usize = 500;

/// Channel that is crawled outside of the scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct CrawlerWatchlistEntry {
    /// Identifier.
    pub id: Uuid,
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// Id or login on the platform.
    pub channel: String,
    /// Note of staff. Null: none.
    pub note: Option<String>,
    /// Person who added it. Null: the person is deleted.
    pub created_by: Option<Uuid>,
    /// Time at which it was added.
    pub created_at: Timestamp,
}

/// Channel to crawl outside of the scope.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "channel": "some_login", "note": "Partner" }))]
pub struct AdminAddCrawlerWatchlistEntryInput {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    #[schema(extensions(("maxLength" = json!(MAX_PLATFORM_LENGTH))))]
    pub platform: String,
    /// Id or login on the platform: 1 to 100 letters, digits, `_`, `-`, `.` and `@`.
    #[schema(extensions(("maxLength" = json!(MAX_CHANNEL_LENGTH))))]
    pub channel: String,
    /// At most 500 characters; empty is null.
    #[schema(extensions(("maxLength" = json!(MAX_NOTE_LENGTH))))]
    pub note: Option<String>,
}

/// A checked entry.
struct NewEntry {
    platform: Platform,
    channel: String,
    note: Option<String>,
}

pub static ADMIN_CRAWLER_WATCHLIST: Operation<Admin> =
    Operation::admin("adminCrawlerWatchlist", AdminPermission::CrawlerWatchlistRead, Grants::Nothing);

/// Lists the channels that are crawled outside of the scope, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for a page out of bounds.
#[api_core::operation]
pub async fn admin_crawler_watchlist(
    cx: &Cx,
    page: Input<PageRequest>,
) -> Result<Page<CrawlerWatchlistEntry>> {
    let admin = cx.authorize(&ADMIN_CRAWLER_WATCHLIST).await?;
    let window = page?.check()?;
    let (items, total) = db::page(&mut *admin.db().await?, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_ADD_CRAWLER_WATCHLIST_ENTRY: Operation<Admin> = Operation::admin(
    "adminAddCrawlerWatchlistEntry",
    AdminPermission::CrawlerWatchlistCreate,
    Grants::Nothing,
)
.idempotent();

/// Adds a channel that is crawled outside of the scope.
///
/// A channel that has opted out is not crawled.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 409 for a channel that is on the list, and beyond
/// 10,000 channels.
#[api_core::operation]
pub async fn admin_add_crawler_watchlist_entry(
    cx: &Cx,
    input: Input<AdminAddCrawlerWatchlistEntryInput>,
) -> Result<CrawlerWatchlistEntry> {
    let admin = cx.authorize(&ADMIN_ADD_CRAWLER_WATCHLIST_ENTRY).await?;
    let new = input?.checked()?;
    let now = cx.state().clock.now();
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let count = db::lock_and_count(connection).await?;
            let entry = db::insert(connection, &new, (admin.user, now)).await?;
            let entry =
                entry.ok_or_else(|| ApiError::conflict("Channel is on the crawler watchlist already"))?;
            if count >= MAX_ENTRIES {
                return Err(ApiError::conflict("Crawler watchlist limit reached"));
            }
            record(cx, connection, "crawler:watchlist_added", &entry).await?;
            Ok(entry)
        })
        .await
}

pub static ADMIN_REMOVE_CRAWLER_WATCHLIST_ENTRY: Operation<Admin> = Operation::admin(
    "adminRemoveCrawlerWatchlistEntry",
    AdminPermission::CrawlerWatchlistDelete,
    Grants::Nothing,
);

/// Removes a channel from those that are crawled outside of the scope.
///
/// What is stored of it stays.
///
/// # Errors
/// Refusals of the access rule; 404 when the list has no such entry.
#[api_core::operation]
pub async fn admin_remove_crawler_watchlist_entry(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_REMOVE_CRAWLER_WATCHLIST_ENTRY).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let entry = db::delete(connection, id).await?;
            let entry = entry.ok_or_else(|| ApiError::not_found("Crawler watchlist entry not found"))?;
            record(cx, connection, "crawler:watchlist_removed", &entry).await
        })
        .await
}

async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    entry: &CrawlerWatchlistEntry,
) -> Result<()> {
    let metadata = json!({ "platform": entry.platform, "channel": entry.channel });
    let audited = Entry { metadata, ..cx.audit_system(action, "crawler_watchlist_entry", entry.id) };
    Ok(audit::record(connection, audited).await?)
}

impl AdminAddCrawlerWatchlistEntryInput {
    fn checked(self) -> Result<NewEntry> {
        let platform = supported("platform", &self.platform)?;
        let channel = validate::text("channel", &self.channel, 1, MAX_CHANNEL_LENGTH)?;
        if !channel.chars().all(is_name_character) {
            let message = "channel must hold only letters, digits, `_`, `-`, `.` and `@`";
            return Err(ApiError::invalid(message));
        }
        let note =
            self.note.map(|note| validate::long_text("note", &note, 0, MAX_NOTE_LENGTH)).transpose()?;
        Ok(NewEntry { platform, channel, note: note.filter(|note| !note.is_empty()) })
    }
}

/// True for a character of ids and logins.
fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '@')
}
