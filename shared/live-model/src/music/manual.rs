//! Manual connect: an account is polled for a time although none of its channels is live
//! (reference/music.md#manual-connect).

use chrono::{DateTime, TimeDelta, Utc};
use foundation::redis::Redis;
use redis::AsyncCommands;
use shared::{
    Result,
    id::{AccountId, Trust},
};
use uuid::Uuid;

/// Time for which a manual connect lasts (reference/music.md#manual-connect).
pub const MANUAL_CONNECT_TTL: TimeDelta = TimeDelta::minutes(30);
/// Highest number of accounts that are connected manually at a time (reference/music.md#manual-connect).
const MAX_MANUAL_CONNECTS: isize = 20_000;

/// Starts a manual connect, or extends one to its full time. The schedule is made anew within a second.
///
/// # Errors
/// A failure of Redis.
pub async fn start(redis: &Redis, account: AccountId, now: DateTime<Utc>) -> Result<()> {
    let ends_at = (now + MANUAL_CONNECT_TTL).timestamp_millis();
    redis::pipe()
        .cmd("ZADD")
        .arg(redis.key("music_polls:manual"))
        .arg(ends_at)
        .arg(account.to_string())
        .ignore()
        .del(redis.key("music_polls:plan"))
        .ignore()
        .query_async::<()>(&mut *redis.get().await?)
        .await?;
    Ok(())
}

/// Ends a manual connect. False when there was none.
///
/// # Errors
/// A failure of Redis.
pub async fn stop(redis: &Redis, account: AccountId) -> Result<bool> {
    let (removed,): (i64,) = redis::pipe()
        .cmd("ZREM")
        .arg(redis.key("music_polls:manual"))
        .arg(account.to_string())
        .del(redis.key("music_polls:plan"))
        .ignore()
        .query_async(&mut *redis.get().await?)
        .await?;
    Ok(removed > 0)
}

/// Returns the time until a manual connect ends; `None` when there is none.
///
/// # Errors
/// A failure of Redis.
pub async fn remaining(redis: &Redis, account: AccountId, now: DateTime<Utc>) -> Result<Option<TimeDelta>> {
    let key = redis.key("music_polls:manual");
    let ends_at: Option<f64> = redis.get().await?.zscore(key, account.to_string()).await?;
    let ends_at = ends_at.and_then(milliseconds);
    Ok(ends_at.map(|at| at - now).filter(|left| *left > TimeDelta::zero()))
}

/// Returns the accounts that are connected manually, and drops those whose time is over.
///
/// # Errors
/// A failure of Redis.
pub async fn accounts(redis: &Redis, now: DateTime<Utc>) -> Result<Vec<AccountId>> {
    let (key, now) = (redis.key("music_polls:manual"), now.timestamp_millis());
    let (members,): (Vec<String>,) = redis::pipe()
        .zrembyscore(&key, "-inf", now)
        .ignore()
        .zrange(&key, 0, MAX_MANUAL_CONNECTS - 1)
        .query_async(&mut *redis.get().await?)
        .await?;
    let ids = members.iter().filter_map(|member| Uuid::try_parse(member).ok());
    Ok(ids.map(|id| AccountId::trusted(id, Trust::Task)).collect())
}

#[expect(clippy::cast_possible_truncation, reason = "times in milliseconds are exact in a double")]
fn milliseconds(score: f64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(score as i64)
}
