//! Decision about a request whose key is known.

use chrono::{DateTime, TimeDelta, Utc};
use foundation::crypto::Keyring;
use serde_json::json;

use super::{
    answer::Replay,
    entry::{Entry, Row},
    outcome::Outcome,
    protocol::Idempotency,
};
use crate::{ApiError, Result};

/// Time for which an answer can be repeated.
const ANSWER_TTL: TimeDelta = TimeDelta::hours(24);
/// Seconds of `Retry-After` while a request runs.
const RETRY_AFTER_SECS: u64 = 1;

/// Decision.
#[derive(Debug)]
pub(super) enum Known {
    /// The stored answer is repeated.
    Replay(Replay),
    /// The answer was not stored.
    NotRepeatable,
    /// The key belongs to another request.
    Reused,
    /// The request runs.
    Running,
    /// The request has ended without an answer.
    Lost,
}

/// Time before which rows have expired.
pub(super) fn expired(now: DateTime<Utc>) -> DateTime<Utc> {
    now - ANSWER_TTL
}

impl Known {
    /// Decides by the row of a request.
    ///
    /// # Errors
    /// 500 when the stored answer cannot be read.
    pub fn of(keyring: &Keyring, found: &Row, entry: &Entry) -> Result<Self> {
        if found.fingerprint != entry.fingerprint {
            return Ok(Self::Reused);
        }
        if found.status.is_some() {
            return Ok(Replay::of(keyring, found)?.map_or(Self::NotRepeatable, Self::Replay));
        }
        let max_run = entry.rule.idempotency.map_or(TimeDelta::zero(), Idempotency::max_run);
        let is_lost = entry.started_at - found.started_at > max_run;
        Ok(if is_lost { Self::Lost } else { Self::Running })
    }

    /// Outcome in the metric.
    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Replay(_) => Outcome::Replayed,
            Self::NotRepeatable => Outcome::NotRepeatable,
            Self::Reused => Outcome::Reused,
            Self::Running => Outcome::Running,
            Self::Lost => Outcome::Unknown,
        }
    }

    /// Answer of the repeated request.
    pub fn reply(self) -> Result<Replay, ApiError> {
        let coded =
            |message: &str, code: &str| ApiError::conflict(message).with_details(json!({ "code": code }));
        Err(match self {
            Self::Replay(replay) => return Ok(replay),
            Self::NotRepeatable => ApiError::conflict("Answer not repeatable"),
            Self::Reused => coded("Idempotency-Key was used with another body", "IDEMPOTENCY_KEY_REUSED"),
            Self::Running => ApiError::conflict("A request with this Idempotency-Key is running")
                .with_retry_after(RETRY_AFTER_SECS),
            Self::Lost => coded("The outcome of the first request is unknown", "OUTCOME_UNKNOWN"),
        })
    }
}
