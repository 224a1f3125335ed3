//! Public statistics: channels of a platform that are crawled, samples of the accounts on air, and their sums.

use anyhow::Result;
use diesel::{QueryableByName, sql_query, sql_types};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use serde_json::json;
use stack::{Stack, sums::DAYS};

/// Daemons that crawl and sum up.
pub const DAEMONS: [&str; 2] = ["crawler", "public-stats"];

/// Channels of Kick that are live all the time.
const CHANNELS: i64 = 300;
/// The shortest interval, so that a short soak has several.
const SCOPE: &str = "
    UPDATE crawler_scope SET platforms = '{kick}', interval_secs = 60;
    UPDATE feature_flags SET globally_enabled = true WHERE key = 'system:crawler';";

/// Makes the channels and switches the crawler on.
///
/// # Errors
/// An error when the stand-in or the database does not reply.
pub async fn prepare(stack: &Stack, database: &str) -> Result<()> {
    let directory = format!("{}/_control/directory", stack.environment["STAND_IN"]);
    let channels = json!({ "platform": "kick", "channels": CHANNELS, "live": CHANNELS });
    stack.post(&directory, "", channels).await?;
    AsyncPgConnection::establish(database).await?.batch_execute(SCOPE).await?;
    Ok(())
}

/// Samples compared with their sums. A sample that the sums do not have yet is marked.
#[derive(Debug, Default, QueryableByName)]
pub struct Findings {
    /// Channels that the crawler has sampled.
    #[diesel(sql_type = sql_types::BigInt)]
    crawled: i64,
    /// Crawled streams with more visits than samples.
    #[diesel(sql_type = sql_types::BigInt)]
    doubled: i64,
    /// Samples of accounts with viewers.
    #[diesel(sql_type = sql_types::BigInt)]
    own: i64,
    /// Those without the equal public sample, and public ones without them, but for minutes that wait to be counted.
    #[diesel(sql_type = sql_types::BigInt)]
    unpublished: i64,
    /// Days of channels without a mark.
    #[diesel(sql_type = sql_types::BigInt)]
    days: i64,
    /// Those that differ from their samples.
    #[diesel(sql_type = sql_types::BigInt)]
    differing: i64,
}

/// One statement, so that all parts are of one moment.
const FINDINGS: &str = "
    SELECT crawled.crawled, crawled.doubled, published.own, published.unpublished, days.days, days.differing
    FROM (
        SELECT count(*) AS crawled, count(*) FILTER (WHERE stream.viewed_secs > sampled.secs) AS doubled
        FROM (
            SELECT platform, platform_channel_id, sum(weight_secs) AS secs FROM channel_samples
            WHERE source = 'external_crawler' AND viewer_count IS NOT NULL GROUP BY platform, platform_channel_id
        ) AS sampled
        LEFT JOIN public_streams AS stream USING (platform, platform_channel_id)
    ) AS crawled
    CROSS JOIN (
        SELECT count(own.at) AS own, count(*) FILTER (WHERE (own.viewer_count, own.message_count)
            IS DISTINCT FROM (public.viewer_count, public.message_count) AND own.is_marked IS NOT TRUE) AS unpublished
        FROM (
            SELECT connection.platform, connection.platform_channel_id, sample.at, sample.viewer_count,
                sample.message_count, EXISTS (SELECT FROM stream_minute_marks AS mark
                    WHERE mark.account_id = sample.account_id AND mark.platform = sample.platform
                        AND mark.minute = sample.at) AS is_marked
            FROM stream_samples AS sample
            JOIN channel_connections AS connection
                ON connection.account_id = sample.account_id AND connection.platform = sample.platform
            WHERE sample.viewer_count IS NOT NULL
        ) AS own
        FULL JOIN (
            SELECT platform, platform_channel_id, at, viewer_count, message_count FROM channel_samples
            WHERE source = 'first_party'
        ) AS public ON public.platform = own.platform AND public.platform_channel_id = own.platform_channel_id
            AND public.at = own.at
    ) AS published
    CROSS JOIN (
        SELECT count(*) AS days, count(*) FILTER (WHERE (made.source, made.live_secs, made.viewer_secs, made.peak_viewers,
                made.message_count, made.sample_count)
            IS DISTINCT FROM (plain.source, plain.live_secs, plain.viewer_secs, plain.peak_viewers, plain.message_count,
                plain.sample_count)) AS differing
        FROM ($DAYS) AS plain
        FULL JOIN public_channel_days AS made USING (platform, platform_channel_id, day)
        WHERE NOT EXISTS (SELECT FROM channel_marks AS mark
            WHERE mark.platform = coalesce(plain.platform, made.platform)
                AND mark.platform_channel_id = coalesce(plain.platform_channel_id, made.platform_channel_id)
                AND mark.day = coalesce(plain.day, made.day))
    ) AS days";

impl Findings {
    /// # Errors
    /// An error when the database does not reply.
    pub async fn read(database: &str) -> Result<Self> {
        let mut connection = AsyncPgConnection::establish(database).await?;
        Ok(sql_query(FINDINGS.replace("$DAYS", DAYS)).get_result(&mut connection).await?)
    }

    /// True when every channel was crawled and some days are made.
    pub const fn are_complete(&self) -> bool {
        self.crawled >= CHANNELS && self.days > 0
    }

    /// True when nothing was lost, and nothing counts twice.
    pub fn hold(&self) -> bool {
        self.crawled == CHANNELS
            && self.days > 0
            && [self.doubled, self.unpublished, self.differing] == [0; 3]
    }

    /// Rows of the table: description, figure, and if the promise was kept.
    pub fn rows(&self) -> Vec<(&'static str, String, Option<bool>)> {
        let none = |what, figure: i64| (what, figure.to_string(), Some(figure == 0));
        let crawled = format!("{} of {CHANNELS}", self.crawled);
        vec![
            ("Channels that were crawled", crawled, Some(self.crawled == CHANNELS)),
            none("Crawled streams with a visit that counts twice", self.doubled),
            ("Samples with viewers", self.own.to_string(), None),
            none("Samples that differ from their public ones", self.unpublished),
            ("Days of channels", self.days.to_string(), Some(self.days > 0)),
            none("Days that differ from their samples", self.differing),
        ]
    }
}
