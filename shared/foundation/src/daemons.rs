//! Daemons of the workers as other processes see them: their names, and the number of working copies of each.
//!
//! Each copy repeatedly states a time until which it counts. A copy that was killed or cannot work no longer
//! counts (reference/jobs.md#heartbeat).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::redis::Redis;
use shared::Result;

/// Names of all daemons.
pub const DAEMONS: [&str; 21] = [
    "ingest",
    "youtube-chat",
    "trovo-chat",
    "twitch-eventsub",
    "outbox",
    "mail",
    "token-refresh",
    "connections",
    "housekeeping",
    "rollout",
    "extension-runtime",
    "music",
    "copyright-sync",
    "obs-remote",
    "tips",
    "automations",
    "history",
    "public-stats",
    "crawler",
    "webhooks",
    "usage",
];

/// Sorted set of `daemon:instance` with the time, in milliseconds, until which it counts.
const WORKING: &str = "daemons:working";

/// Counts a copy of a daemon until the given time.
///
/// # Errors
/// A failure of Redis.
pub async fn count_until(redis: &Redis, daemon: &str, instance: Uuid, until: DateTime<Utc>) -> Result<()> {
    let mut connection = redis.get().await?;
    redis::cmd("ZADD")
        .arg(redis.key(WORKING))
        .arg(until.timestamp_millis())
        .arg(member(daemon, instance))
        .query_async::<()>(&mut *connection)
        .await?;
    Ok(())
}

/// Stops counting a copy.
///
/// # Errors
/// A failure of Redis.
pub async fn withdraw(redis: &Redis, daemon: &str, instance: Uuid) -> Result<()> {
    let mut connection = redis.get().await?;
    redis::cmd("ZREM")
        .arg(redis.key(WORKING))
        .arg(member(daemon, instance))
        .query_async::<()>(&mut *connection)
        .await?;
    Ok(())
}

/// Number of working copies of each daemon. It is 0 for a daemon without a copy.
///
/// # Errors
/// A failure of Redis.
pub async fn working(redis: &Redis, now: DateTime<Utc>) -> Result<BTreeMap<&'static str, usize>> {
    let (key, now) = (redis.key(WORKING), now.timestamp_millis());
    let mut connection = redis.get().await?;
    let (members,): (Vec<String>,) = redis::pipe()
        .cmd("ZREMRANGEBYSCORE")
        .arg(&key)
        .arg("-inf")
        .arg(now)
        .ignore()
        .cmd("ZRANGE")
        .arg(&key)
        .arg(0)
        .arg(MAX_COPIES - 1)
        .query_async(&mut *connection)
        .await?;
    let copies_of = |daemon: &str| {
        let is_of = |member: &&String| member.rsplit_once(':').is_some_and(|(name, _)| name == daemon);
        members.iter().filter(is_of).count()
    };
    Ok(DAEMONS.into_iter().map(|daemon| (daemon, copies_of(daemon))).collect())
}

/// Highest number of copies that are read.
const MAX_COPIES: usize = 10_000;

fn member(daemon: &str, instance: Uuid) -> String {
    format!("{daemon}:{instance}")
}
