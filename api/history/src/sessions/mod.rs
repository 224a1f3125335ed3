//! Lists of sessions (reference/history.md#history).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, CursorPage, CursorRequest, Cx, Input, Operation, PageRequest, Result,
    access::{AccountCaller, AnyOperation, Grants},
    page::Window,
    validate,
};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
    platform::Platform,
};
use utoipa::{IntoParams, ToSchema};

use crate::{StreamSession, StreamSessionType};

pub(crate) use db::{COLUMNS, Row};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&STREAM_HISTORY, &STREAM_HISTORY_FILTER_OPTIONS];

/// Rows of a page when the request names no number.
const DEFAULT_PER_PAGE: i32 = 25;
/// Highest number of rows of a page (reference/history.md#history).
const MAX_PER_PAGE: i32 = 100;
/// Length of a search, in characters (reference/history.md#history).
const MAX_SEARCH_LENGTH: usize = 100;
/// Length of the name of a category, in characters.
const MAX_CATEGORY_LENGTH: usize = 200;
/// Maximum number of categories among the options (reference/history.md#history).
const MAX_CATEGORIES: i64 = 500;
/// Platforms with broadcasts.
const PLATFORMS: [Platform; 4] = [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo];

/// Column by which sessions are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamHistorySort {
    /// Start.
    #[default]
    StartedAt,
    /// Length.
    DurationSecs,
    /// Largest number of viewers.
    PeakViewers,
    /// Average number of viewers.
    AvgViewers,
    /// Chat lines.
    TotalMessages,
    /// People who wrote.
    UniqueChatters,
    /// Follows.
    NewFollowers,
}

/// Direction in which sessions are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamHistorySortDirection {
    /// Smallest first.
    Asc,
    /// Largest first.
    #[default]
    Desc,
}

/// Filter, order and page of the sessions.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct StreamHistoryFilter {
    /// 1 or more; 1 when absent. Not with `cursor`.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub per_page: Option<i32>,
    /// Only sessions that started at or after this time.
    pub from: Option<String>,
    /// Only sessions that started before this time.
    pub to: Option<String>,
    /// Only sessions of this kind.
    pub session_type: Option<StreamSessionType>,
    /// Only sessions with a broadcast on this platform: `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: Option<String>,
    /// Only sessions whose title contains this, in any case; 1 to 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
    /// Only sessions that were in this category at some time; 1 to 200 characters.
    #[param(max_length = 200)]
    pub category: Option<String>,
    /// Column to sort by; the start when absent. Sessions without a value come last.
    #[param(inline)]
    pub sort_by: Option<StreamHistorySort>,
    /// Direction; `desc` when absent.
    #[param(inline)]
    pub sort_dir: Option<StreamHistorySortDirection>,
    /// Cursor of the page before, from its `Link` or `nextCursor`. Lists that are sorted by the start have them.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

/// Values that the filter of the sessions can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct StreamHistoryFilterOptions {
    /// Platforms of the account's sessions, sorted.
    pub platforms: Vec<String>,
    /// Categories of the account's sessions, sorted; at most 500.
    pub categories: Vec<String>,
}

pub static STREAM_HISTORY: Operation<AccountCaller> =
    Operation::account("streamHistory", AccountPermission::HistoryRead, Grants::Nothing)
        .feature(Feature::StreamHistory)
        .polled();

/// Returns one page of the account's stream sessions, the newest first unless another order is requested.
///
/// Sessions without a value in the sorted column come last in both directions. Equal ones are sorted by their
/// start, the newest first. A session that is live is in the list.
///
/// (reference/history.md#history)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a value is unknown or out of bounds, or `from` is after `to`.
#[api_core::operation]
pub async fn stream_history(
    cx: &Cx,
    filter: Input<StreamHistoryFilter>,
) -> Result<CursorPage<StreamSession>> {
    let caller = cx.authorize(&STREAM_HISTORY).await?;
    let mut filter = filter?;
    let (window, cursor) = (window(&filter)?, filter.cursor.take());
    let request = CursorRequest::new(filter.page, None, cursor);
    let wanted = selection(caller.account, filter)?;
    let has_cursors = wanted.sort == StreamHistorySort::StartedAt;
    if request.cursor.is_some() && !has_cursors {
        return Err(ApiError::invalid("cursor must be given with sort_by started_at only"));
    }
    let part = request.check_window(window, cx, &STREAM_HISTORY, &wanted)?;
    let mut page = db::page(&mut *caller.db().await?, &wanted, part).await?;
    page.next_cursor = page.next_cursor.filter(|_| has_cursors);
    Ok(page)
}

pub static STREAM_HISTORY_FILTER_OPTIONS: Operation<AccountCaller> =
    Operation::account("streamHistoryFilterOptions", AccountPermission::HistoryRead, Grants::Nothing)
        .feature(Feature::StreamHistory);

/// Returns the platforms and categories of the account's sessions.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn stream_history_filter_options(cx: &Cx) -> Result<StreamHistoryFilterOptions> {
    let caller = cx.authorize(&STREAM_HISTORY_FILTER_OPTIONS).await?;
    db::options(&mut *caller.db().await?, caller.account).await
}

fn window(filter: &StreamHistoryFilter) -> Result<Window> {
    let window = PageRequest { page: filter.page.map(i64::from), limit: None }.check()?;
    let rows = filter.per_page.unwrap_or(DEFAULT_PER_PAGE);
    if !(1..=MAX_PER_PAGE).contains(&rows) {
        return Err(ApiError::invalid(format!("per_page must be between 1 and {MAX_PER_PAGE}")));
    }
    Ok(Window { limit: rows.into(), ..window })
}

fn selection(account: AccountId, filter: StreamHistoryFilter) -> Result<db::Selection> {
    let text = |field: &str, given: Option<String>, max: usize| {
        given.map(|given| validate::text(field, &given, 1, max)).transpose()
    };
    let wanted = db::Selection {
        account,
        from: filter.from.map(|given| validate::timestamp("from", &given)).transpose()?,
        to: filter.to.map(|given| validate::timestamp("to", &given)).transpose()?,
        session_type: filter.session_type,
        platform: filter.platform.as_deref().map(platform).transpose()?,
        search: text("search", filter.search, MAX_SEARCH_LENGTH)?,
        category: text("category", filter.category, MAX_CATEGORY_LENGTH)?,
        sort: filter.sort_by.unwrap_or_default(),
        direction: filter.sort_dir.unwrap_or_default(),
    };
    if wanted.from.zip(wanted.to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::invalid("from must not be after to"));
    }
    Ok(wanted)
}

/// Reads a platform with broadcasts.
///
/// # Errors
/// 400 that names the platforms.
pub(crate) fn platform(given: &str) -> Result<Platform> {
    PLATFORMS.into_iter().find(|platform| platform.slug() == given).ok_or_else(|| {
        ApiError::invalid(format!("platform must be one of {}", PLATFORMS.map(Platform::slug).join(", ")))
    })
}
