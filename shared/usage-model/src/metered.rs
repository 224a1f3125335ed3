//! Consumer with its meter and stops.

use crate::{Consumer, Counter, Meter, Receipt, Stop, Stops, Unit};

/// Consumer whose use is counted and may be refused. Cheap to clone.
#[derive(Clone)]
pub struct Metered {
    meter: Meter,
    stops: Stops,
    consumer: Consumer,
}

impl Metered {
    /// Meter of a consumer.
    #[must_use]
    pub const fn new(meter: Meter, stops: Stops, consumer: Consumer) -> Self {
        Self { meter, stops, consumer }
    }

    /// Returns the stop of a unit; `None` while it may be used.
    #[must_use]
    pub fn stop(&self, unit: Unit) -> Option<Stop> {
        self.stops.find(&self.consumer, unit)
    }

    /// Counts one.
    pub fn count(&self, counter: Counter) -> Receipt {
        self.meter.count(self.consumer, counter, 1)
    }

    /// Takes back what was counted and did not happen.
    pub fn take_back(&self, receipt: &Receipt) -> Receipt {
        self.meter.take_back(receipt)
    }

    /// Runs work and counts its time. Returns its output with the receipt of the time since the last heartbeat.
    pub async fn timed<F: Future>(&self, work: F) -> (F::Output, Receipt) {
        self.meter.timed(self.consumer, work).await
    }
}
