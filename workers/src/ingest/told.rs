//! When something was told first. A platform may tell one message in several deliveries, each with its own time; the
//! first time is the one that ids and keys are made of.

use chrono::{DateTime, Utc};
use shared::{Result, redis::Redis};

/// Longer than any platform repeats itself.
const REMEMBERED_SECS: u64 = 24 * 3600;

/// The time at which `source` was told first: `now_told` unless somebody was earlier.
pub(super) async fn first_told(
    redis: &Redis,
    platform: &str,
    source: &str,
    now_told: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let key = redis.key(format_args!("told:{platform}:{source}"));
    let earlier: Option<i64> = redis::cmd("SET")
        .arg(key)
        .arg(now_told.timestamp_millis())
        .arg("NX")
        .arg("GET")
        .arg("EX")
        .arg(REMEMBERED_SECS)
        .query_async(&mut *redis.get().await?)
        .await?;
    Ok(earlier.and_then(DateTime::from_timestamp_millis).unwrap_or(now_told))
}
