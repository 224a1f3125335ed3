//! Deletion of what is beyond the retention of the account's plan, while another account is served.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use foundation::jobs::{Housekeep, HousekeepingTask, Producers};
use shared::{clock::Clock, config::Config};
use stack::Stack;
use tokio::time::Instant;

use crate::Reader;

/// Table with the days that its rows are kept on the plan of a new account (reference/privacy.md#retention).
struct Rule {
    table: &'static str,
    time: &'static str,
    days: i64,
}

const RULES: [Rule; 3] = [
    Rule { table: "chat_messages", time: "sent_at", days: 7 },
    Rule { table: "events", time: "occurred_at", days: 30 },
    Rule { table: "moderation_log", time: "created_at", days: 7 },
];

/// Longest wait for the deletion.
const DELETION_TIMEOUT: Duration = Duration::from_secs(1800);
/// Interval between requests of the other account.
const REQUEST_INTERVAL: Duration = Duration::from_millis(50);

/// Course of the deletion.
#[derive(Debug)]
pub struct Retention {
    pub seconds: f64,
    pub deleted: i64,
    /// Rows within their retention that are gone.
    pub lost: i64,
    /// Rows that the other account lost, all of which are within their retention.
    pub neighbour_lost: i64,
    /// Requests of the other account meanwhile, all of which were answered.
    pub requests: u32,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Starts housekeeping, adds its jobs, waits until nothing is beyond its retention, and compares the rows.
///
/// # Errors
/// A refused request of the other account, a deletion that does not end, or a failure of the stores.
pub async fn run(
    stack: &mut Stack,
    database: &mut AsyncPgConnection,
    year: &Reader,
    day: &Reader,
) -> Result<Retention> {
    let began = Clock::default().now();
    let mut before = 0;
    for rule in &RULES {
        before += rule.rows_until(database, year, began).await?;
        rule.remember(database, year, day).await?;
    }
    ensure!(beyond(database, year, began).await? > 0, "no row is beyond its retention");
    stack.start_worker("housekeeping")?;
    add_jobs(stack).await?;
    let (clock, mut requests) = (Instant::now(), 0);
    while beyond(database, year, began).await? > 0 {
        if clock.elapsed() > DELETION_TIMEOUT {
            bail!("rows beyond their retention are left after {} s", DELETION_TIMEOUT.as_secs());
        }
        stack.get("/v1/chat/messages?limit=50", &day.session).await?;
        requests += 1;
        tokio::time::sleep(REQUEST_INTERVAL).await;
    }
    let (seconds, ended) = (clock.elapsed().as_secs_f64(), Clock::default().now());

    let (mut after, mut lost, mut neighbour_lost) = (0, 0, 0);
    for rule in &RULES {
        after += rule.rows_until(database, year, began).await?;
        // Rows that passed the limit meanwhile may be gone or not.
        lost += rule.gone(database, year, ended - TimeDelta::days(rule.days)).await?;
        neighbour_lost += rule.gone(database, day, DateTime::UNIX_EPOCH).await?;
    }
    Ok(Retention { seconds, deleted: before - after, lost, neighbour_lost, requests })
}

/// Adds the jobs that the schedule adds once an hour.
async fn add_jobs(stack: &Stack) -> Result<()> {
    let config = Config::from_variables(stack.environment.clone())
        .map_err(|problems| anyhow::anyhow!(problems.join("; ")))?;
    let jobs = Producers::new(&config.redis)?;
    for task in [HousekeepingTask::ForgetChat, HousekeepingTask::ForgetEvents] {
        jobs.enqueue(&Housekeep { task }, &format!("year:{task:?}")).await?;
    }
    Ok(())
}

/// Number of rows that were beyond their retention at `now` and are still there.
async fn beyond(database: &mut AsyncPgConnection, reader: &Reader, now: DateTime<Utc>) -> Result<i64> {
    let mut rows = 0;
    for rule in &RULES {
        rows += rule.rows_until(database, reader, now - TimeDelta::days(rule.days)).await?;
    }
    Ok(rows)
}

impl Rule {
    async fn rows_until(
        &self,
        database: &mut AsyncPgConnection,
        reader: &Reader,
        until: DateTime<Utc>,
    ) -> Result<i64> {
        let Self { table, time, .. } = self;
        let count: Count =
            sql_query(format!("SELECT count(*) FROM {table} WHERE account_id = $1 AND {time} < $2"))
                .bind::<SqlUuid, _>(reader.account)
                .bind::<Timestamptz, _>(until)
                .get_result(database)
                .await?;
        Ok(count.count)
    }

    /// Copies the ids of what both accounts must keep.
    async fn remember(&self, database: &mut AsyncPgConnection, year: &Reader, day: &Reader) -> Result<()> {
        let Self { table, time, days } = self;
        let sql = format!(
            "CREATE TEMP TABLE kept_{table} AS SELECT account_id, id, {time} AS at FROM {table}
             WHERE account_id = '{}' AND {time} > now() - interval '{days} days' OR account_id = '{}'",
            year.account, day.account
        );
        Ok(database.batch_execute(&sql).await?)
    }

    /// Number of copied rows from `from` on that are gone.
    async fn gone(
        &self,
        database: &mut AsyncPgConnection,
        reader: &Reader,
        from: DateTime<Utc>,
    ) -> Result<i64> {
        let Self { table, .. } = self;
        let sql = format!(
            "SELECT count(*) FROM (SELECT id FROM kept_{table} WHERE account_id = $1 AND at >= $2
             EXCEPT SELECT id FROM {table} WHERE account_id = $1) AS gone"
        );
        let count: Count = sql_query(sql)
            .bind::<SqlUuid, _>(reader.account)
            .bind::<Timestamptz, _>(from)
            .get_result(database)
            .await?;
        Ok(count.count)
    }
}
