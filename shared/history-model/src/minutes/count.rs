//! Marked minutes, and the samples that are counted from them.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::Result;
use uuid::Uuid;

/// Minute of one platform of an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, QueryableByName)]
pub struct Minute {
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Platform; empty for events without one.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Begin of the minute.
    #[diesel(sql_type = Timestamptz)]
    pub minute: DateTime<Utc>,
}

/// Result of taking marks.
#[derive(Debug, Default)]
pub struct Taken {
    /// Number of marks; several may be of one minute.
    pub marks: i64,
    /// Their minutes, each once.
    pub minutes: Vec<Minute>,
}

/// Sample as it is after a count.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct Counted {
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Begin of the minute.
    #[diesel(sql_type = Timestamptz)]
    pub at: DateTime<Utc>,
    /// Viewers, where they were seen.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub viewer_count: Option<i64>,
    /// Lines of the minute.
    #[diesel(sql_type = BigInt)]
    pub message_count: i64,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(embed)]
    minute: Minute,
    #[diesel(sql_type = BigInt)]
    marks: i64,
}

/// Marks whose rows another process is counting are left to it.
const TAKE: &str = "
    WITH taken AS (
        DELETE FROM stream_minute_marks WHERE id = ANY (ARRAY(
            SELECT id FROM stream_minute_marks ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
        RETURNING account_id, platform, minute
    )
    SELECT account_id, platform, minute, count(*) AS marks FROM taken
    GROUP BY account_id, platform, minute ORDER BY account_id, minute, platform";

const POSTPONE: &str = "
    WITH taken AS (
        DELETE FROM stream_minute_marks WHERE id = (
            SELECT id FROM stream_minute_marks ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING account_id, platform, minute
    )
    INSERT INTO stream_minute_marks (account_id, platform, minute) SELECT account_id, platform, minute FROM taken
    RETURNING account_id, platform, minute";

/// Two processes may count a minute at the same time, and the one that saw fewer lines may write last. Lines only
/// become more, so the larger count is the newer one.
const COUNT: &str = "
    INSERT INTO stream_samples AS known (account_id, at, platform, message_count, unique_chatters, follower_delta)
    SELECT wanted.account_id, wanted.minute, wanted.platform, lines.messages, lines.chatters, follows.followers
    FROM unnest($1, $2, $3) AS wanted (account_id, platform, minute)
    CROSS JOIN LATERAL (
        SELECT count(*) AS messages, count(DISTINCT line.chatter) AS chatters FROM stream_lines line
        WHERE line.account_id = wanted.account_id AND line.minute = wanted.minute AND line.platform = wanted.platform
    ) lines
    CROSS JOIN LATERAL (
        SELECT count(*) AS followers FROM events event
        WHERE event.account_id = wanted.account_id AND event.event_type = CASE wanted.platform
                WHEN 'youtube' THEN 'youtube:subscriber' ELSE wanted.platform || ':follower' END
            AND event.occurred_at >= wanted.minute AND event.occurred_at < wanted.minute + interval '1 minute'
            AND NOT event.is_test
    ) follows
    WHERE wanted.platform <> '' AND (lines.messages > 0 OR follows.followers > 0 OR EXISTS (
        SELECT FROM stream_samples sampled WHERE sampled.account_id = wanted.account_id
            AND sampled.at = wanted.minute AND sampled.platform = wanted.platform))
    ORDER BY wanted.account_id, wanted.minute, wanted.platform
    ON CONFLICT (account_id, at, platform) DO UPDATE SET
        message_count = greatest(known.message_count, excluded.message_count),
        unique_chatters = greatest(known.unique_chatters, excluded.unique_chatters),
        follower_delta = greatest(known.follower_delta, excluded.follower_delta)
    RETURNING account_id, platform, at, viewer_count, message_count";

/// Only what samples contain is counted again.
const MARK_AGAIN: &str = "
    INSERT INTO stream_minute_marks (account_id, platform, minute)
    SELECT $1, platform, minute FROM (
        SELECT platform, minute FROM stream_lines
        WHERE account_id = $1 AND minute >= $2 AND ($3 IS NULL OR minute < $3)
        UNION
        SELECT platform, date_trunc('minute', occurred_at) FROM events
        WHERE account_id = $1 AND occurred_at >= $2 AND ($3 IS NULL OR occurred_at < $3)
            AND event_type IN (platform || ':follower', 'youtube:subscriber') AND NOT is_test
    ) minutes";

/// Takes the oldest marks, at most `limit`. They are gone when the transaction commits, so that a process that
/// dies before leaves them.
///
/// # Errors
/// A failure of the database.
pub async fn take_marks(timeseries: &mut AsyncPgConnection, limit: i64) -> Result<Taken> {
    let rows: Vec<Row> = sql_query(TAKE).bind::<BigInt, _>(limit).prepared().load(timeseries).await?;
    let marks = rows.iter().map(|row| row.marks).sum();
    Ok(Taken { marks, minutes: rows.into_iter().map(|row| row.minute).collect() })
}

/// Puts the oldest mark behind all others, and returns its minute.
///
/// # Errors
/// A failure of the database.
pub async fn postpone_mark(timeseries: &mut AsyncPgConnection) -> Result<Option<Minute>> {
    Ok(sql_query(POSTPONE).prepared().get_result(timeseries).await.optional()?)
}

/// Counts the lines, chatters and followers of minutes into their samples, with one statement. A minute may be
/// counted any number of times. Returns the samples; minutes without lines, followers and viewers get none.
///
/// # Errors
/// A failure of the database.
pub async fn count(timeseries: &mut AsyncPgConnection, minutes: &[&Minute]) -> Result<Vec<Counted>> {
    if minutes.is_empty() {
        return Ok(Vec::new());
    }
    Ok(sql_query(COUNT)
        .bind::<Array<SqlUuid>, _>(column(minutes, |minute| minute.account_id))
        .bind::<Array<Text>, _>(column(minutes, |minute| minute.platform.as_str()))
        .bind::<Array<Timestamptz>, _>(column(minutes, |minute| minute.minute))
        .prepared()
        .load(timeseries)
        .await?)
}

/// Marks the minutes of an account that have lines or followers, from `from` (inclusive) to `to` (exclusive): for
/// a session that began before it was known.
///
/// # Errors
/// A failure of the database.
pub async fn mark_again(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    from: DateTime<Utc>,
    to: Option<DateTime<Utc>>,
) -> Result<usize> {
    Ok(sql_query(MARK_AGAIN)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(from)
        .bind::<Nullable<Timestamptz>, _>(to)
        .execute(timeseries)
        .await?)
}
