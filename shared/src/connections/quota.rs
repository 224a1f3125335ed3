//! What an application has spent of a platform's daily quota (specification D §3): counted in the database, so that all
//! processes share one figure. Of an application that accounts share, no account may spend more than its share: a part
//! of what the others have left.

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, TimeZone, Utc};
use chrono_tz::America::Los_Angeles;
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Date, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::{Error, Result, platforms::Platform};

/// What YouTube's calls cost.
pub mod youtube {
    pub const LIST_BROADCASTS: i64 = 1;
    pub const LIST_VIDEOS: i64 = 1;
    pub const LIST_CHAT: i64 = 5;
    /// Sending, deleting, banning.
    pub const CHANGE_CHAT: i64 = 50;
}

/// A wish to spend units of an application's quota.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    pub platform: Platform,
    pub client_id: &'a str,
    pub units: i64,
    /// Most that the application has spent in the day when the wish is granted.
    pub budget: i64,
    /// `None` for an account's own application, and for what concerns many accounts at once.
    pub share: Option<Share>,
}

/// For whom a wish is, of an application that accounts share.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    pub account: Uuid,
    /// How much the account may spend of what the others leave of the budget.
    pub percent: u32,
}

/// What became of a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// Spent. So many percent of what may be spent are gone: of the budget, or of the account's share if that is more.
    Granted { gone: i64 },
    /// There is not so much left of the budget: the next day begins then.
    Exhausted { until: DateTime<Utc> },
    /// There is not so much left of the account's share: the next day begins then.
    ShareExhausted { until: DateTime<Utc> },
}

#[derive(QueryableByName)]
struct Used {
    #[diesel(sql_type = BigInt)]
    used: i64,
}

/// Spends units of an application's quota, unless that would pass the budget or the account's share. To be called before
/// each call, because one that fails costs as well.
///
/// # Errors
/// When the database fails.
pub async fn reserve(
    connection: &mut AsyncPgConnection,
    wish: &Wish<'_>,
    now: DateTime<Utc>,
) -> Result<Reserved> {
    let day = now.with_timezone(&Los_Angeles).date_naive();
    connection
        .transaction(async |connection| {
            let Some(total) = spend(connection, wish, day).await? else {
                return Ok(Reserved::Exhausted { until: next_day(now) });
            };
            let gone = percent(total, wish.budget);
            let Some(share) = &wish.share else { return Ok(Reserved::Granted { gone }) };
            let Some(used) = spend_share(connection, wish, share, total, day).await? else {
                give_back(connection, wish, day).await?;
                return Ok(Reserved::ShareExhausted { until: next_day(now) });
            };
            let allowance = i64::from(share.percent) * (wish.budget - (total - used)) / 100;
            Ok::<_, Error>(Reserved::Granted { gone: gone.max(percent(used, allowance)) })
        })
        .await
}

/// Counts units of the application; answers what it has spent, or none when that would be too much. The row stays locked
/// until the transaction ends, so that shares are reckoned one after the other.
async fn spend(connection: &mut AsyncPgConnection, wish: &Wish<'_>, day: NaiveDate) -> Result<Option<i64>> {
    let sql = "
        INSERT INTO platform_quotas AS quota (platform, client_id, day, used)
        SELECT $1, $2, $3, $4 WHERE $4 <= $5
        ON CONFLICT (platform, client_id, day) DO UPDATE SET used = quota.used + excluded.used
        WHERE quota.used + excluded.used <= $5
        RETURNING used";
    let spent: Option<Used> = sql_query(sql)
        .bind::<Text, _>(wish.platform.slug())
        .bind::<Text, _>(wish.client_id)
        .bind::<Date, _>(day)
        .bind::<BigInt, _>(wish.units)
        .bind::<BigInt, _>(wish.budget)
        .get_result(connection)
        .await
        .optional()?;
    Ok(spent.map(|spent| spent.used))
}

/// Counts units of the account; answers what it has spent, or none when that would be more than its share.
async fn spend_share(
    connection: &mut AsyncPgConnection,
    wish: &Wish<'_>,
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
        .bind::<Text, _>(wish.platform.slug())
        .bind::<Text, _>(wish.client_id)
        .bind::<Date, _>(day)
        .bind::<SqlUuid, _>(share.account)
        .bind::<BigInt, _>(wish.units)
        .bind::<BigInt, _>(total)
        .bind::<BigInt, _>(wish.budget)
        .bind::<BigInt, _>(i64::from(share.percent))
        .get_result(connection)
        .await
        .optional()?;
    Ok(spent.map(|spent| spent.used))
}

async fn give_back(connection: &mut AsyncPgConnection, wish: &Wish<'_>, day: NaiveDate) -> Result<()> {
    let sql = "
        UPDATE platform_quotas SET used = used - $4 WHERE platform = $1 AND client_id = $2 AND day = $3";
    sql_query(sql)
        .bind::<Text, _>(wish.platform.slug())
        .bind::<Text, _>(wish.client_id)
        .bind::<Date, _>(day)
        .bind::<BigInt, _>(wish.units)
        .execute(connection)
        .await?;
    Ok(())
}

fn percent(used: i64, of: i64) -> i64 {
    used.saturating_mul(100) / of.max(1)
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
