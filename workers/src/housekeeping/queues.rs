//! Gauges of the queues.

use foundation::{jobs::QUEUES, telemetry::Metrics};
use prometheus::IntGaugeVec;
use shared::Result;

use worker_core::Context;

/// Number of jobs by queue and state.
pub(super) struct QueueGauges {
    jobs: IntGaugeVec,
}

impl QueueGauges {
    /// Registers the gauges.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        let help = "Jobs that a queue holds: ready, running, delayed or dead.";
        Ok(Self { jobs: metrics.gauges("lumio_queue_jobs", help, &["queue", "state"])? })
    }

    /// Reads the queues into the gauges.
    pub async fn measure(&self, context: &Context) {
        for queue in QUEUES {
            match context.queues.stats(queue).await {
                Ok(stats) => {
                    let states = [
                        ("ready", stats.ready),
                        ("running", stats.running),
                        ("delayed", stats.delayed),
                        ("dead", stats.dead),
                    ];
                    for (state, jobs) in states {
                        self.jobs
                            .with_label_values(&[queue, state])
                            .set(i64::try_from(jobs).unwrap_or(i64::MAX));
                    }
                }
                Err(error) => tracing::warn!(queue, %error, "the state of a queue cannot be read"),
            }
        }
    }
}
