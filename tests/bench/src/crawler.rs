//! The crawler over 50,000 channels of Twitch that change viewers, go live and off and are renamed, with a storm of
//! failures: processor time, memory, requests, age of what is known, and growth of the database.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use demo::Api;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Double},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use stack::{
    Stack,
    measure::{private_mib, processor_time, short},
};

use crate::table::{Row, Table};

const DAEMON: &str = "crawler";
/// Published budget of Twitch in a minute, of which the crawler takes half.
const CRAWLER_PER_MINUTE: i64 = 400;
const CHURN_INTERVAL: Duration = Duration::from_secs(1);
const STORM_DURATION: Duration = Duration::from_secs(15);
/// Channels that the way to more is computed for.
const GOAL: f64 = 5_000_000.0;
/// Part of all channels that is live at a time.
const LIVE_PART: f64 = 0.05;

/// Amounts of work.
#[derive(Debug, Clone, Copy)]
pub struct Amounts {
    pub channels: i64,
    pub interval: u64,
    /// Intervals after the first one that are measured.
    pub intervals: u64,
}

impl Amounts {
    pub const FULL: Self = Self { channels: 50_000, interval: 180, intervals: 3 };
    pub const QUICK: Self = Self { channels: 10_000, interval: 60, intervals: 2 };
}

#[derive(QueryableByName)]
struct Figures {
    #[diesel(sql_type = BigInt)]
    active: i64,
    #[diesel(sql_type = BigInt)]
    samples: i64,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
    /// Seconds since the oldest visit of a channel that is crawled.
    #[diesel(sql_type = Double)]
    oldest: f64,
}

const FIGURES: &str = "
    SELECT (SELECT count(*) FROM crawler_channels WHERE next_at IS NOT NULL) AS active,
        (SELECT count(*) FROM channel_samples WHERE viewer_count IS NOT NULL) AS samples,
        pg_database_size(current_database()) AS bytes,
        (SELECT coalesce(extract(epoch FROM now() - min(visited_at)), 0)::float8
            FROM crawler_channels WHERE next_at IS NOT NULL) AS oldest";

/// Measures and adds the rows.
pub async fn run(stack: &mut Stack, table: &mut Table, amounts: Amounts) -> Result<()> {
    let stand_in = Api::new(&stack.environment["STAND_IN"])?;
    let mut database = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
    let live = amounts.channels * 9 / 10;
    let seed = json!({ "platform": "twitch", "channels": amounts.channels, "live": live });
    stand_in.post("/_control/directory", seed).await?;
    for sql in [
        format!(
            "UPDATE crawler_scope SET enabled = true, platforms = '{{twitch}}', min_viewers = 0, languages = '{{}}',
             max_channels = 10000000, interval_secs = {}",
            amounts.interval
        ),
        "UPDATE feature_flags SET globally_enabled = true WHERE key = 'system:crawler'".to_owned(),
    ] {
        sql_query(sql).execute(&mut database).await?;
    }
    let pid = stack.ensure_worker(DAEMON)?;
    first_round(&mut database, live, amounts).await?;
    let before: Figures = sql_query(FIGURES).get_result(&mut database).await?;
    let (used_before, began) = (processor_time(pid)?, Instant::now());
    let oldest = watch(&stand_in, &mut database, amounts).await?;
    let (used, elapsed) = (processor_time(pid)? - used_before, began.elapsed());
    let after: Figures = sql_query(FIGURES).get_result(&mut database).await?;
    let shown = stand_in.get("/_control/directory?platform=twitch").await?;
    let memory = private_mib(pid)?;
    stack.kill(DAEMON)?;
    sql_query("UPDATE feature_flags SET globally_enabled = false WHERE key = 'system:crawler'")
        .execute(&mut database)
        .await?;
    let measured = Measured { amounts, oldest, used, elapsed, memory, before, after };
    measured.add(table, &shown["requests"])
}

/// Waits until the channels are known.
async fn first_round(database: &mut AsyncPgConnection, live: i64, amounts: Amounts) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(3 * amounts.interval);
    loop {
        let figures: Figures = sql_query(FIGURES).get_result(database).await?;
        // Channels change while the list is read.
        if figures.active >= live * 99 / 100 {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "{} of {live} channels are known", figures.active);
        tokio::time::sleep(CHURN_INTERVAL).await;
    }
}

/// Changes channels, with a storm in the middle; returns the greatest age that was seen.
async fn watch(stand_in: &Api, database: &mut AsyncPgConnection, amounts: Amounts) -> Result<f64> {
    let duration = Duration::from_secs(amounts.interval * amounts.intervals);
    let began = Instant::now();
    let (mut oldest, mut storm) = (0.0_f64, None);
    while began.elapsed() < duration {
        let churn = json!({ "platform": "twitch", "viewers": amounts.channels / 100, "on": amounts.channels / 2_000,
                            "off": amounts.channels / 2_000, "renames": 5 });
        stand_in.post("/_control/directory/churn", churn).await?;
        let is_stormy = began.elapsed() >= duration / 2 && began.elapsed() < duration / 2 + STORM_DURATION;
        if storm != Some(is_stormy) {
            storm = Some(is_stormy);
            let kind = json!({ "kind": "mixed", "percent": 20, "retry_after_secs": 2 });
            let body = json!({ "platform": "twitch", "storm": if is_stormy { kind } else { Value::Null } });
            stand_in.post("/_control/directory/storm", body).await?;
        }
        let figures: Figures = sql_query(FIGURES).get_result(database).await?;
        oldest = oldest.max(figures.oldest);
        tokio::time::sleep(CHURN_INTERVAL).await;
    }
    Ok(oldest)
}

struct Measured {
    amounts: Amounts,
    oldest: f64,
    used: Duration,
    elapsed: Duration,
    memory: f64,
    before: Figures,
    after: Figures,
}

impl Measured {
    #[expect(clippy::cast_precision_loss, reason = "figures to read")]
    fn add(&self, table: &mut Table, requests: &Value) -> Result<()> {
        let number = |name: &str| requests[name].as_i64().context("a number of requests");
        let (in_a_minute, over, impatient) =
            (number("max_in_a_minute")?, number("over_budget")?, number("impatient")?);
        let interval = self.amounts.interval as f64;
        table.add(Row {
            work: "Crawler, changing channels of Twitch with a storm of 429 and 503",
            figure: format!(
                "{} channels, {} live: {} requests in all, at most {in_a_minute} a minute, {over} over the budget, \
                 {impatient} before the stated time; greatest age {} intervals",
                self.amounts.channels,
                self.after.active,
                number("total")?,
                short(self.oldest / interval)
            ),
            bar: "at most 400 requests a minute, none over the budget, age ≤ 1.5 intervals",
            met: Some(in_a_minute <= CRAWLER_PER_MINUTE && over == 0 && self.oldest <= 1.5 * interval),
        });
        let samples = (self.after.samples - self.before.samples).max(1) as f64;
        let grown = (self.after.bytes - self.before.bytes) as f64;
        let cores = self.used.as_secs_f64() / self.elapsed.as_secs_f64();
        let micros = self.used.as_secs_f64() * 1e6 / samples;
        table.add(Row {
            work: "Crawler, cost of a sample",
            figure: format!(
                "{} µs of processor time, {} % of a core, {} MiB of private memory, {} bytes of the database \
                 ({} samples in {} s)",
                short(micros),
                short(cores * 100.0),
                short(self.memory),
                short(grown / samples),
                short(samples),
                short(self.elapsed.as_secs_f64())
            ),
            bar: "none",
            met: None,
        });
        self.add_goal(table, micros, grown / samples);
        Ok(())
    }

    /// The same for 5 million channels, every ten minutes.
    #[expect(clippy::cast_precision_loss, reason = "figures to read")]
    fn add_goal(&self, table: &mut Table, micros: f64, bytes: f64) {
        const INTERVAL_SECS: f64 = 600.0;
        let (live, pages) = (GOAL * LIVE_PART, GOAL * LIVE_PART / 100.0);
        let per_minute = pages / INTERVAL_SECS * 60.0;
        let samples_a_day = live * 86_400.0 / INTERVAL_SECS;
        table.add(Row {
            work: "Crawler, computed for 5 million channels, 250,000 live at a time, every ten minutes",
            figure: format!(
                "{} pages of the directory a minute ({} applications of Twitch), {} % of a core, {} GB of the database \
                 a day",
                short(per_minute),
                short((per_minute / CRAWLER_PER_MINUTE as f64).ceil()),
                short(live / INTERVAL_SECS * micros / 1e4),
                short(samples_a_day * bytes / 1e9)
            ),
            bar: "none",
            met: None,
        });
    }
}
