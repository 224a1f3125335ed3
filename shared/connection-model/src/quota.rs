//! Daily quota of applications (reference/platforms.md#quota). It is counted in the database, so that all
//! processes share one figure. Of an application that accounts share, no account may spend more than its
//! share: a part of the quota that the others have left.

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, TimeZone, Utc};
use chrono_tz::America::Los_Angeles;
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Date, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use shared::{Error, Result, platform::Platform};

/// Costs of the calls to YouTube, in units.
pub mod youtube {
    /// List of the broadcasts of a channel.
    pub const LIST_BROADCASTS: i64 = 1;
    /// List of videos.
    pub const LIST_VIDEOS: i64 = 1;
    /// Page of a chat.
    pub const LIST_CHAT: i64 = 5;
    /// Sending, deleting, banning.
    pub const CHANGE_CHAT: i64 = 50;
}

/// Request to spend units of an application's quota.
#[derive(Debug, Clone, Copy)]
pub struct QuotaRequest<'a> {
    /// Platform of the quota.
    pub platform: Platform,
    /// Client id of the application.
    pub client_id: &'a str,
    /// Units to spend.
    pub units: i64,
    /// Highest number of units that the application may have spent in the day, including these.
    pub budget: i64,
    /// `None` for an account's own application, and for calls that concern many accounts at once.
    pub share: Option<Share>,
}

/// Share of an account in an application that accounts share.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// The account.
    pub account: Uuid,
    /// Percentage that the account may spend of the budget that the others leave.
    pub percent: u32,
}

/// Result of a request to spend units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// The units are spent. `gone` is the spent percentage of the budget, or of the account's share if that
    /// is higher.
    Granted { gone: i64 },
    /// The rest of the budget is too small. `until` is the start of the next day.
    Exhausted { until: DateTime<Utc> },
    /// The rest of the account's share is too small. `until` is the start of the next day.
    ShareExhausted { until: DateTime<Utc> },
}

#[derive(QueryableByName)]
struct Used {
    #[diesel(sql_type = BigInt)]
    used: i64,
}

/// Spends units of an application's quota, unless that would exceed the budget or the account's share. Call
/// it before each call, because a failed call costs as well.
///
/// # Errors
/// A failure of the database.
pub async fn reserve(
    connection: &mut AsyncPgConnection,
    request: &QuotaRequest<'_>,
    now: DateTime<Utc>,
) -> Result<Reserved> {
    let day = now.with_timezone(&Los_Angeles).date_naive();
    connection
        .transaction(async |connection| {
            let Some(total) = spend(connection, request, day).await? else {
                return Ok(Reserved::Exhausted { until: next_day(now) });
            };
            let gone = percent(total, request.budget);
            let Some(share) = &request.share else { return Ok(Reserved::Granted { gone }) };
            let Some(used) = spend_share(connection, request, share, total, day).await? else {
                refund(connection, request, day).await?;
                return Ok(Reserved::ShareExhausted { until: next_day(now) });
            };
            let allowance = i64::from(share.percent) * (request.budget - (total - used)) / 100;
            Ok::<_, Error>(Reserved::Granted { gone: gone.max(percent(used, allowance)) })
        })
        .await
}

/// Counts units of the application. Returns the units spent, or `None` when they would be too many. The row
/// stays locked until the transaction ends, so that shares are computed one after the other.
async fn spend(
    connection: &mut AsyncPgConnection,
    request: &QuotaRequest<'_>,
    day: NaiveDate,
) -> Result<Option<i64>> {
    let sql = "
        INSERT INTO platform_quotas AS quota (platform, client_id, day, used)
        SELECT $1, $2, $3, $4 WHERE $4 <= $5
        ON CONFLICT (platform, client_id, day) DO UPDATE SET used = quota.used + excluded.used
        WHERE quota.used + excluded.used <= $5
        RETURNING used";
    let spent: Option<Used> = sql_query(sql)
        .bind::<Text, _>(request.platform.slug())
        .bind::<Text, _>(request.client_id)
        .bind::<Date, _>(day)
        .bind::<BigInt, _>(request.units)
        .bind::<BigInt, _>(request.budget)
        .get_result(connection)
        .await
        .optional()?;
    Ok(spent.map(|spent| spent.used))
}

/// Counts units of the account. Returns the units spent, or `None` when they would exceed its share.
async fn spend_share(
    connection: &mut AsyncPgConnection,
    request: &QuotaRequest<'_>,
    share: &Share,
    total: i64,
    day: NaiveDate,
) -> Result<Option<i64>> {
    let sql = "
        INSERT INTO platform_quota_shares AS share (platform, client_id, day, account_id, used)
        SELECT $1, $2, $3, $4, $5 WHERE $5 * 100 <= $8 * ($7 - ($6 - $5))
        ON CONFLICT (platform, client_id, day, account_id) DO UPDATE SET used = share.used + excluded.used
        WHERE (share.used + excluded.used) * 100 <= $8 * ($7 - ($6 - (share.used + excluded.used)))
        RETURNING used";
    let spent: Option<Used> = sql_query(sql)
        .bind::<Text, _>(request.platform.slug())
        .bind::<Text, _>(request.client_id)
        .bind::<Date, _>(day)
        .bind::<SqlUuid, _>(share.account)
        .bind::<BigInt, _>(request.units)
        .bind::<BigInt, _>(total)
        .bind::<BigInt, _>(request.budget)
        .bind::<BigInt, _>(i64::from(share.percent))
        .get_result(connection)
        .await
        .optional()?;
    Ok(spent.map(|spent| spent.used))
}

async fn refund(
    connection: &mut AsyncPgConnection,
    request: &QuotaRequest<'_>,
    day: NaiveDate,
) -> Result<()> {
    let sql = "
        UPDATE platform_quotas SET used = used - $4 WHERE platform = $1 AND client_id = $2 AND day = $3";
    sql_query(sql)
        .bind::<Text, _>(request.platform.slug())
        .bind::<Text, _>(request.client_id)
        .bind::<Date, _>(day)
        .bind::<BigInt, _>(request.units)
        .execute(connection)
        .await?;
    Ok(())
}

fn percent(used: i64, of: i64) -> i64 {
    used.saturating_mul(100) / of.max(1)
}

/// Midnight in California, where the day of YouTube begins.
fn next_day(now: DateTime<Utc>) -> DateTime<Utc> {
    let tomorrow = now.with_timezone(&Los_Angeles).date_naive() + Duration::days(1);
    let midnight = Los_Angeles.from_local_datetime(&tomorrow.and_time(NaiveTime::MIN)).earliest();
    midnight.map_or(now + Duration::days(1), |at| at.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quota_day_begins_at_midnight_in_california() {
        let next = |text: &str| next_day(text.parse().unwrap()).to_rfc3339();
        assert_eq!(next("2026-11-21T07:59:59Z"), "2026-11-21T08:00:00+00:00");
        assert_eq!(next("2026-11-21T08:00:00Z"), "2026-11-22T08:00:00+00:00");
        assert_eq!(next("2026-07-01T12:00:00Z"), "2026-07-02T07:00:00+00:00");
    }
}
