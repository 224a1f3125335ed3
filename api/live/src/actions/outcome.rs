//! Outcomes of actions: how they are written, and how a repeated call waits for one.

use std::time::Duration;

use api_core::Result;
use backon::{ExponentialBuilder, Retryable};
use tokio::time::Instant;

/// Longest time of an action: a call without an outcome by then has died.
pub(super) const MAX_RUN_DURATION: chrono::Duration = chrono::Duration::seconds(60);

/// Longest wait of a repeated call.
const WAIT_TIMEOUT: Duration = Duration::from_secs(3);
/// First and longest pause before a repeated call reads again.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(50);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(400);

/// First and longest pause before a write is tried again.
const MIN_WRITE_DELAY: Duration = Duration::from_millis(100);
const MAX_WRITE_DELAY: Duration = Duration::from_secs(2);
/// Number of further attempts. With their pauses they take about as long as a platform may.
const MAX_WRITE_RETRIES: usize = 10;

/// Wait of a repeated call for the outcome of an earlier one.
pub(super) struct OutcomeWait {
    give_up: Instant,
    interval: Duration,
}

impl OutcomeWait {
    /// Begins the wait.
    pub fn begin() -> Self {
        Self { give_up: Instant::now() + WAIT_TIMEOUT, interval: MIN_POLL_INTERVAL }
    }

    /// Pauses before the next reading; false when the wait is over. The pauses grow: many calls may wait while the
    /// database is busy.
    pub async fn pause(&mut self) -> bool {
        if Instant::now() >= self.give_up {
            return false;
        }
        tokio::time::sleep(self.interval).await;
        self.interval = (self.interval * 2).min(MAX_POLL_INTERVAL);
        true
    }
}

/// Runs a write until it succeeds, and returns the last error. Without it the action would count as being carried out
/// until it is too late for it, because the database had no connection free for a moment.
pub(super) async fn until_written<T, F: Future<Output = Result<T>>>(write: impl FnMut() -> F) -> Result<T> {
    write.retry(write_delays()).await
}

fn write_delays() -> ExponentialBuilder {
    ExponentialBuilder::default()
        .with_min_delay(MIN_WRITE_DELAY)
        .with_max_delay(MAX_WRITE_DELAY)
        .with_max_times(MAX_WRITE_RETRIES)
}

#[cfg(test)]
mod tests {
    use backon::BackoffBuilder;

    use super::*;

    #[test]
    fn write_delays_add_up_to_a_quarter_of_a_minute() {
        let delays: Vec<Duration> = write_delays().build().collect();
        assert_eq!(delays.len(), MAX_WRITE_RETRIES);
        let whole: Duration = delays.iter().sum();
        assert!((Duration::from_secs(12)..Duration::from_secs(17)).contains(&whole), "{whole:?}");
    }
}
