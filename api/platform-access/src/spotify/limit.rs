//! Time until which Spotify takes no calls of a connection, as its `Retry-After` stated
//! (reference/music.md#limits-of-spotify). It is in Redis: after a loss of Redis the next call learns it again.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use foundation::redis::{Redis, milliseconds};
use redis::AsyncCommands;
use shared::Result;
use uuid::Uuid;

/// Wait after a 429 that states none (reference/music.md#limits-of-spotify).
const DEFAULT_WAIT: Duration = Duration::from_secs(30);
/// Maximum wait that is accepted: a day (reference/music.md#limits-of-spotify).
const MAX_WAIT: Duration = Duration::from_secs(86_400);
const MIN_WAIT: Duration = Duration::from_secs(1);

/// Stores the limit of a connection and returns its end.
pub(super) async fn store(
    redis: &Redis,
    connection: Uuid,
    retry_after: Option<Duration>,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let wait = retry_after.unwrap_or(DEFAULT_WAIT).clamp(MIN_WAIT, MAX_WAIT);
    let until = now + TimeDelta::from_std(wait).unwrap_or(TimeDelta::days(1));
    let key = key(redis, connection);
    let () = redis.get().await?.pset_ex(key, until.timestamp_millis(), milliseconds(wait)).await?;
    Ok(until)
}

/// Returns the end of the limit of a connection; `None` when Spotify takes calls.
pub(super) async fn until(
    redis: &Redis,
    connection: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let stored: Option<i64> = redis.get().await?.get(key(redis, connection)).await?;
    Ok(stored.and_then(DateTime::from_timestamp_millis).filter(|until| *until > now))
}

fn key(redis: &Redis, connection: Uuid) -> String {
    redis.key(format_args!("spotify_limits:{connection}"))
}
