//! Time budget of a housekeeping task (reference/jobs.md#schedules). A task works in small steps. When its
//! budget is used up before it is through, another job continues it, so that no job exceeds the timeout of
//! its queue and a worker that stops leaves nothing undone.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Maximum duration of one run of a task. Well below the job's timeout, because the last step may take long.
const MAX_BUDGET: Duration = Duration::from_secs(40);

/// Time and steps that one run of a task may take.
#[derive(Debug)]
pub struct TimeBudget {
    ends_at: Instant,
    steps: usize,
    stop: CancellationToken,
}

/// Progress of a task at the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is left to do.
    Completed,
    /// Another run is needed.
    Pending,
}

impl TimeBudget {
    /// Returns a budget of the usual length. It ends immediately when `stop` is cancelled.
    #[must_use]
    pub fn new(stop: CancellationToken) -> Self {
        Self { ends_at: Instant::now() + MAX_BUDGET, steps: usize::MAX, stop }
    }

    /// Returns a budget of `steps` steps, for tests and tools.
    #[must_use]
    pub fn of(steps: usize) -> Self {
        Self { steps, ..Self::new(CancellationToken::new()) }
    }

    /// True when there is time for another step. Counts that step.
    pub fn allows_step(&mut self) -> bool {
        let allows_step = self.steps > 0 && Instant::now() < self.ends_at && !self.stop.is_cancelled();
        self.steps = self.steps.saturating_sub(1);
        allows_step
    }

    /// True when the budget ended because the worker stops.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}
