//! Outcomes of attempts (reference/webhooks.md#retries).

use std::time::Duration;

use crate::client::Answer;

/// Status of a receiver that wants no further deliveries.
const GONE: u16 = 410;

/// Outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The receiver has answered 2xx.
    Delivered(Answer),
    /// The receiver has answered 410.
    Gone(Answer),
    /// The receiver has answered another status.
    Refused(Answer),
    /// No answer, with the reason.
    Unreachable(String),
    /// Nothing was sent, for this reason.
    Unsent(Unsent),
}

/// Reason for which a delivery fails without a request. It is no failure of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsent {
    /// The event is no longer stored.
    Missing,
    /// The stored event cannot be read.
    Unreadable,
    /// The endpoint no longer receives the type.
    NotChosen,
    /// The feature of the type is off for the account.
    SwitchedOff,
}

/// An attempt that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// Outcome.
    pub outcome: Outcome,
    /// Duration of the request.
    pub took: Duration,
}

impl Outcome {
    /// Outcome of a request.
    pub fn of(sent: Result<Answer, String>) -> Self {
        match sent {
            Ok(answer) if (200..300).contains(&answer.status) => Self::Delivered(answer),
            Ok(answer) if answer.status == GONE => Self::Gone(answer),
            Ok(answer) => Self::Refused(answer),
            Err(reason) => Self::Unreachable(reason),
        }
    }

    /// Name in metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Delivered(_) => "delivered",
            Self::Gone(_) => "gone",
            Self::Refused(_) => "refused",
            Self::Unreachable(_) => "unreachable",
            Self::Unsent(reason) => reason.name(),
        }
    }

    /// Answer of the receiver, if there was one.
    pub const fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Delivered(answer) | Self::Gone(answer) | Self::Refused(answer) => Some(answer),
            Self::Unreachable(_) | Self::Unsent(_) => None,
        }
    }

    /// Reason of a failure, for the account; `None` for a success.
    pub fn error(&self) -> Option<String> {
        match self {
            Self::Delivered(_) => None,
            Self::Refused(Answer { status: status @ 300..400, .. }) => {
                Some(format!("Redirects are not followed (HTTP status {status})"))
            }
            Self::Gone(answer) | Self::Refused(answer) => Some(format!("HTTP status {}", answer.status)),
            Self::Unreachable(reason) => Some(reason.clone()),
            Self::Unsent(reason) => Some(reason.text().to_owned()),
        }
    }
}

impl Unsent {
    const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::NotChosen => "not_chosen",
            Self::SwitchedOff => "switched_off",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Missing => "The event is no longer stored",
            Self::Unreadable => "The event cannot be read",
            Self::NotChosen => "The endpoint no longer receives this type",
            Self::SwitchedOff => "The feature is off for the account",
        }
    }
}

impl Attempt {
    /// True when a request was sent.
    pub const fn was_sent(&self) -> bool {
        !matches!(self.outcome, Outcome::Unsent(_))
    }

    /// Duration in milliseconds; `None` when no request was sent.
    pub fn duration_ms(&self) -> Option<i32> {
        self.was_sent().then(|| i32::try_from(self.took.as_millis()).unwrap_or(i32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_follows_the_status() {
        let of = |status| Outcome::of(Ok(Answer { status, excerpt: String::new() }));
        for (status, name, error) in [
            (200, "delivered", None),
            (299, "delivered", None),
            (302, "refused", Some("Redirects are not followed (HTTP status 302)")),
            (404, "refused", Some("HTTP status 404")),
            (410, "gone", Some("HTTP status 410")),
            (503, "refused", Some("HTTP status 503")),
        ] {
            let outcome = of(status);
            assert_eq!((outcome.name(), outcome.error().as_deref()), (name, error), "{status}");
        }
        assert_eq!(Outcome::of(Err("No".into())).error().as_deref(), Some("No"));
    }
}
