//! Pauses between attempts of a failed refresh (reference/connections.md#failed-refreshes).

use chrono::TimeDelta;
use rand::RngExt;

use platforms::PlatformError;

const INITIAL_DELAY: TimeDelta = TimeDelta::seconds(15);
const MAX_DELAY: TimeDelta = TimeDelta::minutes(10);
/// Longest pause while only a change of the configuration can help.
const MAX_MISCONFIGURED_DELAY: TimeDelta = TimeDelta::hours(1);
/// Fifteen seconds doubled this often exceed every bound.
const MAX_DOUBLINGS: u32 = 8;

/// Pause after a failure: the platform's own, else one that grows with every failure. Up to a quarter is
/// taken off, so that connections that failed together do not come back together.
pub fn pause(error: &PlatformError, failures: i32) -> TimeDelta {
    let max = match error {
        PlatformError::RateLimited { .. } | PlatformError::Transient { .. } => MAX_DELAY,
        _ => MAX_MISCONFIGURED_DELAY,
    };
    let shorter = doubled(failures, max);
    match error {
        PlatformError::RateLimited { retry_after: Some(asked) } => {
            TimeDelta::from_std(*asked).unwrap_or(max).max(shorter)
        }
        _ => shorter,
    }
}

/// Pause while the deployment lacks a setting that the refresh needs.
pub fn pause_misconfigured(failures: i32) -> TimeDelta {
    doubled(failures, MAX_MISCONFIGURED_DELAY)
}

fn doubled(failures: i32, max: TimeDelta) -> TimeDelta {
    let doublings = u32::try_from(failures).unwrap_or(0).min(MAX_DOUBLINGS);
    let usual = (INITIAL_DELAY * 2_i32.pow(doublings)).min(max);
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
    fn pause_doubles_up_to_a_bound() {
        let away = PlatformError::Transient { detail: "away".into() };
        between(&away, 0, TimeDelta::seconds(11), INITIAL_DELAY);
        between(&away, 2, TimeDelta::seconds(45), TimeDelta::seconds(60));
        between(&away, i32::MAX, TimeDelta::minutes(7), MAX_DELAY);
        let client = PlatformError::InvalidClient { message: "secret".into() };
        between(&client, 30, TimeDelta::minutes(44), MAX_MISCONFIGURED_DELAY);
    }

    #[test]
    fn pause_respects_the_delay_of_the_platform() {
        let asked = |seconds| PlatformError::RateLimited { retry_after: Some(Duration::from_secs(seconds)) };
        between(&asked(86_400), 0, TimeDelta::hours(24), TimeDelta::hours(24));
        between(&asked(0), 0, TimeDelta::seconds(11), INITIAL_DELAY);
    }
}
