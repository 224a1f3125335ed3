//! Errors of calls to platforms (reference/platforms.md#common-rules).

use std::time::Duration;

/// Result with [`PlatformError`].
pub type Result<T, E = PlatformError> = std::result::Result<T, E>;

/// Outcome of a failed call. It never holds a token or an address with a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// The access token is unknown, expired or revoked. Refresh it and try once more, then flag the
    /// connection.
    #[error("the platform did not accept the access token")]
    Unauthorized,
    /// Too many calls. Wait for `retry_after` when the platform stated it.
    #[error("the platform asks for fewer calls")]
    RateLimited { retry_after: Option<Duration> },
    /// The platform refused the call, or a token belongs to another user or application. Another attempt does
    /// not help. The message may be shown to the user.
    #[error("{message}")]
    Rejected { message: String },
    /// The platform protects the target of the call, for example the channel's owner or a moderator. Of the
    /// public directories: it does not let the application make the call.
    #[error("{message}")]
    Forbidden { message: String },
    /// Spotify executes commands for Premium users only.
    #[error("Spotify Premium required")]
    PremiumRequired,
    /// No device of the user plays, so that Spotify has nowhere to send the command.
    #[error("No active Spotify device")]
    NoActiveDevice,
    /// The object to create exists already.
    #[error("{message}")]
    Conflict { message: String },
    /// The authorization code or the refresh token is dead: it was used, has expired or was revoked. Another
    /// attempt does not help. Another process may have refreshed meanwhile, so read the stored token again
    /// before flagging the connection (reference/connections.md#failed-refreshes).
    #[error("the platform no longer accepts the grant: {message}")]
    InvalidGrant { message: String },
    /// The platform does not accept the credentials of the application. It means nothing for the grant of any
    /// user.
    #[error("the platform does not accept the application's credentials: {message}")]
    InvalidClient { message: String },
    /// Network failure, time-out or 5xx. Another attempt may succeed; it is never a reason to flag a
    /// connection.
    #[error("the platform is not available: {detail}")]
    Transient { detail: String },
    /// The call needs a setting that this deployment does not have.
    #[error("{variable} is not set")]
    NotConfigured { variable: String },
    /// The response is too large or has not the documented form.
    #[error("unexpected answer of the platform: {detail}")]
    InvalidResponse { detail: String },
    /// The platform has no such function.
    #[error("{action} is not supported on {platform}")]
    Unsupported { platform: shared::platform::Platform, action: &'static str },
}

impl PlatformError {
    /// True when the same call may succeed later without any change.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Transient { .. } | Self::RateLimited { .. })
    }

    pub(super) fn rejected(message: impl Into<String>) -> Self {
        Self::Rejected { message: message.into() }
    }

    /// [`Self::Forbidden`] in place of a refusal that concerns the application.
    pub(super) fn of_application(self, is_forbidden: bool) -> Self {
        match self {
            Self::Rejected { message } if is_forbidden => Self::Forbidden { message },
            other => other,
        }
    }

    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        Self::InvalidResponse { detail: detail.into() }
    }

    pub(super) fn foreign_subject() -> Self {
        Self::rejected("the access token belongs to another user")
    }

    pub(super) fn foreign_audience() -> Self {
        Self::rejected("the access token was issued to another application")
    }
}
