//! Metrics of the daemon. No label holds an id.

use std::time::Duration;

use foundation::telemetry::Metrics;
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};
use shared::Result;

/// Buckets of durations in seconds; a run takes at most 300 without its delays.
const DURATION_BUCKETS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 60.0, 300.0];

/// Metrics of one copy. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AutomationMetrics {
    runs: IntCounterVec,
    steps: HistogramVec,
    waits: HistogramVec,
    lateness: HistogramVec,
    running: IntGaugeVec,
    waiting: IntGaugeVec,
}

/// Run that counts as executed until it is dropped.
pub(crate) struct RunningRun(AutomationMetrics);

impl AutomationMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A registered metric of the same name and another kind.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        Ok(Self {
            runs: metrics.counters(
                "lumio_automation_runs_total",
                "Ended runs of automations by status: succeeded, failed or cancelled.",
                &["status"],
            )?,
            steps: metrics.histograms(
                "lumio_automation_action_seconds",
                "Duration of actions by node type.",
                &["type"],
                &DURATION_BUCKETS,
            )?,
            waits: metrics.histograms(
                "lumio_automation_run_wait_seconds",
                "Time from the start of a run to its begin.",
                &[],
                &DURATION_BUCKETS,
            )?,
            lateness: metrics.histograms(
                "lumio_automation_schedule_lateness_seconds",
                "Time from the minute of a schedule to the start of its run.",
                &[],
                &DURATION_BUCKETS,
            )?,
            running: metrics.gauges(
                "lumio_automation_runs_running",
                "Runs that this process executes now, without delayed ones.",
                &[],
            )?,
            waiting: metrics.gauges(
                "lumio_automation_runs_waiting",
                "Runs that wait for their begin, in all processes; counted up to 10,000.",
                &[],
            )?,
        })
    }

    /// Counts a run while it is executed.
    pub fn run(&self) -> RunningRun {
        self.running.with_label_values::<&str>(&[]).inc();
        RunningRun(self.clone())
    }

    /// Records the begin of a run.
    pub fn began(&self, waited: Duration) {
        self.waits.with_label_values::<&str>(&[]).observe(waited.as_secs_f64());
    }

    /// Counts an ended run.
    pub fn ended(&self, status: &str) {
        self.runs.with_label_values(&[status]).inc();
    }

    /// Records an action.
    pub fn acted(&self, node_type: &str, took: Duration) {
        self.steps.with_label_values(&[node_type]).observe(took.as_secs_f64());
    }

    /// Records the start of a schedule.
    pub fn scheduled(&self, late: Duration) {
        self.lateness.with_label_values::<&str>(&[]).observe(late.as_secs_f64());
    }

    /// Shows the number of runs that wait.
    pub fn wait(&self, runs: i64) {
        self.waiting.with_label_values::<&str>(&[]).set(runs);
    }
}

impl Drop for RunningRun {
    fn drop(&mut self) {
        self.0.running.with_label_values::<&str>(&[]).dec();
    }
}
