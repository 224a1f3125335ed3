//! Samples of sessions: viewers and counts by minute and platform (reference/history.md#samples).

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, Reader, column};
use shared::Result;
use uuid::Uuid;

use crate::{minutes::Counted, report::Sample};

/// Maximum age of a number of viewers that is a sample.
pub const MAX_VIEWERS_AGE: TimeDelta = TimeDelta::minutes(3);

/// Viewers of a platform of an account in a minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewers {
    /// Account.
    pub account_id: Uuid,
    /// Platform.
    pub platform: String,
    /// Viewers of all its broadcasts.
    pub viewers: i64,
}

/// Broadcast of an open session with its status.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct OnAir {
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Broadcast.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Channel on the platform.
    #[diesel(sql_type = Text)]
    pub platform_channel_id: String,
    /// Id of the broadcast, of the platform or ours.
    #[diesel(sql_type = Text)]
    pub broadcast_id: String,
    /// Title.
    #[diesel(sql_type = Nullable<Text>)]
    pub title: Option<String>,
    /// Category.
    #[diesel(sql_type = Nullable<Text>)]
    pub category: Option<String>,
    /// Start.
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
    /// Viewers; `None` when the platform reported none lately.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub viewers: Option<i64>,
    /// Name of the channel in addresses.
    #[diesel(sql_type = Text)]
    pub channel_name: String,
    /// Displayed name of the channel.
    #[diesel(sql_type = Text)]
    pub display_name: String,
    /// Picture of the channel.
    #[diesel(sql_type = Nullable<Text>)]
    pub avatar_url: Option<String>,
}

/// Channel and category of a sample.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct SampledChannel {
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Begin of the minute.
    #[diesel(sql_type = Timestamptz)]
    pub at: DateTime<Utc>,
    /// Channel on the platform.
    #[diesel(sql_type = Text)]
    pub platform_channel_id: String,
    /// Category at that time.
    #[diesel(sql_type = Nullable<Text>)]
    pub category: Option<String>,
    /// Id of the category on the platform, where the directory of games has it.
    #[diesel(sql_type = Nullable<Text>)]
    pub game_id: Option<String>,
}

#[derive(QueryableByName)]
struct Account {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    viewer_count: Option<i64>,
    #[diesel(sql_type = BigInt)]
    message_count: i64,
    #[diesel(sql_type = BigInt)]
    unique_chatters: i64,
    #[diesel(sql_type = BigInt)]
    follower_delta: i64,
}

pub(crate) const SAMPLES: &str = "
    SELECT at, platform, viewer_count, message_count, unique_chatters, follower_delta FROM stream_samples
    WHERE account_id = $1 AND at >= $2 AND at < $3 AND ($4 IS NULL OR platform = $4)
        AND ($5 IS NULL OR (at, platform) > ($5, $6))
    ORDER BY at, platform LIMIT $7";

const OPEN_ACCOUNTS: &str = "
    SELECT account_id FROM stream_sessions WHERE ended_at IS NULL AND account_id > $1 ORDER BY account_id LIMIT $2";

/// A number of viewers that is too old is none, and so is one of a time that is yet to come.
const ON_AIR: &str = "
    SELECT broadcast.account_id, broadcast.id, broadcast.platform, broadcast.platform_channel_id, broadcast.broadcast_id,
        broadcast.title, broadcast.category, broadcast.started_at,
        CASE WHEN status.updated_at > $2 AND status.updated_at <= $3 THEN status.viewer_count END AS viewers,
        connection.channel_name, connection.display_name, connection.avatar_url
    FROM stream_broadcasts broadcast
    JOIN channel_statuses status ON status.account_id = broadcast.account_id AND status.platform = broadcast.platform
        AND coalesce(status.broadcast_id, broadcast.id::text) = broadcast.broadcast_id
    JOIN channel_connections connection
        ON connection.account_id = broadcast.account_id AND connection.platform = broadcast.platform
        AND connection.platform_channel_id = broadcast.platform_channel_id
    WHERE broadcast.account_id = ANY ($1) AND broadcast.ended_at IS NULL AND status.is_online
    ORDER BY broadcast.account_id, broadcast.platform, broadcast.broadcast_id";

/// The first sample of a minute stays: a clock that goes back changes nothing. The minutes are marked: whoever dies
/// after this has left nothing undone that the count of a minute does.
const WRITE: &str = "
    WITH written AS (
        INSERT INTO stream_samples AS known (account_id, at, platform, viewer_count, message_count, unique_chatters,
            follower_delta)
        SELECT given.account_id, $4, given.platform, given.viewers, 0, 0, 0
        FROM unnest($1, $2, $3) AS given (account_id, platform, viewers)
        ORDER BY given.account_id, given.platform
        ON CONFLICT (account_id, at, platform) DO UPDATE
            SET viewer_count = coalesce(known.viewer_count, excluded.viewer_count)
        RETURNING account_id, platform, at, viewer_count, message_count
    ), marked AS (
        INSERT INTO stream_minute_marks (account_id, platform, minute) SELECT account_id, platform, at FROM written
    )
    SELECT account_id, platform, at, viewer_count, message_count FROM written";

/// Each minute counts once for a broadcast.
const COUNT_VIEWERS: &str = "
    UPDATE stream_broadcasts known SET peak_viewers = greatest(known.peak_viewers, given.viewers),
        viewer_sum = known.viewer_sum + given.viewers, viewer_minutes = known.viewer_minutes + 1,
        avg_viewers = round((known.viewer_sum + given.viewers)::numeric / (known.viewer_minutes + 1), 2)::double precision,
        sampled_at = $3
    FROM unnest($1, $2) AS given (id, viewers)
    WHERE known.id = given.id AND (known.sampled_at IS NULL OR known.sampled_at < $3)";

const CHANNELS: &str = "
    SELECT wanted.account_id, wanted.platform, wanted.at, channel.platform_channel_id, game.category, game.game_id
    FROM unnest($1, $2, $3) AS wanted (account_id, platform, at)
    JOIN stream_sessions session ON session.account_id = wanted.account_id AND session.minutes_from <= wanted.at
        AND (session.minutes_to IS NULL OR session.minutes_to > wanted.at)
        AND session.started_at > wanted.at - interval '8 days' AND session.started_at < wanted.at + interval '1 minute'
    JOIN LATERAL (
        SELECT broadcast.platform_channel_id FROM stream_broadcasts broadcast
        WHERE broadcast.account_id = session.account_id AND broadcast.session_id = session.id
            AND broadcast.platform = wanted.platform AND broadcast.started_at < wanted.at + interval '1 minute'
        ORDER BY broadcast.started_at DESC, broadcast.id DESC LIMIT 1
    ) channel ON true
    LEFT JOIN LATERAL (
        SELECT change.value AS category, (
            SELECT max(known.game_id) FROM public_games known
            WHERE known.platform = wanted.platform AND lower(known.name) = lower(change.value)) AS game_id
        FROM stream_changes change
        WHERE change.account_id = session.account_id AND change.session_id = session.id
            AND change.platform = wanted.platform AND change.kind = 'category'
            AND change.at < wanted.at + interval '1 minute'
        ORDER BY change.at DESC, change.id DESC LIMIT 1
    ) game ON true";

/// Samples of an account from `from` (inclusive) to `to` (exclusive), by time and platform; at most `limit` after
/// the sample that `after` names.
///
/// # Errors
/// A failure of the database.
pub async fn samples(
    timeseries: &mut Reader<'_>,
    account: Uuid,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    platform: Option<&str>,
    after: Option<(DateTime<Utc>, String)>,
    limit: i64,
) -> Result<Vec<Sample>> {
    let (after_at, after_platform) = after.unzip();
    let query = sql_query(SAMPLES)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(after_at.map_or(from, |at| at.max(from)))
        .bind::<Timestamptz, _>(to)
        .bind::<Nullable<Text>, _>(platform)
        .bind::<Nullable<Timestamptz>, _>(after_at)
        .bind::<Nullable<Text>, _>(after_platform)
        .bind::<BigInt, _>(limit)
        .prepared();
    let rows: Vec<Row> = timeseries.rows(query).await?;
    Ok(rows.into_iter().map(Row::sample).collect())
}

impl Row {
    fn sample(self) -> Sample {
        Sample {
            at: self.at,
            platform: self.platform,
            viewer_count: self.viewer_count,
            message_count: self.message_count,
            unique_chatters: self.unique_chatters,
            follower_delta: self.follower_delta,
        }
    }
}

/// Accounts with an open session after `after`, at most `limit`.
///
/// # Errors
/// A failure of the database.
pub async fn open_accounts(postgres: &mut AsyncPgConnection, after: Uuid, limit: i64) -> Result<Vec<Uuid>> {
    let rows: Vec<Account> = sql_query(OPEN_ACCOUNTS)
        .bind::<SqlUuid, _>(after)
        .bind::<BigInt, _>(limit)
        .prepared()
        .load(postgres)
        .await?;
    Ok(rows.into_iter().map(|row| row.account_id).collect())
}

/// Broadcasts that are on air in the open sessions of accounts, with their viewers at `now`.
///
/// # Errors
/// A failure of the database.
pub async fn on_air(
    postgres: &mut AsyncPgConnection,
    accounts: &[Uuid],
    now: DateTime<Utc>,
) -> Result<Vec<OnAir>> {
    Ok(sql_query(ON_AIR)
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Timestamptz, _>(now - MAX_VIEWERS_AGE)
        .bind::<Timestamptz, _>(now + MAX_VIEWERS_AGE)
        .prepared()
        .load(postgres)
        .await?)
}

/// Writes the viewers of a minute, and returns its samples. Viewers that are stored already are kept.
///
/// # Errors
/// A failure of the database.
pub async fn write_viewers(
    timeseries: &mut AsyncPgConnection,
    minute: DateTime<Utc>,
    viewers: &[Viewers],
) -> Result<Vec<Counted>> {
    if viewers.is_empty() {
        return Ok(Vec::new());
    }
    Ok(sql_query(WRITE)
        .bind::<Array<SqlUuid>, _>(column(viewers, |one| one.account_id))
        .bind::<Array<Text>, _>(column(viewers, |one| one.platform.as_str()))
        .bind::<Array<BigInt>, _>(column(viewers, |one| one.viewers))
        .bind::<Timestamptz, _>(minute)
        .prepared()
        .load(timeseries)
        .await?)
}

/// Adds the viewers of a minute to the figures of their broadcasts. A minute that is not newer than the last one
/// of a broadcast is skipped.
///
/// # Errors
/// A failure of the database.
pub async fn count_viewers(
    postgres: &mut AsyncPgConnection,
    minute: DateTime<Utc>,
    viewers: &[(Uuid, i64)],
) -> Result<usize> {
    if viewers.is_empty() {
        return Ok(0);
    }
    Ok(sql_query(COUNT_VIEWERS)
        .bind::<Array<SqlUuid>, _>(column(viewers, |(broadcast, _)| *broadcast))
        .bind::<Array<BigInt>, _>(column(viewers, |(_, viewers)| *viewers))
        .bind::<Timestamptz, _>(minute)
        .prepared()
        .execute(postgres)
        .await?)
}

/// Channels and categories of samples.
///
/// # Errors
/// A failure of the database.
pub async fn channels(postgres: &mut AsyncPgConnection, samples: &[Counted]) -> Result<Vec<SampledChannel>> {
    if samples.is_empty() {
        return Ok(Vec::new());
    }
    Ok(sql_query(CHANNELS)
        .bind::<Array<SqlUuid>, _>(column(samples, |sample| sample.account_id))
        .bind::<Array<Text>, _>(column(samples, |sample| sample.platform.as_str()))
        .bind::<Array<Timestamptz>, _>(column(samples, |sample| sample.at))
        .prepared()
        .load(postgres)
        .await?)
}
