//! Outcomes of deliveries and of the runs of their jobs.

use std::time::Duration;

/// Delay after which a job runs again that has waited in vain.
const RECHECK_DELAY: Duration = Duration::from_secs(2);

/// Outcome of a job's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    Done,
    /// Runs again within this time; not a failed attempt. Leaders may handle its delivery meanwhile.
    Later(Duration),
}

impl Run {
    /// Returns the outcome of a job that has waited in vain.
    pub const fn recheck() -> Self {
        Self::Later(RECHECK_DELAY)
    }
}

/// Outcome of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Name in metrics.
    pub name: &'static str,
    /// True when its handlers run.
    pub has_triggered: bool,
}

impl Outcome {
    /// Returns an outcome that runs no handlers.
    pub const fn without_triggers(name: &'static str) -> Self {
        Self { name, has_triggered: false }
    }
}
