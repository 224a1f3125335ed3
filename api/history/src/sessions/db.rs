//! Queries over `stream_sessions`. Each carries the account.

use api_core::{CursorPage, Position, Result, cursor::Part};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Double, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use history_model::report::SessionRow;
use shared::{id::AccountId, platform::Platform};
use uuid::Uuid;

use super::{MAX_CATEGORIES, StreamHistoryFilterOptions, StreamHistorySort, StreamHistorySortDirection};
use crate::{StreamSession, StreamSessionType};

/// Filter and order of sessions.
#[derive(Hash)]
pub(super) struct Selection {
    /// The account.
    pub account: AccountId,
    /// Only sessions that started at or after this time.
    pub from: Option<DateTime<Utc>>,
    /// Only sessions that started before this time.
    pub to: Option<DateTime<Utc>>,
    /// Only sessions of this kind.
    pub session_type: Option<StreamSessionType>,
    /// Only sessions with a broadcast on this platform.
    pub platform: Option<Platform>,
    /// Only sessions whose title contains this, in any case.
    pub search: Option<String>,
    /// Only sessions that were in this category.
    pub category: Option<String>,
    /// Column of the order.
    pub sort: StreamHistorySort,
    /// Direction of the order.
    pub direction: StreamHistorySortDirection,
}

/// Columns of [`Row`].
pub(crate) const COLUMNS: &str =
    "id, session_type, platforms, title, category, started_at, ended_at, duration_secs, peak_viewers,
    avg_viewers, total_messages, unique_chatters, new_followers, new_subscribers";

/// Condition of a filter. The account's index bounds the rows that are read.
const WANTED: &str = "
    account_id = $1 AND ($2 IS NULL OR started_at >= $2) AND ($3 IS NULL OR started_at < $3)
    AND ($4 IS NULL OR session_type = $4) AND ($5 IS NULL OR $5 = ANY(platforms))
    AND ($6 IS NULL OR title ILIKE $6) AND ($7 IS NULL OR $7 = ANY(categories))";

/// Session without its report.
#[derive(QueryableByName)]
pub(crate) struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    session_type: String,
    #[diesel(sql_type = Array<Text>)]
    platforms: Vec<String>,
    #[diesel(sql_type = Nullable<Text>)]
    title: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    category: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    started_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    ended_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    duration_secs: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    peak_viewers: Option<i64>,
    #[diesel(sql_type = Nullable<Double>)]
    avg_viewers: Option<f64>,
    #[diesel(sql_type = BigInt)]
    total_messages: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    unique_chatters: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    new_followers: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    new_subscribers: Option<i64>,
}

#[derive(QueryableByName)]
struct PageRow {
    /// Null for a part that continues a list.
    #[diesel(sql_type = Nullable<BigInt>)]
    total: Option<i64>,
    #[diesel(embed)]
    session: Row,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    total: i64,
}

#[derive(QueryableByName)]
struct Choice {
    #[diesel(sql_type = Bool)]
    is_platform: bool,
    #[diesel(sql_type = Text)]
    name: String,
}

/// Binds the parameters of [`WANTED`]. Each bind has a type of its own, so that this is no function.
macro_rules! bound {
    ($query:expr, $wanted:expr) => {
        $query
            .bind::<SqlUuid, _>($wanted.account.uuid())
            .bind::<Nullable<Timestamptz>, _>($wanted.from)
            .bind::<Nullable<Timestamptz>, _>($wanted.to)
            .bind::<Nullable<Text>, _>($wanted.session_type.map(StreamSessionType::as_str))
            .bind::<Nullable<Text>, _>($wanted.platform.map(Platform::slug))
            .bind::<Nullable<Text>, _>($wanted.search.as_deref().map(containing))
            .bind::<Nullable<Text>, _>($wanted.category.as_deref())
    };
}

/// One part, and the number of sessions of all parts. A position bounds lists by start only.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    wanted: &Selection,
    part: Part,
) -> Result<CursorPage<StreamSession>> {
    let order = order(wanted.sort, wanted.direction);
    let beyond = match wanted.direction {
        StreamHistorySortDirection::Asc => ">",
        StreamHistorySortDirection::Desc => "<",
    };
    let sql = format!(
        "SELECT CASE WHEN $8 IS NULL THEN (SELECT count(*) FROM stream_sessions WHERE {WANTED}) END AS total, {COLUMNS}
        FROM stream_sessions
        WHERE {WANTED} AND ($8 IS NULL OR (started_at, id) {beyond} ($8, $9))
        ORDER BY {order} LIMIT $10 OFFSET $11"
    );
    // One text for each order.
    let rows: Vec<PageRow> = bound!(sql_query(sql), wanted)
        .bind::<Nullable<Timestamptz>, _>(part.after_at())
        .bind::<Nullable<SqlUuid>, _>(part.after_id())
        .bind::<BigInt, _>(part.limit())
        .bind::<BigInt, _>(part.offset())
        .prepared()
        .load(connection)
        .await?;
    let total = match part.total_or(rows.as_slice().first().and_then(|row| row.total)) {
        Some(total) => total,
        None => count(connection, wanted).await?,
    };
    let position = |row: &Row| Position { at: row.started_at, id: row.id };
    let rows = rows.into_iter().map(|row| (position(&row.session), SessionRow::from(row.session).into()));
    Ok(part.page(rows.collect(), total))
}

/// Number of sessions, for a page beyond the last.
async fn count(connection: &mut AsyncPgConnection, wanted: &Selection) -> Result<i64> {
    let sql = format!("SELECT count(*) AS total FROM stream_sessions WHERE {WANTED}");
    let found: Count = bound!(sql_query(sql), wanted).prepared().get_result(connection).await?;
    Ok(found.total)
}

/// Platforms and categories of the account's sessions.
pub(super) async fn options(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<StreamHistoryFilterOptions> {
    const OPTIONS: &str = "
        SELECT true AS is_platform, name FROM (
            SELECT DISTINCT unnest(platforms) AS name FROM stream_sessions WHERE account_id = $1
        ) AS platform
        UNION ALL (
            SELECT false, name FROM (
                SELECT DISTINCT unnest(categories) AS name FROM stream_sessions WHERE account_id = $1
            ) AS category ORDER BY name COLLATE \"C\" LIMIT $2
        )";
    let choices: Vec<Choice> = sql_query(OPTIONS)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<BigInt, _>(MAX_CATEGORIES)
        .prepared()
        .load(connection)
        .await?;
    let (platforms, categories): (Vec<_>, Vec<_>) =
        choices.into_iter().partition(|choice| choice.is_platform);
    let sorted = |choices: Vec<Choice>| {
        let mut names: Vec<String> = choices.into_iter().map(|choice| choice.name).collect();
        names.sort_unstable();
        names
    };
    Ok(StreamHistoryFilterOptions { platforms: sorted(platforms), categories: sorted(categories) })
}

/// Order of a list. Sessions without a value are last in both directions; equal ones are sorted by start.
fn order(sort: StreamHistorySort, direction: StreamHistorySortDirection) -> String {
    let direction = match direction {
        StreamHistorySortDirection::Asc => "ASC",
        StreamHistorySortDirection::Desc => "DESC",
    };
    let column = match sort {
        StreamHistorySort::StartedAt => return format!("started_at {direction}, id {direction}"),
        StreamHistorySort::DurationSecs => "duration_secs",
        StreamHistorySort::PeakViewers => "peak_viewers",
        StreamHistorySort::AvgViewers => "avg_viewers",
        StreamHistorySort::TotalMessages => "total_messages",
        StreamHistorySort::UniqueChatters => "unique_chatters",
        StreamHistorySort::NewFollowers => "new_followers",
    };
    format!("{column} {direction} NULLS LAST, started_at DESC, id DESC")
}

/// Pattern of texts that contain this one; `%`, `_` and the backslash are literal.
fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

impl From<Row> for SessionRow {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            session_type: row.session_type,
            platforms: row.platforms,
            title: row.title,
            category: row.category,
            started_at: row.started_at,
            is_live: row.ended_at.is_none(),
            ended_at: row.ended_at,
            duration_secs: row.duration_secs,
            peak_viewers: row.peak_viewers,
            avg_viewers: row.avg_viewers,
            total_messages: row.total_messages,
            unique_chatters: row.unique_chatters,
            new_followers: row.new_followers,
            new_subscribers: row.new_subscribers,
        }
    }
}
