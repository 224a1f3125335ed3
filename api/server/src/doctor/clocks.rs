//! Clocks of the stores, compared with that of this process.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{QueryableByName, sql_query, sql_types::Timestamptz};
use diesel_async::RunQueryDsl;
use foundation::{db::Database, redis::Redis};
use shared::Result;

use super::{Deployment, Finding};

/// Difference that is a warning: leases and windows end early or late.
const MAX_SKEW: TimeDelta = TimeDelta::seconds(2);
/// Difference that is an error: tokens and deliveries are refused.
const MAX_TOLERATED_SKEW: TimeDelta = TimeDelta::seconds(60);

/// Compares the clocks. Stores that do not answer are left to their own check.
pub(super) async fn compare(this: &Deployment<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (store, database) in
        [("postgres", &this.databases.postgres), ("timescaledb", &this.databases.timescaledb)]
    {
        if let Ok(stated) = of_database(database).await {
            findings.extend(skew(store, stated, this.clock.now()));
        }
    }
    if let Some(redis) = &this.redis
        && let Ok(stated) = of_redis(redis).await
    {
        findings.extend(skew("redis", stated, this.clock.now()));
    }
    findings
}

#[derive(QueryableByName)]
struct Time {
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
}

async fn of_database(database: &Database) -> Result<DateTime<Utc>> {
    let time: Time =
        sql_query("SELECT clock_timestamp() AS at").get_result(&mut *database.get().await?).await?;
    Ok(time.at)
}

async fn of_redis(redis: &Redis) -> Result<DateTime<Utc>> {
    let (seconds, microseconds): (i64, u32) =
        redis::cmd("TIME").query_async(&mut *redis.get().await?).await?;
    let time = DateTime::from_timestamp(seconds, microseconds.saturating_mul(1000));
    time.ok_or_else(|| shared::Error::Redis("the time of the server is out of range".to_owned()))
}

fn skew(store: &str, stated: DateTime<Utc>, now: DateTime<Utc>) -> Option<Finding> {
    let difference = now - stated;
    let message = format!(
        "the clock of this machine differs from that of {store} by {} ms",
        difference.num_milliseconds()
    );
    let remedy = "Synchronise the clocks of all machines, for example with chrony.";
    match difference.abs() {
        small if small <= MAX_SKEW => None,
        tolerated if tolerated <= MAX_TOLERATED_SKEW => Some(Finding::warning("clock_skew", message, remedy)),
        _ => Some(Finding::error("clock_skew", message, remedy)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    #[test]
    fn skew_of_a_clock_is_a_warning_above_two_seconds_and_an_error_above_a_minute() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let severity =
            |seconds| skew("redis", now + TimeDelta::seconds(seconds), now).map(|finding| finding.severity);
        assert_eq!([severity(0), severity(2), severity(-2)], [None, None, None]);
        assert_eq!([severity(3), severity(-60)], [Some(Severity::Warning); 2]);
        assert_eq!([severity(61), severity(-3600)], [Some(Severity::Error); 2]);
    }
}
