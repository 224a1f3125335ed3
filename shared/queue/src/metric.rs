//! The one hook through which everything that is worth counting is reported.

use std::{fmt, sync::Arc, time::Duration};

/// Something that happened in a queue, for counters and histograms.
#[derive(Debug)]
#[non_exhaustive]
pub enum Metric<'a> {
    /// Jobs were added.
    Enqueued {
        /// How many.
        jobs: usize,
    },
    /// Jobs were refused because another job holds their idempotency key.
    Duplicate {
        /// How many.
        jobs: usize,
    },
    /// A worker has read a job and is about to run it.
    Picked {
        /// Time since the job became ready (a delayed job becomes ready when it is due), by the clocks of
        /// Redis and of this machine.
        wait: Duration,
    },
    /// A job succeeded.
    Done {
        /// Run time of the handler.
        took: Duration,
    },
    /// A job failed and will run again.
    Retried {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Time until the next one.
        delay: Duration,
        /// Run time of the handler.
        took: Duration,
    },
    /// A job went to the dead letters.
    Buried {
        /// Why.
        reason: BuryReason,
        /// The error an operator will see.
        error: &'a str,
    },
    /// Jobs were taken over from a worker that no longer renewed their leases.
    Reclaimed {
        /// How many.
        jobs: usize,
    },
    /// Another worker has taken over jobs that this one is still working on, so they run twice.
    LeaseLost {
        /// How many.
        jobs: usize,
    },
    /// Handlers that neither end nor react to their timeout; they block a thread. Their leases are given up.
    Stuck {
        /// How many.
        jobs: usize,
    },
    /// Delayed jobs became ready.
    Promoted {
        /// How many.
        jobs: usize,
    },
    /// Jobs that a stopping worker had read and not begun, or that asked to come again later, went back to the queue.
    PutBack {
        /// How many.
        jobs: usize,
    },
    /// Redis failed a background task of a worker. The task goes on trying.
    RedisFailed {
        /// The task: `reader`, `settler`, `renewer` or `promoter`.
        task: &'static str,
        /// What Redis said.
        error: &'a redis::RedisError,
    },
}

/// Why a job went to the dead letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuryReason {
    /// It failed as often as it may.
    Exhausted,
    /// Its handler returned an `AbortError`: another attempt would not help.
    Aborted,
    /// Its workers died or hung while they ran it.
    Lost,
    /// It is not a job, or its payload is not what the worker expects.
    Undecodable,
}

impl BuryReason {
    /// The reason as a metric label.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Aborted => "aborted",
            Self::Lost => "lost",
            Self::Undecodable => "undecodable",
        }
    }
}

impl fmt::Display for BuryReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Receives every [`Metric`] with the name of its queue.
///
/// It is called where jobs are handed over, so it must neither block nor panic. A panic ends the worker, which
/// then starts again.
pub type MetricHook = Arc<dyn Fn(&str, &Metric<'_>) + Send + Sync>;

pub(crate) fn ignore_metrics() -> MetricHook {
    Arc::new(|_, _| {})
}
