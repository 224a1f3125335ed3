//! Parts of a report from the main database: the session, its broadcasts, titles, categories and clips.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

use super::{
    ChartMarker, MarkerKind,
    time::{Window, minute_after},
};
use crate::minutes::{MINUTE, begin};

/// Broadcasts of one session in a report, the earliest.
const MAX_BROADCASTS: i64 = 500;
/// Changes of titles and categories of one session that are read, the earliest.
const MAX_CHANGES: i64 = 10_000;
/// Clips of one session in a report, the earliest.
const MAX_CLIPS: i64 = 500;
/// Time before a session in which an automation run may have begun that makes a clip in it.
const MAX_RUN_AGE: TimeDelta = TimeDelta::days(1);

/// Broadcasts of a session.
pub const BROADCASTS: &str = "
    SELECT id, platform, platform_channel_id, broadcast_id, title, category, started_at, ended_at
    FROM stream_broadcasts WHERE account_id = $1 AND session_id = $2
    ORDER BY started_at, platform, broadcast_id LIMIT $3";

/// Titles and categories of a session.
pub const CHANGES: &str = "
    SELECT platform, kind, value, is_first, at FROM stream_changes
    WHERE account_id = $1 AND session_id = $2 ORDER BY at, id LIMIT $3";

/// Clips in some minutes.
pub const CLIPS: &str = "
    SELECT started_at AS at, output ->> 'clip_id' AS clip_id FROM automation_steps
    WHERE account_id = $1 AND run_id >= $2 AND started_at >= $3 AND started_at < $4
        AND status = 'succeeded' AND output ?& ARRAY['clip_id', 'edit_url']
    ORDER BY started_at, run_id, position LIMIT $5";

/// Everything that the main database knows about a session.
pub(super) struct Head {
    /// The session.
    pub session: Session,
    /// Broadcasts by start.
    pub broadcasts: Vec<Broadcast>,
    /// Titles and categories by time, from those of the start on.
    pub changes: Vec<Change>,
    /// Markers of clips by time.
    pub clips: Vec<ChartMarker>,
}

/// Session with the settings of its account.
#[derive(Debug, QueryableByName)]
pub(super) struct Session {
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// `single` or `multi`.
    #[diesel(sql_type = Text)]
    pub session_type: String,
    /// Platforms.
    #[diesel(sql_type = Array<Text>)]
    pub platforms: Vec<String>,
    /// Newest title.
    #[diesel(sql_type = Nullable<Text>)]
    pub title: Option<String>,
    /// Newest category.
    #[diesel(sql_type = Nullable<Text>)]
    pub category: Option<String>,
    /// Start.
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
    /// End.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub ended_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_off_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Timestamptz)]
    minutes_from: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    minutes_to: Option<DateTime<Utc>>,
    #[diesel(sql_type = Bool)]
    stores_chat: bool,
    #[diesel(sql_type = Bool)]
    stores_users: bool,
    #[diesel(sql_type = BigInt)]
    chat_retention_days: i64,
}

/// Broadcast of a session.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Broadcast {
    /// Id.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// The platform's id of the channel.
    #[diesel(sql_type = Text)]
    pub platform_channel_id: String,
    /// Id on the platform, else the text of `id`.
    #[diesel(sql_type = Text)]
    pub broadcast_id: String,
    /// Newest title.
    #[diesel(sql_type = Nullable<Text>)]
    pub title: Option<String>,
    /// Newest category.
    #[diesel(sql_type = Nullable<Text>)]
    pub category: Option<String>,
    /// Start.
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
    /// End.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub ended_at: Option<DateTime<Utc>>,
}

/// Title or category from a time on.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Change {
    /// Platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// `title` or `category`.
    #[diesel(sql_type = Text)]
    pub kind: String,
    /// The new value; `None` for none.
    #[diesel(sql_type = Nullable<Text>)]
    pub value: Option<String>,
    /// True for the first value of a broadcast.
    #[diesel(sql_type = Bool)]
    pub is_first: bool,
    /// Time.
    #[diesel(sql_type = Timestamptz)]
    pub at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Clip {
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Text>)]
    clip_id: Option<String>,
}

impl Session {
    /// Minutes of the session; of an open one up to the end of the last broadcast, else to the present one.
    pub fn window(&self, now: DateTime<Utc>) -> Window {
        let to = self.minutes_to.or_else(|| self.last_off_at.map(minute_after));
        Window::new(self.minutes_from, to.unwrap_or_else(|| begin(now) + MINUTE))
    }

    /// True when the account stores chat and who wrote.
    pub const fn lists_people(&self) -> bool {
        self.stores_chat && self.stores_users
    }

    /// True once chat of the session may have been deleted for its age.
    pub fn is_chat_expiring(&self, now: DateTime<Utc>) -> bool {
        TimeDelta::try_days(self.chat_retention_days).is_some_and(|kept| now - self.minutes_from >= kept)
    }
}

/// Reads a session; `None` when there is none.
pub(super) async fn read(
    postgres: &mut AsyncPgConnection,
    session_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Head>> {
    const SESSION: &str = "
        SELECT session.account_id, session.session_type, session.platforms, session.title, session.category,
            session.started_at, session.ended_at, session.last_off_at, session.minutes_from,
            session.minutes_to,
            coalesce(settings.store_chat, true) AS stores_chat,
            coalesce(settings.store_user_profiles, true) AS stores_users,
            coalesce(own.chat_retention_days, plan.chat_retention_days) AS chat_retention_days
        FROM stream_sessions AS session
        JOIN accounts AS account ON account.id = session.account_id
        JOIN plans AS plan ON plan.id = account.plan_id
        LEFT JOIN account_limits AS own ON own.account_id = session.account_id
        LEFT JOIN account_settings AS settings ON settings.account_id = session.account_id
        WHERE session.id = $1";
    let found = sql_query(SESSION)
        .bind::<SqlUuid, _>(session_id)
        .prepared()
        .get_result::<Session>(postgres)
        .await
        .optional()?;
    let Some(session) = found else { return Ok(None) };
    let broadcasts = broadcasts(postgres, session.account_id, session_id).await?;
    let changes = changes(postgres, session.account_id, session_id).await?;
    let clips = clips(postgres, session.account_id, session.window(now)).await?;
    Ok(Some(Head { session, broadcasts, changes, clips }))
}

async fn broadcasts(
    postgres: &mut AsyncPgConnection,
    account: Uuid,
    session_id: Uuid,
) -> Result<Vec<Broadcast>> {
    Ok(sql_query(BROADCASTS)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(session_id)
        .bind::<BigInt, _>(MAX_BROADCASTS)
        .prepared()
        .load(postgres)
        .await?)
}

async fn changes(postgres: &mut AsyncPgConnection, account: Uuid, session_id: Uuid) -> Result<Vec<Change>> {
    Ok(sql_query(CHANGES)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(session_id)
        .bind::<BigInt, _>(MAX_CHANGES)
        .prepared()
        .load(postgres)
        .await?)
}

/// Clips that automations made, of runs that are still stored. Nothing else makes clips, and no platform
/// reports them.
async fn clips(postgres: &mut AsyncPgConnection, account: Uuid, window: Window) -> Result<Vec<ChartMarker>> {
    let found: Vec<Clip> = sql_query(CLIPS)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(first_id_of(window.from - MAX_RUN_AGE))
        .bind::<Timestamptz, _>(window.from)
        .bind::<Timestamptz, _>(window.to)
        .bind::<BigInt, _>(MAX_CLIPS)
        .prepared()
        .load(postgres)
        .await?;
    let marker = |clip: Clip| ChartMarker {
        at: clip.at.trunc_subsecs(3),
        kind: MarkerKind::Clip,
        label: clip.clip_id,
    };
    Ok(found.into_iter().map(marker).collect())
}

/// Smallest id that is made at a time: ids begin with their milliseconds.
fn first_id_of(at: DateTime<Utc>) -> Uuid {
    Uuid::from_u128(u128::from(at.timestamp_millis().max(0).unsigned_abs()) << 80)
}
