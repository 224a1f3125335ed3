//! Pauses between attempts to reach Redis.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

const INITIAL_PAUSE: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(1);

/// Pause that doubles from 50 ms to 1 s: a restart of Redis is noticed soon, and a long outage costs and logs
/// little.
#[derive(Debug)]
pub(crate) struct Pause(Duration);

impl Pause {
    /// Creates the shortest pause.
    pub fn new() -> Self {
        Self(INITIAL_PAUSE)
    }

    /// Returns to the shortest pause.
    pub fn reset(&mut self) {
        self.0 = INITIAL_PAUSE;
    }

    /// Waits, longer each time, or until `cancelled`.
    pub async fn wait(&mut self, cancelled: &CancellationToken) {
        let pause = self.0;
        self.0 = (pause * 2).min(MAX_BACKOFF);
        cancelled.run_until_cancelled(tokio::time::sleep(pause)).await;
    }
}
