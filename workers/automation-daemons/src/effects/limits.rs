//! Rates of actions that reach beyond the account (reference/automations.md#limits-of-effects).

use std::fmt::Display;

use chrono::{DateTime, Utc};
use foundation::{limits::FixedWindow, redis::Redis};
use shared::Result;

/// Requests of an account in a minute (reference/automations.md#limits-of-effects).
pub(super) const MAX_REQUESTS_PER_MINUTE: u32 = 60;
/// Notifications of the members by an automation in an hour (reference/automations.md#limits-of-effects).
pub(super) const MAX_NOTIFICATIONS_PER_HOUR: u32 = 10;

const MINUTE_SECS: i64 = 60;
const HOUR_SECS: i64 = 3_600;

/// Kind of a limited action.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limited {
    /// Requests of an account.
    Requests,
    /// Notifications by an automation.
    Notifications,
}

impl Limited {
    /// Counts an action of a holder; false beyond the limit of the present minute or hour.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn take(self, redis: &Redis, holder: impl Display, now: DateTime<Utc>) -> Result<bool> {
        let (name, max, ttl_secs) = match self {
            Self::Requests => ("http", MAX_REQUESTS_PER_MINUTE, MINUTE_SECS),
            Self::Notifications => ("notices", MAX_NOTIFICATIONS_PER_HOUR, HOUR_SECS),
        };
        let window = now.timestamp().div_euclid(ttl_secs);
        let key = redis.key(format_args!("automation_limits:{name}:{holder}:{window}"));
        Ok(FixedWindow { key, ttl_secs }.count(redis).await? <= max)
    }
}
