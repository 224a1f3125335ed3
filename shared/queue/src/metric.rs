//! Hook for all metrics of the queues.

use std::{fmt, sync::Arc, time::Duration};

/// Occurrence in a queue, for counters and histograms.
#[derive(Debug)]
#[non_exhaustive]
pub enum Metric<'a> {
    /// Jobs were added.
    Enqueued {
        /// Number of jobs.
        jobs: usize,
    },
    /// Jobs were refused because another job holds their idempotency key.
    Duplicate {
        /// Number of jobs.
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
        /// Number of the failed attempt, from 1.
        attempt: u32,
        /// Time until the next attempt.
        delay: Duration,
        /// Run time of the handler.
        took: Duration,
    },
    /// A job became a dead letter.
    Buried {
        /// Reason.
        reason: BuryReason,
        /// Error that an operator will see.
        error: &'a str,
    },
    /// Jobs were taken over from a worker that no longer renewed their leases.
    Reclaimed {
        /// Number of jobs.
        jobs: usize,
    },
    /// Another worker has taken over jobs that this one is still working on, so they run twice.
    LeaseLost {
        /// Number of jobs.
        jobs: usize,
    },
    /// Handlers neither end nor react to their timeout: they block a thread. Their leases are given up.
    Stuck {
        /// Number of handlers.
        jobs: usize,
    },
    /// Delayed jobs became ready.
    Promoted {
        /// Number of jobs.
        jobs: usize,
    },
    /// Jobs went back to the queue: a stopping worker had read and not started them, or they asked to run
    /// again later.
    PutBack {
        /// Number of jobs.
        jobs: usize,
    },
    /// A command of a background task has failed. The task goes on trying.
    RedisFailed {
        /// Name of the task: `reader`, `settler`, `renewer` or `promoter`.
        task: &'static str,
        /// Error of the client or of Redis.
        error: &'a redis::RedisError,
    },
}

/// Reason why a job became a dead letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuryReason {
    /// It failed as often as allowed.
    Exhausted,
    /// Its handler returned an `AbortError`: another attempt would not help.
    Aborted,
    /// Its workers died or hung while they ran it.
    Lost,
    /// It is not a job, or its payload has not the form that the worker expects.
    Undecodable,
}

impl BuryReason {
    /// Reason as a metric label.
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
/// It is called on the path of every job, so it must neither block nor panic. A panic ends the worker, which
/// then starts again.
pub type MetricHook = Arc<dyn Fn(&str, &Metric<'_>) + Send + Sync>;

pub(crate) fn ignore_metrics() -> MetricHook {
    Arc::new(|_, _| {})
}
