//! Metrics of the queues.

use std::{sync::Arc, time::Duration};

use prometheus::{HistogramVec, IntCounterVec};
use queue::{Metric, MetricHook};

use super::QUEUES;
use crate::telemetry::Metrics;
use shared::Result;

const DURATION_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 10.0, 60.0];

/// Counters and latencies of every queue, by the label `queue`.
#[derive(Clone, Debug)]
pub struct JobMetrics {
    jobs: IntCounterVec,
    dead: IntCounterVec,
    waits: HistogramVec,
    runs: HistogramVec,
    redis_failures: IntCounterVec,
}

impl JobMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A metric of the same name that is registered already.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        let this = Self {
            jobs: metrics.counters(
                "lumio_jobs_total",
                "Jobs by outcome: enqueued, duplicate, picked, done, retried, reclaimed, lease_lost, stuck, \
                 promoted or put_back.",
                &["queue", "outcome"],
            )?,
            dead: metrics.counters(
                "lumio_jobs_dead_total",
                "Jobs that went to the dead letters.",
                &["queue", "reason"],
            )?,
            waits: metrics.histograms(
                "lumio_job_wait_seconds",
                "Time from the moment a job was ready to the start of its handler.",
                &["queue"],
                &DURATION_BUCKETS,
            )?,
            runs: metrics.histograms(
                "lumio_job_run_seconds",
                "Run time of handlers.",
                &["queue"],
                &DURATION_BUCKETS,
            )?,
            redis_failures: metrics.counters(
                "lumio_jobs_redis_failures_total",
                "Failures of Redis in the background tasks of workers.",
                &["queue", "task"],
            )?,
        };
        // Creates the series at once, so that a rate can be computed from the first job on.
        for queue in QUEUES {
            for outcome in ["enqueued", "picked", "done", "retried"] {
                this.jobs.with_label_values(&[queue, outcome]);
            }
        }
        Ok(this)
    }

    /// Hook for a queue connection.
    #[must_use]
    pub fn hook(&self) -> MetricHook {
        let metrics = self.clone();
        Arc::new(move |queue, metric| metrics.record(queue, metric))
    }

    fn record(&self, queue: &str, metric: &Metric<'_>) {
        match metric {
            Metric::Enqueued { jobs } => self.count(queue, "enqueued", *jobs),
            Metric::Duplicate { jobs } => self.count(queue, "duplicate", *jobs),
            Metric::Picked { wait } => {
                self.count(queue, "picked", 1);
                self.waits.with_label_values(&[queue]).observe(wait.as_secs_f64());
            }
            Metric::Done { took } => self.ran(queue, "done", *took),
            Metric::Retried { took, .. } => self.ran(queue, "retried", *took),
            Metric::Buried { reason, .. } => self.dead.with_label_values(&[queue, reason.as_str()]).inc(),
            Metric::Reclaimed { jobs } => self.count(queue, "reclaimed", *jobs),
            Metric::LeaseLost { jobs } => self.count(queue, "lease_lost", *jobs),
            Metric::Stuck { jobs } => self.count(queue, "stuck", *jobs),
            Metric::Promoted { jobs } => self.count(queue, "promoted", *jobs),
            Metric::PutBack { jobs } => self.count(queue, "put_back", *jobs),
            Metric::RedisFailed { task, .. } => self.redis_failures.with_label_values(&[queue, task]).inc(),
            // The list of metrics may grow.
            _ => {}
        }
    }

    fn ran(&self, queue: &str, outcome: &str, took: Duration) {
        self.count(queue, outcome, 1);
        self.runs.with_label_values(&[queue]).observe(took.as_secs_f64());
    }

    fn count(&self, queue: &str, outcome: &str, jobs: usize) {
        self.jobs.with_label_values(&[queue, outcome]).inc_by(u64::try_from(jobs).unwrap_or(u64::MAX));
    }
}
