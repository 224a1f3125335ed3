//! Live state of channels (reference/connections.md#channel-status). Pushed events and responses of platforms
//! are stored here and published on the account's channel.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use shared::{Result, clock::rfc3339, platform::Platform};

/// State of a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BroadcastState {
    /// Live.
    Live,
    /// Announced.
    Upcoming,
    /// Neither: the channel is offline.
    Offline,
}

/// Observation of a channel, or of one broadcast where a channel has several. Fields that were not reported
/// are `None`: stored values are kept, as far as they can still be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// Account of the channel.
    pub account_id: Uuid,
    /// Id of the broadcast; `None` where the platform has one broadcast per channel.
    pub broadcast_id: Option<String>,
    /// State of the broadcast.
    #[serde(rename = "standing")]
    pub state: BroadcastState,
    /// Title.
    pub stream_title: Option<String>,
    /// Category or game.
    pub category: Option<String>,
    /// Present number of viewers.
    pub viewer_count: Option<i64>,
    /// Number of likes.
    pub like_count: Option<i64>,
    /// Number of views since the start.
    pub total_views: Option<i64>,
    /// Actual start.
    pub started_at: Option<DateTime<Utc>>,
    /// Scheduled start.
    pub scheduled_start: Option<DateTime<Utc>>,
    /// Chat of the broadcast on YouTube.
    pub live_chat_id: Option<String>,
    /// Time of the observation, by the platform's statement or by the time of the request. An observation
    /// that is older than the stored one is dropped.
    pub seen_at: DateTime<Utc>,
}

impl Seen {
    /// Creates an observation of the state alone.
    #[must_use]
    pub const fn new(account_id: Uuid, state: BroadcastState, seen_at: DateTime<Utc>) -> Self {
        Self {
            account_id,
            broadcast_id: None,
            state,
            stream_title: None,
            category: None,
            viewer_count: None,
            like_count: None,
            total_views: None,
            started_at: None,
            scheduled_start: None,
            live_chat_id: None,
            seen_at,
        }
    }
}

/// Stores observations of a platform and publishes the changes, in the caller's transaction. Accounts without
/// a channel on the platform are skipped. One statement stores all observations, one publishes all changes.
///
/// # Errors
/// A failure of the database.
pub async fn record(connection: &mut AsyncPgConnection, platform: Platform, seen: &[Seen]) -> Result<()> {
    if seen.is_empty() {
        return Ok(());
    }
    let rows: Vec<Status> = sql_query(RECORD)
        .bind::<Text, _>(platform.slug())
        .bind::<Jsonb, _>(serde_json::to_value(seen)?)
        .load(connection)
        .await?;
    let changes: Vec<(PublishEvent, String)> =
        rows.iter().filter(|row| row.is_new).map(Status::event).collect();
    if changes.is_empty() { Ok(()) } else { outbox::add_each(connection, &changes).await }
}

/// Deletes ended broadcasts where a channel has several, and publishes their end.
///
/// # Errors
/// A failure of the database.
pub async fn forget(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    account: Uuid,
    still_there: &[String],
    now: DateTime<Utc>,
) -> Result<()> {
    let gone: Vec<Status> = sql_query(FORGET)
        .bind::<Text, _>(platform.slug())
        .bind::<SqlUuid, _>(account)
        .bind::<diesel::sql_types::Array<Text>, _>(still_there)
        .bind::<Timestamptz, _>(now)
        .load(connection)
        .await?;
    let over =
        |row: Status| Status { is_online: false, broadcast_status: None, updated_at: now, ..row }.event();
    let changes: Vec<(PublishEvent, String)> = gone.into_iter().map(over).collect();
    if changes.is_empty() { Ok(()) } else { outbox::add_each(connection, &changes).await }
}

/// The end of a broadcast that was on air is written to the journal of streams
/// (reference/history.md#sessions).
const FORGET: &str = "
    WITH gone AS (
        DELETE FROM channel_statuses WHERE platform = $1 AND account_id = $2 AND broadcast_id IS NOT NULL
            AND NOT broadcast_id = ANY ($3)
        RETURNING account_id, platform, broadcast_id, is_online, broadcast_status, stream_title, category,
            viewer_count, like_count, total_views, started_at, scheduled_start, live_chat_id, updated_at
    ), journal AS (
        INSERT INTO stream_transitions (account_id, platform, platform_channel_id, broadcast_id, is_online, title,
            category, started_at, at)
        SELECT gone.account_id, gone.platform, c.platform_channel_id, gone.broadcast_id, false, gone.stream_title,
            gone.category, gone.started_at, greatest($4, gone.updated_at)
        FROM gone JOIN channel_connections c ON c.account_id = gone.account_id AND c.platform = gone.platform
        WHERE gone.is_online
    )
    SELECT gone.*, true AS is_new FROM gone";

/// Values of a live or announced broadcast are kept until a new observation changes them. Of an ended one the
/// title and the category are kept. A change of what sessions are made of is written to the journal of streams
/// in the same statement (reference/history.md#sessions).
const RECORD: &str = "
    WITH seen AS (
        SELECT DISTINCT ON (s.account_id, s.broadcast_id) s.*, c.platform_channel_id,
            CASE s.standing WHEN 'offline' THEN NULL ELSE s.standing END AS broadcast_status
        FROM jsonb_to_recordset($2) AS s (account_id uuid, broadcast_id text, standing text, stream_title text,
            category text, viewer_count bigint, like_count bigint, total_views bigint, started_at timestamptz,
            scheduled_start timestamptz, live_chat_id text, seen_at timestamptz)
        JOIN channel_connections c ON c.account_id = s.account_id AND c.platform = $1
        ORDER BY s.account_id, s.broadcast_id, s.seen_at DESC
    ), before AS (
        SELECT b.* FROM channel_statuses b
        JOIN seen ON seen.account_id = b.account_id AND seen.broadcast_id IS NOT DISTINCT FROM b.broadcast_id
        WHERE b.platform = $1
    ), written AS (
        INSERT INTO channel_statuses AS known (id, account_id, platform, broadcast_id, is_online, broadcast_status,
            stream_title, category, viewer_count, like_count, total_views, started_at, scheduled_start, live_chat_id,
            updated_at)
        SELECT gen_random_uuid(), account_id, $1, broadcast_id, standing = 'live', broadcast_status, stream_title,
            category, viewer_count, like_count, total_views, started_at, scheduled_start, live_chat_id, seen_at
        FROM seen
        ON CONFLICT (account_id, platform, broadcast_id) DO UPDATE SET
            is_online = excluded.is_online, broadcast_status = excluded.broadcast_status,
            stream_title = coalesce(excluded.stream_title, known.stream_title),
            category = coalesce(excluded.category, known.category),
            viewer_count = CASE WHEN excluded.is_online THEN coalesce(excluded.viewer_count, known.viewer_count) END,
            like_count = CASE WHEN excluded.is_online THEN coalesce(excluded.like_count, known.like_count) END,
            total_views = CASE WHEN excluded.is_online THEN coalesce(excluded.total_views, known.total_views) END,
            started_at = CASE WHEN excluded.is_online THEN coalesce(excluded.started_at, known.started_at) END,
            scheduled_start = CASE WHEN excluded.broadcast_status IS NOT NULL
                THEN coalesce(excluded.scheduled_start, known.scheduled_start) END,
            live_chat_id = CASE WHEN excluded.broadcast_status IS NOT NULL
                THEN coalesce(excluded.live_chat_id, known.live_chat_id) END,
            updated_at = excluded.updated_at
        WHERE known.updated_at <= excluded.updated_at
        RETURNING *
    ), journal AS (
        INSERT INTO stream_transitions (account_id, platform, platform_channel_id, broadcast_id, is_online, title,
            category, started_at, at)
        SELECT w.account_id, w.platform, seen.platform_channel_id, w.broadcast_id, w.is_online, w.stream_title,
            w.category, w.started_at, w.updated_at
        FROM written w
        JOIN seen ON seen.account_id = w.account_id AND seen.broadcast_id IS NOT DISTINCT FROM w.broadcast_id
        LEFT JOIN before b ON b.account_id = w.account_id AND b.broadcast_id IS NOT DISTINCT FROM w.broadcast_id
        WHERE CASE WHEN w.is_online
            THEN (b.is_online, b.stream_title, b.category, b.started_at) IS DISTINCT FROM
                (w.is_online, w.stream_title, w.category, w.started_at)
            ELSE b.is_online END
    )
    SELECT w.account_id, w.platform, w.broadcast_id, w.is_online, w.broadcast_status, w.stream_title, w.category,
        w.viewer_count, w.like_count, w.total_views, w.started_at, w.scheduled_start, w.live_chat_id, w.updated_at,
        (b.is_online, b.broadcast_status, b.stream_title, b.category, b.viewer_count, b.like_count, b.total_views,
            b.started_at, b.scheduled_start, b.live_chat_id) IS DISTINCT FROM
        (w.is_online, w.broadcast_status, w.stream_title, w.category, w.viewer_count, w.like_count, w.total_views,
            w.started_at, w.scheduled_start, w.live_chat_id)
        AND (b.id IS NOT NULL OR w.broadcast_status IS NOT NULL) AS is_new
    FROM written w LEFT JOIN before b
        ON b.account_id = w.account_id AND b.broadcast_id IS NOT DISTINCT FROM w.broadcast_id";

/// A row in its present state.
#[derive(Debug, QueryableByName)]
struct Status {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Nullable<Text>)]
    broadcast_id: Option<String>,
    #[diesel(sql_type = Bool)]
    is_online: bool,
    #[diesel(sql_type = Nullable<Text>)]
    broadcast_status: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    stream_title: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    category: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    viewer_count: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    like_count: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    total_views: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    started_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    scheduled_start: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Text>)]
    live_chat_id: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    updated_at: DateTime<Utc>,
    /// True when the change is published. That a channel without any known state is offline is not.
    #[diesel(sql_type = Bool)]
    is_new: bool,
}

impl Status {
    /// The form in which `GET /v1/channel-status` returns it.
    fn data(&self) -> Value {
        json!({
            "platform": self.platform,
            "is_online": self.is_online,
            "broadcast_id": self.broadcast_id,
            "broadcast_status": self.broadcast_status,
            "stream_title": self.stream_title,
            "category": self.category,
            "viewer_count": self.viewer_count,
            "like_count": self.like_count,
            "total_views": self.total_views,
            "started_at": self.started_at.map(rfc3339),
            "scheduled_start": self.scheduled_start.map(rfc3339),
            "live_chat_id": self.live_chat_id,
            "updated_at": rfc3339(self.updated_at),
        })
    }

    fn event(&self) -> (PublishEvent, String) {
        let channel = Channel::Events(self.account_id);
        let event = Event::new(channel, "channel_status:updated", self.data(), self.updated_at);
        let key = format!("channel_status:{}", event.id);
        (PublishEvent { event }, key)
    }
}
