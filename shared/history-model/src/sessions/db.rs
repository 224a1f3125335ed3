//! Stored sessions of one account.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use serde_json::Value;
use shared::Result;
use uuid::Uuid;

use super::{
    broadcast::{Broadcast, Span},
    session::{Floor, Session},
};

/// Broadcasts of an open session that are read, newest first; older ones of it are over and stay as they are.
const MAX_BROADCASTS: i64 = 10_000;

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    is_locked: bool,
}

#[derive(QueryableByName)]
struct SessionRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    title: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    category: Option<String>,
    #[diesel(sql_type = Array<Text>)]
    categories: Vec<String>,
    #[diesel(sql_type = Timestamptz)]
    started_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_off_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Timestamptz)]
    minutes_from: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    recount_from: Option<DateTime<Utc>>,
}

#[derive(QueryableByName)]
struct BroadcastRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
    #[diesel(sql_type = Text)]
    broadcast_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    title: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    category: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    started_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    ended_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    stated_start: Option<DateTime<Utc>>,
    #[diesel(sql_type = Jsonb)]
    spans: Value,
}

#[derive(QueryableByName)]
struct FloorRow {
    #[diesel(sql_type = Timestamptz)]
    ended_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    minutes_to: DateTime<Utc>,
}

/// Locks the history of an account until the end of the transaction; `false` while another process has it.
pub(super) async fn lock(postgres: &mut AsyncPgConnection, account: Uuid) -> Result<bool> {
    let sql = "SELECT pg_try_advisory_xact_lock(hashtextextended('history:' || $1::text, 0)) AS is_locked";
    let row: Locked = sql_query(sql).bind::<SqlUuid, _>(account).prepared().get_result(postgres).await?;
    Ok(row.is_locked)
}

/// End of the newest closed session of an account, also of a deleted one.
pub(super) async fn floor(postgres: &mut AsyncPgConnection, account: Uuid) -> Result<Option<Floor>> {
    let sql = "SELECT max(ended_at) AS ended_at, max(minutes_to) AS minutes_to FROM (
            (SELECT ended_at, coalesce(minutes_to, ended_at) AS minutes_to FROM stream_sessions
                WHERE account_id = $1 AND ended_at IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT 1)
            UNION ALL
            SELECT ended_at, minutes_to FROM stream_floors WHERE account_id = $1
        ) ends HAVING count(*) > 0";
    let row: Option<FloorRow> =
        sql_query(sql).bind::<SqlUuid, _>(account).prepared().get_result(postgres).await.optional()?;
    Ok(row.map(|row| Floor { ended_at: row.ended_at, minutes_to: row.minutes_to }))
}

/// Open session of an account.
pub(super) async fn open(postgres: &mut AsyncPgConnection, account: Uuid) -> Result<Option<Session>> {
    let sql = "SELECT id, title, category, categories, started_at, last_off_at, minutes_from, recount_from
        FROM stream_sessions WHERE account_id = $1 AND ended_at IS NULL FOR UPDATE";
    let row: Option<SessionRow> =
        sql_query(sql).bind::<SqlUuid, _>(account).prepared().get_result(postgres).await.optional()?;
    let Some(row) = row else { return Ok(None) };
    let broadcasts = broadcasts(postgres, account, row.id).await?;
    Ok(Some(Session {
        id: row.id,
        title: row.title,
        category: row.category,
        categories: row.categories.into_iter().collect(),
        started_at: row.started_at,
        ended_at: None,
        last_off_at: row.last_off_at,
        minutes_from: row.minutes_from,
        minutes_to: None,
        recount_from: row.recount_from,
        broadcasts,
        changes: Vec::new(),
    }))
}

async fn broadcasts(
    postgres: &mut AsyncPgConnection,
    account: Uuid,
    session: Uuid,
) -> Result<Vec<Broadcast>> {
    let sql = "SELECT id, platform, platform_channel_id, broadcast_id, title, category, started_at, ended_at,
            stated_start, spans
        FROM stream_broadcasts WHERE account_id = $1 AND session_id = $2
        ORDER BY ended_at IS NULL DESC, started_at DESC, id DESC LIMIT $3";
    let rows: Vec<BroadcastRow> = sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(session)
        .bind::<BigInt, _>(MAX_BROADCASTS)
        .prepared()
        .load(postgres)
        .await?;
    let mut broadcasts = rows.into_iter().map(BroadcastRow::broadcast).collect::<Result<Vec<_>>>()?;
    broadcasts.sort_by_key(|broadcast| (broadcast.started_at, broadcast.id));
    Ok(broadcasts)
}

impl BroadcastRow {
    fn broadcast(self) -> Result<Broadcast> {
        Ok(Broadcast {
            id: self.id,
            platform: self.platform,
            platform_channel_id: self.platform_channel_id,
            broadcast_id: self.broadcast_id,
            title: self.title,
            category: self.category,
            started_at: self.started_at,
            ended_at: self.ended_at,
            stated_start: self.stated_start,
            spans: serde_json::from_value::<Vec<Span>>(self.spans)?,
        })
    }
}

const SAVE_SESSION: &str = "
    INSERT INTO stream_sessions AS known (id, account_id, session_type, platforms, title, category, categories,
        started_at, ended_at, last_off_at, minutes_from, minutes_to, recount_from, duration_secs, report_due_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (id) DO UPDATE SET session_type = excluded.session_type, platforms = excluded.platforms,
        title = excluded.title, category = excluded.category, categories = excluded.categories,
        started_at = excluded.started_at, ended_at = excluded.ended_at, last_off_at = excluded.last_off_at,
        minutes_from = excluded.minutes_from, minutes_to = excluded.minutes_to, recount_from = excluded.recount_from,
        duration_secs = excluded.duration_secs, report_due_at = excluded.report_due_at";

const SAVE_BROADCASTS: &str = "
    INSERT INTO stream_broadcasts AS known (id, account_id, session_id, platform, platform_channel_id, broadcast_id,
        title, category, started_at, ended_at, stated_start, spans)
    SELECT given.id, $2, $3, given.platform, given.platform_channel_id, given.broadcast_id, given.title, given.category,
        given.started_at, given.ended_at, given.stated_start, given.spans
    FROM unnest($1, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS given (id, platform, platform_channel_id, broadcast_id,
        title, category, started_at, ended_at, stated_start, spans)
    ON CONFLICT (id) DO UPDATE SET title = excluded.title, category = excluded.category,
        started_at = excluded.started_at, ended_at = excluded.ended_at, stated_start = excluded.stated_start,
        spans = excluded.spans
    WHERE (known.title, known.category, known.started_at, known.ended_at, known.stated_start, known.spans)
        IS DISTINCT FROM (excluded.title, excluded.category, excluded.started_at, excluded.ended_at,
            excluded.stated_start, excluded.spans)";

const SAVE_CHANGES: &str = "
    INSERT INTO stream_changes (account_id, session_id, platform, kind, value, is_first, at)
    SELECT $1, $2, given.platform, given.kind, given.value, given.is_first, given.at
    FROM unnest($3, $4, $5, $6, $7) AS given (platform, kind, value, is_first, at)";

/// Stores a session with its broadcasts and new changes. The report of a session that has ended is due.
pub(super) async fn save(
    postgres: &mut AsyncPgConnection,
    account: Uuid,
    session: &Session,
    now: DateTime<Utc>,
) -> Result<()> {
    let kind = if session.is_multi() { "multi" } else { "single" };
    let categories: Vec<&str> = session.categories.iter().map(String::as_str).collect();
    sql_query(SAVE_SESSION)
        .bind::<SqlUuid, _>(session.id)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(kind)
        .bind::<Array<Text>, _>(session.platforms())
        .bind::<Nullable<Text>, _>(session.title.as_deref())
        .bind::<Nullable<Text>, _>(session.category.as_deref())
        .bind::<Array<Text>, _>(categories)
        .bind::<Timestamptz, _>(session.started_at)
        .bind::<Nullable<Timestamptz>, _>(session.ended_at)
        .bind::<Nullable<Timestamptz>, _>(session.last_off_at)
        .bind::<Timestamptz, _>(session.minutes_from)
        .bind::<Nullable<Timestamptz>, _>(session.minutes_to)
        .bind::<Nullable<Timestamptz>, _>(session.recount_from)
        .bind::<Nullable<BigInt>, _>(session.duration_secs())
        .bind::<Nullable<Timestamptz>, _>(session.ended_at.map(|_| now))
        .prepared()
        .execute(postgres)
        .await?;
    save_broadcasts(postgres, account, session).await?;
    save_changes(postgres, account, session).await
}

async fn save_broadcasts(postgres: &mut AsyncPgConnection, account: Uuid, session: &Session) -> Result<()> {
    let rows = &session.broadcasts;
    let spans = rows.iter().map(|row| serde_json::to_value(&row.spans)).collect::<Result<Vec<_>, _>>()?;
    sql_query(SAVE_BROADCASTS)
        .bind::<Array<SqlUuid>, _>(column(rows, |row| row.id))
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(session.id)
        .bind::<Array<Text>, _>(column(rows, |row| row.platform.as_str()))
        .bind::<Array<Text>, _>(column(rows, |row| row.platform_channel_id.as_str()))
        .bind::<Array<Text>, _>(column(rows, |row| row.broadcast_id.as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.title.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.category.as_deref()))
        .bind::<Array<Timestamptz>, _>(column(rows, |row| row.started_at))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(rows, |row| row.ended_at))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(rows, |row| row.stated_start))
        .bind::<Array<Jsonb>, _>(spans)
        .prepared()
        .execute(postgres)
        .await?;
    Ok(())
}

async fn save_changes(postgres: &mut AsyncPgConnection, account: Uuid, session: &Session) -> Result<()> {
    let rows = &session.changes;
    if rows.is_empty() {
        return Ok(());
    }
    sql_query(SAVE_CHANGES)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(session.id)
        .bind::<Array<Text>, _>(column(rows, |row| row.platform.as_str()))
        .bind::<Array<Text>, _>(column(rows, |row| row.kind))
        .bind::<Array<Text>, _>(column(rows, |row| row.value.as_str()))
        .bind::<Array<Bool>, _>(column(rows, |row| row.is_first))
        .bind::<Array<Timestamptz>, _>(column(rows, |row| row.at))
        .prepared()
        .execute(postgres)
        .await?;
    Ok(())
}
