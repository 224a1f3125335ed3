//! Metric of requests with a key (reference/telemetry.md#metrics).

use prometheus::IntCounterVec;

use crate::State;

/// Outcome of a request with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The operation was executed, and its answer is stored.
    Executed,
    /// The operation was executed, and a retry executes it again.
    Unstored,
    /// The stored answer was repeated.
    Replayed,
    /// The answer was not stored, so it was not repeated.
    NotRepeatable,
    /// The key belongs to another request.
    Reused,
    /// An earlier request with the key runs.
    Running,
    /// An earlier request with the key has ended without an answer.
    Unknown,
    /// An answer was not stored, because it holds a credential. Counted beside the outcome of its request.
    Withheld,
    /// An operation with a claim succeeded without the begin of an effect. Counted beside the outcome of its request.
    Effectless,
}

impl Outcome {
    const ALL: [Self; 9] = [
        Self::Executed,
        Self::Unstored,
        Self::Replayed,
        Self::NotRepeatable,
        Self::Reused,
        Self::Running,
        Self::Unknown,
        Self::Withheld,
        Self::Effectless,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::Unstored => "unstored",
            Self::Replayed => "replayed",
            Self::NotRepeatable => "not_repeatable",
            Self::Reused => "reused",
            Self::Running => "running",
            Self::Unknown => "unknown",
            Self::Withheld => "withheld",
            Self::Effectless => "effectless",
        }
    }

    /// Counts the outcome.
    pub fn count(self, state: &State) {
        if let Some(counts) = &state.component(Counts::new).0 {
            counts.with_label_values(&[self.as_str()]).inc();
        }
    }
}

/// Counters of outcomes.
struct Counts(Option<IntCounterVec>);

impl Counts {
    fn new(state: &State) -> Self {
        let help = "Requests with an Idempotency-Key by outcome.";
        match state.metrics.counters("lumio_idempotent_requests_total", help, &["outcome"]) {
            Ok(counts) => {
                for outcome in Outcome::ALL {
                    counts.with_label_values(&[outcome.as_str()]);
                }
                Self(Some(counts))
            }
            Err(error) => {
                tracing::error!(%error, "requests with an Idempotency-Key are not counted");
                Self(None)
            }
        }
    }
}
