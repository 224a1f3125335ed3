//! The time of day.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};

/// Now.
pub fn now() -> DateTime<Utc> {
    DateTime::from(SystemTime::now())
}

/// Some time ago; the epoch when that is too long ago.
pub fn ago(age: Duration) -> DateTime<Utc> {
    SystemTime::now().checked_sub(age).map_or(DateTime::UNIX_EPOCH, DateTime::from)
}

/// RFC 3339 with whole seconds, as most platforms write it.
pub fn seconds(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// RFC 3339 with nanoseconds, as Twitch writes it.
pub fn nanoseconds(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Nanos, true)
}
