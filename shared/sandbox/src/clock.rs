use std::time::{SystemTime, UNIX_EPOCH};

/// Source of the time for handler code. An input of each invocation, so that a recorded one can be replayed.
pub trait Clock: Send + Sync + 'static {
    /// Returns microseconds since the Unix epoch.
    fn unix_micros(&self) -> i64;
}

/// Clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn unix_micros(&self) -> i64 {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX)
    }
}

/// Clock that always returns the given number of microseconds since the Unix epoch.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub i64);

impl Clock for FixedClock {
    fn unix_micros(&self) -> i64 {
        self.0
    }
}
