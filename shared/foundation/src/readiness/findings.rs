//! Results of the check of a server.

use std::time::Duration;

use super::ReasonCode;

/// Longest wait for a store before it counts as away.
pub(super) const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Reason why a store cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// Kind of the reason.
    pub code: ReasonCode,
    /// Cause in words, for operators only.
    pub detail: String,
}

/// Results of the check of a server: each store on it, and its problem if it has one.
pub(super) type Findings = Vec<(&'static str, Option<Problem>)>;
