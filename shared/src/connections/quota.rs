//! What an application has spent of a platform's daily quota (specification D §3): counted in the database, so that all
//! processes share one figure.

use chrono::{DateTime, Duration, NaiveTime, TimeZone, Utc};
use chrono_tz::America::Los_Angeles;
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Date, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::{Result, platforms::Platform};

/// What YouTube's calls cost.
pub mod youtube {
    pub const LIST_BROADCASTS: i64 = 1;
    pub const LIST_CHAT: i64 = 5;
    pub const SEND_CHAT: i64 = 50;
}

/// What became of a wish to spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// Spent; so much is used of the day's quota now.
    Granted { used: i64 },
    /// There is not so much left: the next day begins then.
    Exhausted { until: DateTime<Utc> },
}

#[derive(QueryableByName)]
struct Used {
    #[diesel(sql_type = BigInt)]
    used: i64,
}

/// Spends units of an application's quota, unless the day's use would pass `budget`. To be called before each call,
/// because one that fails costs as well.
///
/// # Errors
/// When the database fails.
pub async fn reserve(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    client_id: &str,
    units: i64,
    budget: i64,
    now: DateTime<Utc>,
) -> Result<Reserved> {
    let sql = "
        INSERT INTO platform_quotas AS quota (platform, client_id, day, used)
        SELECT $1, $2, $3, $4 WHERE $4 <= $5
        ON CONFLICT (platform, client_id, day) DO UPDATE SET used = quota.used + excluded.used
        WHERE quota.used + excluded.used <= $5
        RETURNING used";
    let spent: Option<Used> = sql_query(sql)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(client_id)
        .bind::<Date, _>(now.with_timezone(&Los_Angeles).date_naive())
        .bind::<BigInt, _>(units)
        .bind::<BigInt, _>(budget)
        .get_result(connection)
        .await
        .optional()?;
    Ok(match spent {
        Some(Used { used }) => Reserved::Granted { used },
        None => Reserved::Exhausted { until: next_day(now) },
    })
}

/// Midnight in California, where YouTube's day begins.
fn next_day(now: DateTime<Utc>) -> DateTime<Utc> {
    let tomorrow = now.with_timezone(&Los_Angeles).date_naive() + Duration::days(1);
    let midnight = Los_Angeles.from_local_datetime(&tomorrow.and_time(NaiveTime::MIN)).earliest();
    midnight.map_or(now + Duration::days(1), |at| at.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_begins_in_california_summer_and_winter() {
        let next = |text: &str| next_day(text.parse().unwrap()).to_rfc3339();
        assert_eq!(next("2026-11-21T07:59:59Z"), "2026-11-21T08:00:00+00:00");
        assert_eq!(next("2026-11-21T08:00:00Z"), "2026-11-22T08:00:00+00:00");
        assert_eq!(next("2026-07-01T12:00:00Z"), "2026-07-02T07:00:00+00:00");
    }
}
