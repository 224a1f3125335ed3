//! Time and identity of a local trigger.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use sandbox::{Clock, FixedClock, SystemClock};
use uuid::Uuid;

/// Time and identity of a trigger. Equal ones give handlers the same random numbers.
#[derive(Clone)]
pub struct Moment {
    /// Id of the event that triggers.
    pub event_id: Uuid,
    clock: Arc<dyn Clock>,
}

impl Moment {
    /// Returns the present moment, whose clock goes on.
    #[must_use]
    pub fn now(event_id: Uuid) -> Self {
        Self { event_id, clock: Arc::new(SystemClock) }
    }

    /// Returns a moment whose clock stands still.
    #[must_use]
    pub fn fixed(event_id: Uuid, at: DateTime<Utc>) -> Self {
        Self { event_id, clock: Arc::new(FixedClock(at.timestamp_micros())) }
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    pub(super) fn at(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.clock.unix_micros()).unwrap_or_default()
    }
}
