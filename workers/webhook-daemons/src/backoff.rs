//! Delays and bounds of endpoints that fail (reference/webhooks.md#retries).

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// Delay after the first failure; it doubles with each further one.
const INITIAL_BACKOFF: Duration = Duration::from_secs(5);
/// Maximum delay.
const MAX_BACKOFF: Duration = Duration::from_secs(4 * 60 * 60);
/// Time without a success after which an endpoint is disabled (reference/webhooks.md#disabled-endpoints).
const PAUSE_AFTER: TimeDelta = TimeDelta::days(5);
/// Longest time without an attempt within it.
const MAX_GAP: TimeDelta = TimeDelta::days(1);

/// Failures of an endpoint since its last success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failures {
    /// Number.
    pub count: i32,
    /// Time of the first one.
    pub since: DateTime<Utc>,
}

impl Failures {
    /// Adds a failure. After a day without an attempt counting begins anew: an endpoint with few events is not failing
    /// for the time without any.
    pub fn after(former: Option<Self>, last_attempt_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Self {
        match former {
            Some(former) if last_attempt_at.is_some_and(|at| now - at <= MAX_GAP) => {
                Self { count: former.count.saturating_add(1), since: former.since }
            }
            _ => Self { count: 1, since: now },
        }
    }

    /// True when the endpoint is to be disabled.
    pub fn is_over(self, now: DateTime<Utc>) -> bool {
        now - self.since >= PAUSE_AFTER
    }

    /// Returns the time of the next attempt. The delay is shortened by a random part of up to one half, so that
    /// endpoints of one receiver do not come together.
    pub fn retry_at(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let delay = max_delay(self.count).mul_f64(rand::random_range(0.5..=1.0));
        now + TimeDelta::from_std(delay).unwrap_or(TimeDelta::zero())
    }
}

fn max_delay(count: i32) -> Duration {
    let doublings = u32::try_from(count.saturating_sub(1)).unwrap_or(0).min(20);
    INITIAL_BACKOFF.saturating_mul(1 << doublings).min(MAX_BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_delay_doubles_up_to_its_bound() {
        let secs = [1, 2, 3, 12, 13, 100, i32::MAX].map(|count| max_delay(count).as_secs());
        assert_eq!(secs, [5, 10, 20, 10_240, 14_400, 14_400, 14_400]);
    }

    #[test]
    fn failures_count_while_attempts_are_made() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(100);
        let first = Failures::after(None, Some(now - TimeDelta::hours(1)), now);
        assert_eq!(first, Failures { count: 1, since: now });
        let later = now + TimeDelta::hours(4);
        let second = Failures::after(Some(first), Some(now), later);
        assert_eq!(second, Failures { count: 2, since: now });
        let after_a_gap = later + MAX_GAP + TimeDelta::seconds(1);
        assert_eq!(
            Failures::after(Some(second), Some(later), after_a_gap),
            Failures { count: 1, since: after_a_gap }
        );
        let end = now + PAUSE_AFTER;
        assert!(!second.is_over(end - TimeDelta::seconds(1)) && second.is_over(end));
        let retry = second.retry_at(now) - now;
        assert!((TimeDelta::seconds(5)..=TimeDelta::seconds(10)).contains(&retry), "{retry}");
    }
}
