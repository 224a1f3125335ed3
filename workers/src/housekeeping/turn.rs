//! One turn of a task. A task works in small steps; when its turn is over before it is through, a job is added that goes
//! on, so that no job is longer than its queue allows and a worker that stops hands on what is left.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Well within what the queue allows a job: the last step may take its time.
const MAX_DURATION: Duration = Duration::from_secs(40);

/// How long a task may go on.
#[derive(Debug)]
pub struct Turn {
    ends_at: Instant,
    steps: usize,
    stop: CancellationToken,
}

/// How far a turn came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Through,
    /// Another turn is needed.
    Left,
}

impl Turn {
    /// A turn of the usual length, over at once when the worker stops.
    #[must_use]
    pub fn new(stop: CancellationToken) -> Self {
        Self { ends_at: Instant::now() + MAX_DURATION, steps: usize::MAX, stop }
    }

    /// A turn of so many steps.
    #[must_use]
    pub fn of(steps: usize) -> Self {
        Self { steps, ..Self::new(CancellationToken::new()) }
    }

    /// Whether there is time for another step, which is then counted.
    pub fn goes_on(&mut self) -> bool {
        let goes_on = self.steps > 0 && Instant::now() < self.ends_at && !self.stop.is_cancelled();
        self.steps = self.steps.saturating_sub(1);
        goes_on
    }

    /// Whether it ended because the worker stops.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}
