//! The daemons of the workers as others see them: their names, and how many copies of each work.
//!
//! Every copy says again and again until when it is to be counted; one that is killed or cannot work is not.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{Result, redis::Redis};

/// The names of all daemons.
pub const DAEMONS: [&str; 11] = [
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
];

/// A sorted set: `daemon:instance` with the time, in milliseconds, until which it counts.
const WORKING: &str = "daemons:working";

/// Counts a copy of a daemon until a time.
///
/// # Errors
/// When Redis cannot be reached.
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

/// Counts a copy no more.
///
/// # Errors
/// When Redis cannot be reached.
pub async fn withdraw(redis: &Redis, daemon: &str, instance: Uuid) -> Result<()> {
    let mut connection = redis.get().await?;
    redis::cmd("ZREM")
        .arg(redis.key(WORKING))
        .arg(member(daemon, instance))
        .query_async::<()>(&mut *connection)
        .await?;
    Ok(())
}

/// How many copies of each daemon work; none of a daemon is a count of 0.
///
/// # Errors
/// When Redis cannot be reached.
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

/// Copies that are counted at most.
const MAX_COPIES: usize = 10_000;

fn member(daemon: &str, instance: Uuid) -> String {
    format!("{daemon}:{instance}")
}
