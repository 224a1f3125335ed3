//! Failures of calls to the API.

/// Reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ApiFailure {
    /// Retry: the API is away or slow.
    #[error("the API cannot be reached: {0}")]
    Away(String),
    /// Retry: the API says that it cannot serve the call now.
    #[error("the API cannot serve now: {0}")]
    Busy(String),
    /// Retry after a pause: the API does not accept the system key. Logged once for each attempt.
    #[error("the API does not accept the system key")]
    KeyRefused,
    /// Permanent: another attempt would fail in the same way.
    #[error("the API refused with {status}: {problem}")]
    Refused { status: u16, problem: String },
}

impl ApiFailure {
    /// True when the failure is logged already.
    pub const fn is_logged(&self) -> bool {
        matches!(self, Self::KeyRefused)
    }
}
