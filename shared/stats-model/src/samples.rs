//! Samples of channels (reference/public-stats.md#samples).

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Integer, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Result, platform::Platform};

use crate::{
    Source,
    counts::counted,
    text::{storable_id, storable_name},
};

/// Retention of samples (reference/public-stats.md#retention).
pub const RETENTION: TimeDelta = TimeDelta::days(90);
/// Maximum age of a sample that is still written: its partition exists for the whole day.
pub const MAX_AGE: TimeDelta = TimeDelta::days(89);
/// Maximum weight of a sample in seconds, which is also the maximum interval of the crawler.
pub const MAX_WEIGHT_SECS: i32 = 3_600;
/// Number of samples of one statement.
const BATCH_SIZE: usize = 2_000;
/// Maximum number of days of one channel that are deleted, more than there are.
const MAX_DELETED_DAYS: usize = 200;

/// State of a channel that stands for `weight_secs` from `at` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSample {
    /// Platform of the channel.
    pub platform: Platform,
    /// Id of the channel on its platform.
    pub platform_channel_id: String,
    /// Start of the time for which the sample stands: the minute of a first-party one, the visit of the
    /// crawler.
    pub at: DateTime<Utc>,
    /// Origin of the sample.
    pub source: Source,
    /// Viewers; `None` when the channel was not live or its viewers are unknown. Then no live time counts.
    pub viewer_count: Option<i64>,
    /// Number of chat lines, 0 where they are unknown.
    pub message_count: i64,
    /// Id of the game on the platform.
    pub game_id: Option<String>,
    /// Name of the game.
    pub game_name: Option<String>,
    /// Time for which the sample stands, in seconds: 60 for a first-party one, the interval of the crawler
    /// else. Values outside of 1 to [`MAX_WEIGHT_SECS`] are clamped.
    pub weight_secs: i32,
    /// Number of followers.
    pub follower_count: Option<i64>,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct First {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    at: Option<DateTime<Utc>>,
}

/// Writes samples, and marks the channel-days and slots that they change, in one statement. A sample of the
/// same channel, time and source is replaced. Of several in `samples` the last one counts. Samples older than
/// [`MAX_AGE`], or of the day after tomorrow, are skipped. Counts are clamped, ids and names cut.
///
/// The connection must not be in a transaction, and the caller must hold none in the primary database: the
/// statement may wait for a roll-up.
///
/// # Errors
/// A failure of the database.
pub async fn write(connection: &mut AsyncPgConnection, samples: &[ChannelSample]) -> Result<()> {
    for batch in samples.chunks(BATCH_SIZE) {
        ensure_partitions(connection, batch).await?;
        sql_query(WRITE)
            .bind::<Array<Text>, _>(column(batch, |sample| sample.platform.slug()))
            .bind::<Array<Text>, _>(column(batch, |sample| storable_id(&sample.platform_channel_id)))
            .bind::<Array<Timestamptz>, _>(column(batch, |sample| sample.at))
            .bind::<Array<Text>, _>(column(batch, |sample| sample.source.as_str()))
            .bind::<Array<Nullable<BigInt>>, _>(column(batch, |sample| sample.viewer_count.map(counted)))
            .bind::<Array<BigInt>, _>(column(batch, |sample| counted(sample.message_count)))
            .bind::<Array<Nullable<Text>>, _>(column(batch, |sample| {
                sample.game_id.as_deref().map(storable_id)
            }))
            .bind::<Array<Nullable<Text>>, _>(column(batch, |sample| {
                sample.game_name.as_deref().map(storable_name)
            }))
            .bind::<Array<Integer>, _>(column(batch, |sample| sample.weight_secs.clamp(1, MAX_WEIGHT_SECS)))
            .bind::<Array<Nullable<BigInt>>, _>(column(batch, |sample| sample.follower_count.map(counted)))
            .prepared()
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Makes the partitions of late samples. Those of the present day are made ahead
/// (reference/storage.md#rows-over-time).
async fn ensure_partitions(connection: &mut AsyncPgConnection, samples: &[ChannelSample]) -> Result<()> {
    sql_query(ENSURE)
        .bind::<Array<Timestamptz>, _>(column(samples, |sample| sample.at))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes all samples of a channel from one source, a day in a statement, and marks what that changes.
/// Returns their number. Neither this connection nor one of the caller to the primary database may be in a
/// transaction.
///
/// # Errors
/// A failure of the database. Then days may be left; a repeated call deletes them.
pub async fn delete_channel(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
    source: Source,
) -> Result<usize> {
    delete_of(connection, platform.slug(), platform_channel_id, source).await
}

/// [`delete_channel`] by the name of the platform.
pub(crate) async fn delete_of(
    connection: &mut AsyncPgConnection,
    platform: &str,
    platform_channel_id: &str,
    source: Source,
) -> Result<usize> {
    let mut deleted = 0;
    for _ in 0..MAX_DELETED_DAYS {
        let first: First = sql_query(FIRST)
            .bind::<Text, _>(platform)
            .bind::<Text, _>(platform_channel_id)
            .bind::<Text, _>(source.as_str())
            .get_result(connection)
            .await?;
        let Some(at) = first.at else { break };
        let gone: Count = sql_query(DELETE_DAY)
            .bind::<Text, _>(platform)
            .bind::<Text, _>(platform_channel_id)
            .bind::<Text, _>(source.as_str())
            .bind::<Timestamptz, _>(at)
            .get_result(connection)
            .await?;
        deleted += usize::try_from(gone.count).unwrap_or_default();
    }
    Ok(deleted)
}

const ENSURE: &str = "
    SELECT timeseries_ensure('channel_samples', min(at), now())
    FROM unnest($1) AS at WHERE at >= now() - interval '89 days' HAVING min(at) < now() - interval '1 day'";

/// A mark that exists is locked and not changed: a roll-up that holds it ends first, and the mark is then
/// inserted again (reference/public-stats.md#roll-ups). All rows are written in the order of their keys, so
/// that two writers never wait for each other.
const WRITE: &str = "
    WITH given AS MATERIALIZED (
        SELECT DISTINCT ON (platform, platform_channel_id, at, source) given.*
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) WITH ORDINALITY
            AS given (platform, platform_channel_id, at, source, viewer_count, message_count, game_id, game_name,
                weight_secs, follower_count, place)
        WHERE at >= now() - interval '89 days' AND at < now() + interval '2 days'
        ORDER BY platform, platform_channel_id, at, source, place DESC
    ), before AS MATERIALIZED (
        SELECT sample.platform, sample.platform_channel_id, sample.at, sample.source, sample.game_id, sample.weight_secs
        FROM given JOIN channel_samples AS sample USING (platform, platform_channel_id, at, source)
    ), written AS (
        INSERT INTO channel_samples AS known (platform, platform_channel_id, at, source, viewer_count, message_count,
            game_id, game_name, weight_secs, follower_count)
        SELECT platform, platform_channel_id, at, source, viewer_count, message_count, game_id, game_name, weight_secs,
            follower_count
        FROM given ORDER BY platform, platform_channel_id, at, source
        ON CONFLICT (platform, platform_channel_id, at, source) DO UPDATE SET
            viewer_count = excluded.viewer_count, message_count = excluded.message_count, game_id = excluded.game_id,
            game_name = excluded.game_name, weight_secs = excluded.weight_secs, follower_count = excluded.follower_count
        WHERE (known.viewer_count, known.message_count, known.game_id, known.game_name, known.weight_secs,
                known.follower_count)
            IS DISTINCT FROM (excluded.viewer_count, excluded.message_count, excluded.game_id, excluded.game_name,
                excluded.weight_secs, excluded.follower_count)
        RETURNING platform, platform_channel_id, at, source, game_id, weight_secs
    ), changed AS MATERIALIZED (
        SELECT platform, platform_channel_id, at, game_id, weight_secs FROM written
        UNION ALL
        SELECT before.platform, before.platform_channel_id, before.at, before.game_id, before.weight_secs
        FROM written JOIN before USING (platform, platform_channel_id, at, source)
    ), marked AS (
        INSERT INTO channel_marks AS known (platform, platform_channel_id, day)
        SELECT DISTINCT platform, platform_channel_id, (at AT TIME ZONE 'UTC')::date FROM changed ORDER BY 1, 2, 3
        ON CONFLICT (platform, platform_channel_id, day) DO UPDATE SET day = excluded.day WHERE false
    )
    INSERT INTO slot_marks AS known (platform, slot)
    SELECT DISTINCT platform, slot FROM changed CROSS JOIN LATERAL generate_series(
        date_bin(interval '5 minutes', at, timestamptz '2000-01-01Z'),
        at + weight_secs * interval '1 second' - interval '1 microsecond', interval '5 minutes') AS slot
    WHERE game_id IS NOT NULL ORDER BY 1, 2
    ON CONFLICT (platform, slot) DO UPDATE SET slot = excluded.slot WHERE false";

const FIRST: &str = "
    SELECT min(at) AS at FROM channel_samples WHERE platform = $1 AND platform_channel_id = $2 AND source = $3";

const DELETE_DAY: &str = "
    WITH changed AS (
        DELETE FROM channel_samples
        WHERE platform = $1 AND platform_channel_id = $2 AND source = $3 AND at >= $4 AND at < $4 + interval '1 day'
        RETURNING platform, platform_channel_id, at, game_id, weight_secs
    ), marked AS (
        INSERT INTO channel_marks AS known (platform, platform_channel_id, day)
        SELECT DISTINCT platform, platform_channel_id, (at AT TIME ZONE 'UTC')::date FROM changed ORDER BY 1, 2, 3
        ON CONFLICT (platform, platform_channel_id, day) DO UPDATE SET day = excluded.day WHERE false
    ), marked_slots AS (
        INSERT INTO slot_marks AS known (platform, slot)
        SELECT DISTINCT platform, slot FROM changed CROSS JOIN LATERAL generate_series(
            date_bin(interval '5 minutes', at, timestamptz '2000-01-01Z'),
            at + weight_secs * interval '1 second' - interval '1 microsecond', interval '5 minutes') AS slot
        WHERE game_id IS NOT NULL ORDER BY 1, 2
        ON CONFLICT (platform, slot) DO UPDATE SET slot = excluded.slot WHERE false
    )
    SELECT count(*) AS count FROM changed";
