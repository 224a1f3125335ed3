//! Time as an input, so that a test can move it.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use chrono::{DateTime, Duration, SecondsFormat, SubsecRound, Utc};
use serde::Serializer;

/// Source of the current time. Cheap to clone; clones of a moved clock move together.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    offset_ms: Arc<AtomicI64>,
}

impl Clock {
    /// Current time in whole milliseconds, so that a returned time equals the stored one
    /// (reference/conventions.md#timestamps).
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine")]
        let machine = Utc::now();
        (machine + Duration::milliseconds(self.offset_ms.load(Ordering::Relaxed))).trunc_subsecs(3)
    }

    /// Moves this clock and every clone of it forward.
    pub fn advance(&self, by: Duration) {
        self.offset_ms.fetch_add(by.num_milliseconds(), Ordering::Relaxed);
    }
}

/// Text form of a time in every body, event and mail: RFC 3339 in UTC with exactly three digits of a second
/// and `Z` (reference/conventions.md#timestamps).
#[must_use]
pub fn rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Serializes a time as [`rfc3339`] prints it, for `#[serde(serialize_with = …)]`.
///
/// # Errors
/// Errors of the serializer.
pub fn serialize_rfc3339<S: Serializer>(at: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&rfc3339(*at))
}

/// Serializes an optional time as [`rfc3339`] prints it.
///
/// # Errors
/// Errors of the serializer.
pub fn serialize_optional_rfc3339<S: Serializer>(
    at: &Option<DateTime<Utc>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serialize_rfc3339(at, serializer),
        None => serializer.serialize_none(),
    }
}
