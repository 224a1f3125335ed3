//! Time as an input, so that a test can move it.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use chrono::{DateTime, Duration, SubsecRound, Utc};

/// The time of day. Cheap to clone; clones of a moved clock move together.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    offset_ms: Arc<AtomicI64>,
}

impl Clock {
    /// Now, in whole milliseconds: what is answered equals what was stored (specification C §1, timestamps).
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine")]
        let machine = Utc::now();
        (machine + Duration::milliseconds(self.offset_ms.load(Ordering::Relaxed))).trunc_subsecs(3)
    }

    /// Moves this clock, and every clone of it, forward.
    pub fn advance(&self, by: Duration) {
        self.offset_ms.fetch_add(by.num_milliseconds(), Ordering::Relaxed);
    }
}
