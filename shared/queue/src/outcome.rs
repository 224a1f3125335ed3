//! Outcomes of runs.

use std::{any::Any, fmt, time::Duration};

use apalis_core::error::{AbortError, BoxDynError, RetryAfterError};

use crate::{Config, envelope::Envelope, metric::BuryReason};

/// Longest error text that is kept with a dead letter.
const MAX_ERROR_CHARS: usize = 2_000;

/// Next place of a job. The envelopes are in the form to be stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// It succeeded. Its idempotency key is forgotten with it, if there is one here.
    Done {
        key: Option<String>,
    },
    Retry {
        envelope: String,
        delay: Duration,
    },
    Bury {
        envelope: String,
        error: String,
        reason: BuryReason,
    },
    /// It asked to run again, and nothing has failed.
    Later {
        envelope: String,
        delay: Duration,
    },
    PutBack {
        envelope: String,
    },
}

/// Outcome of one entry of the stream.
#[derive(Debug)]
pub(crate) struct Settlement {
    /// Id of the entry.
    pub entry_id: String,
    /// Outcome of its run.
    pub outcome: Outcome,
}

/// Error of a handler that has not done its job and requests another run. It is no failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Later {
    delay: Duration,
}

impl Later {
    /// Requests another run after `delay` at the earliest.
    #[must_use]
    pub const fn after(delay: Duration) -> Self {
        Self { delay }
    }
}

impl fmt::Display for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "to be run again in {:?}", self.delay)
    }
}

impl std::error::Error for Later {}

impl Outcome {
    /// Outcome of a run that failed with `error`.
    pub fn of_failure(config: &Config, envelope: &Envelope, error: &BoxDynError) -> Self {
        if let Some(later) = error.downcast_ref::<Later>() {
            return Self::Later { envelope: envelope.to_string(), delay: later.delay };
        }
        let failed = envelope.failed();
        let aborted = error.downcast_ref::<AbortError>().is_some();
        if aborted || failed.failed_attempts >= failed.max_attempts {
            let reason = if aborted { BuryReason::Aborted } else { BuryReason::Exhausted };
            return Self::Bury { envelope: failed.to_string(), error: error_text(error), reason };
        }
        let delay = match error.downcast_ref::<RetryAfterError>() {
            Some(asked) => asked.get_duration(),
            None => config.backoff.delay(failed.failed_attempts),
        };
        Self::Retry { envelope: failed.to_string(), delay }
    }

    /// Outcome of an entry that is not run at all.
    pub fn bury(envelope: String, error: &str, reason: BuryReason) -> Self {
        Self::Bury { envelope, error: shortened(error), reason }
    }
}

/// Error of a handler that panicked, with the message of the panic if there is one.
pub(crate) fn panic_error(panic: &(dyn Any + Send)) -> BoxDynError {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("handler panicked: {}", message.unwrap_or("no message")).into()
}

/// Text of the handler's own error: apalis wraps the error of a handler that decides on further attempts.
pub(crate) fn error_text(error: &BoxDynError) -> String {
    let wraps =
        error.downcast_ref::<AbortError>().is_some() || error.downcast_ref::<RetryAfterError>().is_some();
    match error.source() {
        Some(source) if wraps => shortened(&source.to_string()),
        _ => shortened(&error.to_string()),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_ERROR_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn failing(failed_attempts: u32, error: BoxDynError) -> Outcome {
        let payload = RawValue::from_string("{}".into()).unwrap();
        let envelope = Envelope { failed_attempts, ..Envelope::new(payload, 3) };
        Outcome::of_failure(&Config::new("test"), &envelope, &error)
    }

    fn attempts(envelope: &str) -> u32 {
        Envelope::parse(envelope).unwrap().failed_attempts
    }

    #[test]
    fn outcome_of_a_failure_is_a_retry_until_the_last_attempt() {
        for before in [0, 1] {
            let Outcome::Retry { envelope, delay } = failing(before, "no".into()) else {
                panic!("not retried")
            };
            assert_eq!(attempts(&envelope), before + 1);
            assert!(delay > Duration::ZERO);
        }
        let Outcome::Bury { envelope, error, reason } = failing(2, "no".into()) else { panic!("not buried") };
        assert_eq!((attempts(&envelope), error.as_str(), reason), (3, "no", BuryReason::Exhausted));
    }

    #[test]
    fn outcome_of_an_abort_is_a_burial_with_the_error_of_the_handler() {
        let outcome = failing(0, AbortError::new("account is gone").into());
        let Outcome::Bury { error, reason, .. } = outcome else { panic!("not buried") };
        assert_eq!((error.as_str(), reason), ("account is gone", BuryReason::Aborted));
    }

    #[test]
    fn outcome_respects_the_delay_that_the_handler_requests() {
        let asked = Duration::from_secs(77);
        let outcome = failing(0, RetryAfterError::new("limited", asked).into());
        assert!(matches!(outcome, Outcome::Retry { delay, .. } if delay == asked), "{outcome:?}");
    }

    #[test]
    fn outcome_of_a_postponed_job_counts_no_attempt() {
        let asked = Duration::from_millis(77);
        for before in [0, 2] {
            let outcome = failing(before, Later::after(asked).into());
            let Outcome::Later { envelope, delay } = outcome else { panic!("not put back") };
            assert_eq!((attempts(&envelope), delay), (before, asked));
        }
    }

    #[test]
    fn outcome_shortens_long_errors() {
        let Outcome::Bury { error, .. } = failing(2, "ä".repeat(5_000).into()) else { panic!("not buried") };
        assert_eq!(error.chars().count(), MAX_ERROR_CHARS);
    }

    #[test]
    fn panic_error_keeps_the_message() {
        assert_eq!(panic_error(&"why").to_string(), "handler panicked: why");
        assert_eq!(panic_error(&String::from("because")).to_string(), "handler panicked: because");
        assert_eq!(panic_error(&7).to_string(), "handler panicked: no message");
    }
}
