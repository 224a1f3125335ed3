//! When a failed refresh may be repeated.

use chrono::TimeDelta;
use rand::RngExt;

use crate::platforms::PlatformError;

const FIRST: TimeDelta = TimeDelta::seconds(15);
const MAX_DELAY: TimeDelta = TimeDelta::minutes(10);
/// Nothing gets better before somebody has changed something.
const MAX_MISCONFIGURED_DELAY: TimeDelta = TimeDelta::hours(1);
/// Fifteen seconds doubled so often pass every bound.
const MAX_DOUBLINGS: u32 = 8;

/// How long to wait after a failure: what the platform asks for, else longer with every failure, with up to a quarter
/// taken off so that connections that failed together do not come back together.
pub fn pause(error: &PlatformError, failures: i32) -> TimeDelta {
    let longest = match error {
        PlatformError::RateLimited { .. } | PlatformError::Transient { .. } => MAX_DELAY,
        _ => MAX_MISCONFIGURED_DELAY,
    };
    let shorter = doubled(failures, longest);
    match error {
        PlatformError::RateLimited { retry_after: Some(asked) } => {
            TimeDelta::from_std(*asked).unwrap_or(longest).max(shorter)
        }
        _ => shorter,
    }
}

/// How long to wait while the deployment lacks what the refresh needs.
pub fn pause_misconfigured(failures: i32) -> TimeDelta {
    doubled(failures, MAX_MISCONFIGURED_DELAY)
}

fn doubled(failures: i32, longest: TimeDelta) -> TimeDelta {
    let doublings = u32::try_from(failures).unwrap_or(0).min(MAX_DOUBLINGS);
    let usual = (FIRST * 2_i32.pow(doublings)).min(longest);
    usual - usual / 4 * rand::rng().random_range(0..=100) / 100
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn between(error: &PlatformError, failures: i32, lowest: TimeDelta, highest: TimeDelta) {
        for _ in 0..100 {
            let pause = pause(error, failures);
            assert!((lowest..=highest).contains(&pause), "{error:?} after {failures}: {pause}");
        }
    }

    #[test]
    fn pauses_double_up_to_a_bound() {
        let away = PlatformError::Transient { detail: "away".into() };
        between(&away, 0, TimeDelta::seconds(11), FIRST);
        between(&away, 2, TimeDelta::seconds(45), TimeDelta::seconds(60));
        between(&away, i32::MAX, TimeDelta::minutes(7), MAX_DELAY);
        let client = PlatformError::InvalidClient { message: "secret".into() };
        between(&client, 30, TimeDelta::minutes(44), MAX_MISCONFIGURED_DELAY);
    }

    #[test]
    fn what_the_platform_asks_for_is_kept() {
        let asked = |seconds| PlatformError::RateLimited { retry_after: Some(Duration::from_secs(seconds)) };
        between(&asked(86_400), 0, TimeDelta::hours(24), TimeDelta::hours(24));
        between(&asked(0), 0, TimeDelta::seconds(11), FIRST);
    }
}
