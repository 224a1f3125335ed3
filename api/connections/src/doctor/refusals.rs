//! Findings of calls to a platform that failed.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use platform_credentials::tokens::Unavailable;
use platforms::PlatformError;
use shared::platform::Platform;

use super::{ConnectionFinding, ConnectionFindingCode as Code};

/// Longest time of the calls of one step to a platform.
pub(super) const STEP_TIMEOUT: Duration = Duration::from_secs(8);

/// Failure of a step that took too long.
pub(super) fn no_answer() -> PlatformError {
    PlatformError::Transient { detail: "no answer in time".to_owned() }
}

/// Finding of a token that could not be used.
pub(super) fn finding_of(
    platform: Platform,
    unavailable: Unavailable,
    now: DateTime<Utc>,
) -> ConnectionFinding {
    let (code, message) = match unavailable {
        Unavailable::Missing => {
            (Code::TokenMissing, format!("The channel on {platform} has no access token."))
        }
        Unavailable::ReconnectRequired => {
            (Code::ReconnectRequired, format!("{platform} no longer accepts the tokens of the channel."))
        }
        Unavailable::Postponed => (
            Code::TokenExpired,
            format!("The token of {platform} has expired and cannot be renewed at present."),
        ),
        Unavailable::Platform(error) => return refused(platform, error, now),
        // The caller reports failures below as such.
        Unavailable::Failed(error) => (Code::PlatformUnavailable, error.to_string()),
    };
    ConnectionFinding::new(code, message)
}

/// Finding of a call that failed.
pub(super) fn refused(platform: Platform, error: PlatformError, now: DateTime<Utc>) -> ConnectionFinding {
    let (code, message) = match error {
        PlatformError::Unauthorized => {
            (Code::TokenRefused, format!("{platform} refuses the access token of the channel."))
        }
        PlatformError::RateLimited { retry_after } => {
            let wait = retry_after.and_then(|wait| TimeDelta::from_std(wait).ok());
            return ConnectionFinding::rate_limited(platform.slug(), wait.map(|wait| now + wait));
        }
        PlatformError::NotConfigured { variable } => {
            (Code::ApplicationMissing, format!("{platform} has no application: {variable} is not set."))
        }
        PlatformError::Transient { detail } => {
            (Code::PlatformUnavailable, format!("{platform} is not available: {detail}."))
        }
        PlatformError::InvalidResponse { detail } => {
            (Code::PlatformUnavailable, format!("{platform} answers in an unexpected form: {detail}."))
        }
        other => (Code::ApplicationRefused, format!("{platform} refuses the check: {other}.")),
    };
    ConnectionFinding::new(code, message)
}
