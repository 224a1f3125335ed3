//! Error of a setting.

/// Error for a setting that cannot be used. It omits the value, which may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {reason}")]
pub struct InvalidSetting {
    /// Name of the environment variable.
    pub variable: String,
    /// Form that the value must have.
    pub reason: String,
}
