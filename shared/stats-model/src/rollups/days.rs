//! Days of channels from their samples.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Date, Nullable, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Error, Result};

use super::{
    marks::{self, Marks},
    parts::Parts,
    ranges,
};
use crate::{Source, channels::hidden_keys, samples};

/// Day of a channel with changed samples.
#[derive(Debug, QueryableByName)]
struct Mark {
    #[diesel(sql_type = Text)]
    place: String,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
    #[diesel(sql_type = Date)]
    day: NaiveDate,
}

/// Sums of a day. `source` is `None` when the day has no samples.
#[derive(QueryableByName)]
struct Day {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
    #[diesel(sql_type = Date)]
    day: NaiveDate,
    #[diesel(sql_type = Nullable<Text>)]
    source: Option<String>,
    #[diesel(sql_type = BigInt)]
    live_secs: i64,
    #[diesel(sql_type = BigInt)]
    viewer_secs: i64,
    #[diesel(sql_type = BigInt)]
    peak_viewers: i64,
    #[diesel(sql_type = BigInt)]
    message_count: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    follower_count: Option<i64>,
    #[diesel(sql_type = BigInt)]
    sample_count: i64,
    /// True when the crawler has samples of the day, also beside first-party ones.
    #[diesel(sql_type = Bool)]
    is_crawled: bool,
}

impl marks::Mark for Mark {
    fn place(&self) -> &str {
        &self.place
    }
}

impl Mark {
    fn channel(&self) -> Channel {
        (self.platform.clone(), self.platform_channel_id.clone())
    }
}

/// Channel by the name of its platform and its id there.
type Channel = (String, String);

/// Makes up to `limit` marked channel-days anew, the longest marked first. Returns their number. One that fails
/// by itself is set aside for ten minutes.
///
/// Days whose samples may have been dropped stay as they are. Samples of the crawler that a hidden channel
/// still has are deleted; the marks of the channel then stay until the next call. Neither connection may be in
/// a transaction.
///
/// # Errors
/// A failure of a database. Then the marks are left, or the marks of hidden channels alone.
pub async fn days(
    timeseries: &mut AsyncPgConnection,
    postgres: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<usize> {
    let (number, unclean) = pass(timeseries, postgres, now, limit).await?;
    // Without any lock, because a writer that holds the samples may wait for a mark.
    for (platform, id) in unclean {
        let deleted = samples::delete_of(timeseries, &platform, &id, Source::ExternalCrawler).await?;
        tracing::info!(deleted, "samples of a hidden channel deleted");
    }
    Ok(number)
}

/// Returns the number of marks, and the hidden channels that still have samples of the crawler.
async fn pass(
    timeseries: &mut AsyncPgConnection,
    postgres: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<(usize, BTreeSet<Channel>)> {
    timeseries
        .transaction(async |timeseries| {
            super::without_compilation(timeseries).await?;
            let marks: Vec<Mark> =
                sql_query(CLAIM).bind::<BigInt, _>(limit).prepared().load(timeseries).await?;
            let made = marks::with_samples(&marks, |mark| mark.day, now);
            let (unclean, failed) = make_parts(timeseries, postgres, &made).await?;
            let is_unclean = |mark: &&Mark| unclean.contains(&mark.channel());
            let staying: HashSet<&str> =
                marks.iter().filter(is_unclean).map(|mark| mark.place.as_str()).collect();
            MARKS.settle(timeseries, &marks, &failed, &staying).await?;
            Ok((marks.len(), unclean))
        })
        .await
}

/// Makes all days, in parts when they fail together. Returns the hidden channels that still have samples of the
/// crawler, and the marks that were not made.
async fn make_parts<'a>(
    timeseries: &mut AsyncPgConnection,
    postgres: &mut AsyncPgConnection,
    marks: &[&'a Mark],
) -> Result<(BTreeSet<Channel>, Vec<(&'a Mark, Error)>)> {
    let (mut parts, mut unclean) = (Parts::of(marks), BTreeSet::new());
    while let Some(part) = parts.next() {
        let made = timeseries
            .transaction(async |timeseries| {
                postgres.transaction(async |postgres| make(timeseries, postgres, part).await).await
            })
            .await;
        unclean.extend(parts.record(part, made, postgres).await?.into_iter().flatten());
    }
    Ok((unclean, parts.set_aside()))
}

/// Reads the samples only after the locks of the primary database: a copy that has lost its locks of the
/// other one, without having noticed, cannot then write older sums over newer ones. Returns the hidden
/// channels that still have samples of the crawler.
async fn make(
    timeseries: &mut AsyncPgConnection,
    postgres: &mut AsyncPgConnection,
    marks: &[&Mark],
) -> Result<BTreeSet<Channel>> {
    let mut channels: Vec<(&str, &str)> =
        marks.iter().map(|mark| (mark.platform.as_str(), mark.platform_channel_id.as_str())).collect();
    channels.sort_unstable();
    channels.dedup();
    ranges::mark(postgres, &channels).await?;
    let hidden: BTreeSet<Channel> = hidden_keys(postgres, &channels).await?.into_iter().collect();
    let marked = || marks.iter().map(|mark| mark.day);
    let days: Vec<Day> = sql_query(SUM)
        .bind::<Array<Text>, _>(column(marks, |mark| mark.platform.as_str()))
        .bind::<Array<Text>, _>(column(marks, |mark| mark.platform_channel_id.as_str()))
        .bind::<Array<Date>, _>(marked().collect::<Vec<_>>())
        .bind::<Date, _>(marked().min().unwrap_or_default())
        .bind::<Date, _>(marked().max().unwrap_or_default())
        .prepared()
        .load(timeseries)
        .await?;
    write(postgres, &days).await?;
    let crawled = days.into_iter().filter(|day| day.is_crawled);
    Ok(crawled.map(|day| (day.platform, day.platform_channel_id)).filter(|of| hidden.contains(of)).collect())
}

async fn write(connection: &mut AsyncPgConnection, days: &[Day]) -> Result<()> {
    sql_query(WRITE)
        .bind::<Array<Text>, _>(column(days, |day| day.platform.as_str()))
        .bind::<Array<Text>, _>(column(days, |day| day.platform_channel_id.as_str()))
        .bind::<Array<Date>, _>(column(days, |day| day.day))
        .bind::<Array<Nullable<Text>>, _>(column(days, |day| day.source.as_deref()))
        .bind::<Array<BigInt>, _>(column(days, |day| day.live_secs))
        .bind::<Array<BigInt>, _>(column(days, |day| day.viewer_secs))
        .bind::<Array<BigInt>, _>(column(days, |day| day.peak_viewers))
        .bind::<Array<BigInt>, _>(column(days, |day| day.message_count))
        .bind::<Array<Nullable<BigInt>>, _>(column(days, |day| day.follower_count))
        .bind::<Array<BigInt>, _>(column(days, |day| day.sample_count))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

const CLAIM: &str = "
    SELECT ctid::text AS place, platform, platform_channel_id, day FROM channel_marks WHERE marked_at <= now()
    ORDER BY marked_at LIMIT $1 FOR UPDATE SKIP LOCKED";

/// Each mark reads a range of the primary key; the first and the last day let the statement open the
/// partitions between them alone. `first_party` sorts after `external_crawler`: a day with a
/// first-party sample counts only these. A follower count may be from either source.
const SUM: &str = "
    SELECT mark.platform, mark.platform_channel_id, mark.day, sums.*
    FROM unnest($1, $2, $3) AS mark (platform, platform_channel_id, day)
    CROSS JOIN LATERAL (
        SELECT max(source) AS source,
            coalesce(sum(weight_secs) FILTER (WHERE is_counted AND viewer_count IS NOT NULL), 0)::bigint AS live_secs,
            coalesce(sum(viewer_count * weight_secs) FILTER (WHERE is_counted), 0)::bigint AS viewer_secs,
            coalesce(max(viewer_count) FILTER (WHERE is_counted), 0) AS peak_viewers,
            coalesce(sum(message_count) FILTER (WHERE is_counted), 0)::bigint AS message_count,
            (array_agg(follower_count ORDER BY source DESC, at DESC)
                FILTER (WHERE follower_count IS NOT NULL))[1] AS follower_count,
            count(*) FILTER (WHERE is_counted) AS sample_count,
            coalesce(bool_or(source = 'external_crawler'), false) AS is_crawled
        FROM (
            SELECT sample.source, sample.at, sample.viewer_count, sample.weight_secs, sample.message_count,
                sample.follower_count, sample.source = max(sample.source) OVER () AS is_counted
            FROM channel_samples AS sample
            WHERE sample.platform = mark.platform AND sample.platform_channel_id = mark.platform_channel_id
                AND sample.at >= mark.day::timestamp AT TIME ZONE 'UTC'
                AND sample.at < (mark.day + 1)::timestamp AT TIME ZONE 'UTC'
                AND sample.at >= $4::date::timestamp AT TIME ZONE 'UTC'
                AND sample.at < ($5::date + 1)::timestamp AT TIME ZONE 'UTC'
        ) AS sample
    ) AS sums";

const WRITE: &str = "
    WITH given AS MATERIALIZED (
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            AS given (platform, platform_channel_id, day, source, live_secs, viewer_secs, peak_viewers, message_count,
                follower_count, sample_count)
    ), kept AS MATERIALIZED (
        SELECT * FROM given
        WHERE source = 'first_party' OR (source = 'external_crawler' AND NOT EXISTS (
            SELECT 1 FROM public_channels AS channel
            WHERE channel.platform = given.platform AND channel.platform_channel_id = given.platform_channel_id
                AND channel.is_hidden))
    ), gone AS (
        DELETE FROM public_channel_days AS known USING given
        WHERE known.platform = given.platform AND known.platform_channel_id = given.platform_channel_id
            AND known.day = given.day AND NOT EXISTS (
                SELECT 1 FROM kept WHERE kept.platform = given.platform
                    AND kept.platform_channel_id = given.platform_channel_id AND kept.day = given.day)
    )
    INSERT INTO public_channel_days AS known (platform, platform_channel_id, day, source, live_secs, viewer_secs,
        peak_viewers, message_count, follower_count, sample_count)
    SELECT * FROM kept ORDER BY platform, platform_channel_id, day
    ON CONFLICT (platform, platform_channel_id, day) DO UPDATE SET source = excluded.source,
        live_secs = excluded.live_secs, viewer_secs = excluded.viewer_secs, peak_viewers = excluded.peak_viewers,
        message_count = excluded.message_count, follower_count = excluded.follower_count,
        sample_count = excluded.sample_count
    WHERE (known.source, known.live_secs, known.viewer_secs, known.peak_viewers, known.message_count,
            known.follower_count, known.sample_count)
        IS DISTINCT FROM (excluded.source, excluded.live_secs, excluded.viewer_secs, excluded.peak_viewers,
            excluded.message_count, excluded.follower_count, excluded.sample_count)";

const MARKS: Marks = Marks {
    subject: "day of a channel",
    delete: "DELETE FROM channel_marks WHERE ctid = ANY ($1::tid[])",
    set_aside: "
        UPDATE channel_marks SET marked_at = now() + interval '10 minutes' WHERE ctid = ANY ($1::tid[])",
};
