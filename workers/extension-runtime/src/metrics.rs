//! Metrics of the runtime. No label holds an id: the number of series does not grow with accounts or
//! installs.

use std::time::Duration;

use foundation::telemetry::Metrics;
use prometheus::{HistogramVec, IntCounterVec, IntGaugeVec};

/// Buckets of durations in seconds; a bot call ends at half a second, an event at 30.
const DURATION_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 5.0, 30.0];

/// Buckets of the lateness of polls in seconds; a slot has 10 to 300.
const LATENESS_BUCKETS: [f64; 10] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0];

/// Metrics of the runtime daemon. Cheap to clone.
#[derive(Clone)]
pub struct RuntimeMetrics {
    invocations: IntCounterVec,
    durations: HistogramVec,
    refusals: IntCounterVec,
    actions: IntCounterVec,
    fetches: IntCounterVec,
    compilations: IntCounterVec,
    breakers_opened: IntCounterVec,
    polls: IntCounterVec,
    poll_lateness: HistogramVec,
    feed_synced: IntGaugeVec,
    feed_installs: IntGaugeVec,
    feed_enabled_installs: IntGaugeVec,
    telemetry_buffered: IntGaugeVec,
    telemetry_dropped: IntCounterVec,
    failed_runs_dropped: IntCounterVec,
}

/// Reason why a trigger did not run its handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The command is in its cooldown.
    Cooldown,
    /// The install has used up this minute's invocations.
    RateLimited,
    /// A budget of handler time is used up.
    BudgetReached,
    /// The install's triggers are paused.
    BreakerOpen,
    /// No slot became free in time.
    Overloaded,
    /// The event has more triggers than may run.
    TooMany,
    /// The install is switched off.
    Disabled,
    /// The message or timer is too old to be answered.
    Late,
}

/// Outcome of the slot of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PollOutcome {
    /// The handler was called.
    Called,
    /// The next slot had begun before there was time for this one.
    Late,
    /// The call of an earlier slot still ran.
    Busy,
    /// No slot of the runtime became free in time.
    Overloaded,
    /// The install had used up its invocations of the minute.
    RateLimited,
    /// The install's triggers were paused.
    Paused,
    /// A budget of handler time was used up.
    BudgetReached,
    /// The slot passed between two checks, or its job could not be added.
    Unobserved,
}

impl PollOutcome {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Called => "called",
            Self::Late => "late",
            Self::Busy => "busy",
            Self::Overloaded => "overloaded",
            Self::RateLimited => "rate_limited",
            Self::Paused => "paused",
            Self::BudgetReached => "budget_reached",
            Self::Unobserved => "unobserved",
        }
    }
}

impl Refusal {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Cooldown => "cooldown",
            Self::RateLimited => "rate_limited",
            Self::BudgetReached => "budget_reached",
            Self::BreakerOpen => "breaker_open",
            Self::Overloaded => "overloaded",
            Self::TooMany => "too_many",
            Self::Disabled => "disabled",
            Self::Late => "late",
        }
    }
}

impl RuntimeMetrics {
    /// Registers the metrics.
    ///
    /// # Errors
    /// A name that is taken: two runtimes share a registry.
    pub fn new(metrics: &Metrics) -> shared::Result<Self> {
        Ok(Self {
            invocations: metrics.counters(
                "lumio_runtime_invocations_total",
                "Handler invocations by trigger and outcome: ok or the failure's code.",
                &["trigger", "outcome"],
            )?,
            durations: metrics.histograms(
                "lumio_runtime_invocation_seconds",
                "Time from the start of an invocation to its end.",
                &["trigger"],
                &DURATION_BUCKETS,
            )?,
            refusals: metrics.counters(
                "lumio_runtime_refusals_total",
                "Triggers whose handler did not run, by reason.",
                &["reason"],
            )?,
            actions: metrics.counters(
                "lumio_runtime_actions_total",
                "Actions that handlers requested, by action and outcome: ok, refused or failed.",
                &["action", "outcome"],
            )?,
            fetches: metrics.counters(
                "lumio_runtime_fetches_total",
                "Calls of ctx.fetch by outcome: ok, denied or failed.",
                &["outcome"],
            )?,
            compilations: metrics.counters(
                "lumio_runtime_compilations_total",
                "Handler modules loaded, by outcome: ok or the failure's code.",
                &["outcome"],
            )?,
            breakers_opened: metrics.counters(
                "lumio_runtime_breakers_opened_total",
                "Installs whose triggers were paused after consecutive failures.",
                &[],
            )?,
            polls: metrics.counters(
                "lumio_automation_polls_total",
                "Slots of polled triggers by outcome: called, or the reason why the slot was skipped.",
                &["outcome"],
            )?,
            poll_lateness: metrics.histograms(
                "lumio_automation_poll_lateness_seconds",
                "Time from the begin of a slot to the call of the handler.",
                &[],
                &LATENESS_BUCKETS,
            )?,
            feed_synced: metrics.gauges(
                "lumio_runtime_feed_synced_timestamp_seconds",
                "Time at which the handler feed was last known to be current.",
                &[],
            )?,
            feed_installs: metrics.gauges(
                "lumio_runtime_feed_installs",
                "Installs in the handler feed.",
                &[],
            )?,
            feed_enabled_installs: metrics.gauges(
                "lumio_runtime_feed_enabled_installs",
                "Installs in the handler feed that run.",
                &[],
            )?,
            telemetry_buffered: metrics.gauges(
                "lumio_runtime_telemetry_buffered",
                "Telemetry records waiting to be sent.",
                &[],
            )?,
            telemetry_dropped: metrics.counters(
                "lumio_runtime_telemetry_dropped_total",
                "Telemetry records dropped: the buffer was full or the API refused them.",
                &[],
            )?,
            failed_runs_dropped: metrics.counters(
                "lumio_runtime_failed_runs_dropped_total",
                "Failed runs that could not be stored for a replay.",
                &[],
            )?,
        })
    }

    /// Counts an invocation with its duration.
    pub fn invoked(&self, trigger: &str, outcome: &str, took: Duration) {
        self.invocations.with_label_values(&[trigger, outcome]).inc();
        self.durations.with_label_values(&[trigger]).observe(took.as_secs_f64());
    }

    /// Counts a trigger that did not run.
    pub fn refused(&self, reason: Refusal) {
        self.refusals.with_label_values(&[reason.as_str()]).inc();
    }

    /// Counts an action of a handler.
    pub fn acted(&self, action: &str, outcome: &str) {
        self.actions.with_label_values(&[action, outcome]).inc();
    }

    /// Counts a `ctx.fetch`.
    pub fn fetched(&self, outcome: &str) {
        self.fetches.with_label_values(&[outcome]).inc();
    }

    /// Counts the loading of a module.
    pub fn compiled(&self, outcome: &str) {
        self.compilations.with_label_values(&[outcome]).inc();
    }

    /// Counts a pause of an install's triggers.
    pub fn breaker_opened(&self) {
        self.breakers_opened.with_label_values::<&str>(&[]).inc();
    }

    /// Counts slots of polled triggers.
    pub fn polled(&self, outcome: PollOutcome, slots: u64) {
        self.polls.with_label_values(&[outcome.as_str()]).inc_by(slots);
    }

    /// Counts the call of a poll that began this many seconds after its slot.
    pub fn poll_called(&self, late_secs: i64) {
        self.polled(PollOutcome::Called, 1);
        #[expect(clippy::cast_precision_loss, reason = "a lateness is far below 2^52 seconds")]
        self.poll_lateness.with_label_values::<&str>(&[]).observe(late_secs.max(0) as f64);
    }

    /// Records that the whole feed was current at `unix_seconds`.
    pub fn feed_synced(&self, unix_seconds: i64) {
        self.feed_synced.with_label_values::<&str>(&[]).set(unix_seconds);
    }

    /// Sets the number of installs in the feed, and of those that run.
    pub fn feed_installs(&self, all: usize, enabled: usize) {
        for (gauge, installs) in [(&self.feed_installs, all), (&self.feed_enabled_installs, enabled)] {
            gauge.with_label_values::<&str>(&[]).set(i64::try_from(installs).unwrap_or(i64::MAX));
        }
    }

    /// Sets the number of telemetry records that wait.
    pub fn telemetry_buffered(&self, records: usize) {
        self.telemetry_buffered
            .with_label_values::<&str>(&[])
            .set(i64::try_from(records).unwrap_or(i64::MAX));
    }

    /// Counts failed runs that were dropped.
    pub fn failed_runs_dropped(&self, runs: usize) {
        self.failed_runs_dropped
            .with_label_values::<&str>(&[])
            .inc_by(u64::try_from(runs).unwrap_or(u64::MAX));
    }

    /// Counts telemetry records that were dropped.
    pub fn telemetry_dropped(&self, records: usize) {
        self.telemetry_dropped
            .with_label_values::<&str>(&[])
            .inc_by(u64::try_from(records).unwrap_or(u64::MAX));
    }
}
