//! Time of handlers (reference/usage.md#handler-time).

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::{Meter, Receipt};
use crate::{consumer::Consumer, counts::Counter};

/// Interval in which the time of a run is counted while it goes on. A run that is cut off has the time until its last
/// heartbeat.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Run whose time is counted. What is left is counted when it ends or is dropped.
struct RunTime {
    meter: Meter,
    consumer: Consumer,
    began: Instant,
    counted: Duration,
    is_ended: bool,
}

impl Meter {
    /// Runs work and counts its time, from its first poll to its end. Returns its output with the receipt of the time
    /// since the last heartbeat.
    pub async fn timed<F: Future>(&self, consumer: Consumer, work: F) -> (F::Output, Receipt) {
        let (meter, began) = (self.clone(), Instant::now());
        let mut run = RunTime { meter, consumer, began, counted: Duration::ZERO, is_ended: false };
        let mut heartbeats = interval_at(run.began + HEARTBEAT_INTERVAL, HEARTBEAT_INTERVAL);
        heartbeats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                biased;
                output = &mut work => return (output, run.end()),
                _ = heartbeats.tick() => drop(run.heartbeat()),
            }
        }
    }
}

impl RunTime {
    /// Counts the time since the last heartbeat. Fractions of a microsecond are left for the next one.
    fn heartbeat(&mut self) -> Receipt {
        let spent = self.began.elapsed().saturating_sub(self.counted);
        let micros = i64::try_from(spent.as_micros()).unwrap_or(i64::MAX);
        if micros <= 0 {
            return Receipt::none();
        }
        self.counted += Duration::from_micros(micros.unsigned_abs());
        self.meter.count(self.consumer, Counter::HandlerUs, micros)
    }

    /// Counts the rest.
    fn end(&mut self) -> Receipt {
        self.is_ended = true;
        self.heartbeat()
    }
}

impl Drop for RunTime {
    fn drop(&mut self) {
        if !self.is_ended {
            drop(self.heartbeat());
        }
    }
}
