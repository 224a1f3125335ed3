//! Reasons why an action in a channel was not done.

use std::{fmt, time::Duration};

use api_core::{ApiError, Code};
use platforms::PlatformError;
use shared::{clock::rfc3339, platform::Platform};
use usage_model::Stop;

use crate::pace::TooFast;

/// Reason why an action in a channel was not done. The texts hold no secret and are for the caller.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Obstacle {
    /// The account has no channel there, or without a platform none with a chat.
    NotConnected { platform: Option<Platform> },
    /// Several channels fit; one of these must be named.
    Ambiguous { platforms: Vec<String> },
    /// The account disabled the bot, or staff paused it.
    BotDisabled { platform: Platform },
    /// The person has to sign in at the platform again.
    LoginReconnectRequired { platform: Platform },
    /// The channel has to be connected again.
    ReconnectRequired { platform: Platform },
    /// The token has expired and cannot be refreshed now.
    Postponed,
    /// The platform refused a token that it had just issued.
    TokenRefused,
    /// The platform refused the application of Lumio, which the account cannot change.
    ApplicationRefused,
    /// YouTube has a chat only during a broadcast.
    NotLive,
    /// The text is longer than the platform allows.
    TooLong { max: usize },
    /// The account has reached the rate limit.
    TooFast(TooFast),
    /// A budget of messages is used up.
    BudgetReached(Stop),
    /// The rest of the application's daily quota, or of the account's share of it, is too small.
    QuotaSpent { is_share: bool, retry_after: Duration },
    /// The message to delete is not one of the account's chat.
    UnknownMessage,
    /// The given chat belongs to no broadcast of the channel.
    UnknownChat,
    /// The target is the channel itself.
    OwnChannel,
    /// Lumio does not offer the action there (reference/chat.md#supported-actions).
    Unsupported { action: &'static str, platform: Platform },
    /// Error of the platform.
    Platform(PlatformError),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConnected { platform: Some(platform) } => {
                write!(f, "The account is not connected to {platform}")
            }
            Self::NotConnected { platform: None } => {
                f.write_str("The account is not connected to any platform")
            }
            Self::Ambiguous { platforms } => write!(f, "platform must be one of {}", platforms.join(", ")),
            Self::BotDisabled { platform } => write!(f, "The bot is switched off on {platform}"),
            Self::LoginReconnectRequired { platform } => {
                write!(f, "Your own sign-in at {platform} must be connected again")
            }
            Self::ReconnectRequired { platform } => {
                write!(f, "The {platform} channel must be connected again")
            }
            Self::Postponed => f.write_str("The connection's token cannot be refreshed at the moment"),
            Self::TokenRefused => f.write_str("The platform did not accept the connection's token"),
            Self::ApplicationRefused => f.write_str("The platform did not accept the application's token"),
            Self::NotLive => f.write_str("There is no active broadcast"),
            Self::TooLong { max } => write!(f, "message must have 1 to {max} characters"),
            Self::TooFast(too_fast) => too_fast.fmt(f),
            Self::BudgetReached(stop) => {
                write!(f, "The budget of messages is used up until {}", rfc3339(stop.until))
            }
            Self::QuotaSpent { is_share: true, .. } => {
                f.write_str("The account's share of YouTube's quota of the day is spent")
            }
            Self::QuotaSpent { is_share: false, .. } => f.write_str("YouTube's quota of the day is spent"),
            Self::UnknownMessage => f.write_str("Message not found"),
            Self::UnknownChat => f.write_str("live_chat_id must be that of a broadcast of the channel"),
            Self::OwnChannel => f.write_str("The channel's owner cannot be moderated"),
            Self::Unsupported { action, platform } => write!(f, "{action} is not supported on {platform}"),
            Self::Platform(error) => error.fmt(f),
        }
    }
}

impl Obstacle {
    /// True when the cause is in the server or its configuration: its text is not for the caller.
    pub const fn is_internal(&self) -> bool {
        matches!(
            self,
            Self::ApplicationRefused
                | Self::TokenRefused
                | Self::Platform(
                    PlatformError::InvalidResponse { .. }
                        | PlatformError::InvalidClient { .. }
                        | PlatformError::NotConfigured { .. }
                )
        )
    }

    /// True when the platform certainly did nothing. Its own failures, and a conflict, may follow an effect.
    pub const fn is_without_effect(&self) -> bool {
        !matches!(
            self,
            Self::Platform(
                PlatformError::Transient { .. }
                    | PlatformError::InvalidResponse { .. }
                    | PlatformError::Conflict { .. }
            )
        )
    }

    /// Error for operations that return a resource.
    pub fn into_error(self) -> ApiError {
        let message = self.to_string();
        match self {
            Self::NotConnected { .. }
            | Self::BotDisabled { .. }
            | Self::LoginReconnectRequired { .. }
            | Self::ReconnectRequired { .. }
            | Self::NotLive
            | Self::Platform(PlatformError::Conflict { .. } | PlatformError::InvalidGrant { .. }) => {
                ApiError::conflict(message)
            }
            Self::Ambiguous { .. } | Self::TooLong { .. } | Self::UnknownChat => ApiError::invalid(message),
            Self::UnknownMessage => ApiError::not_found(message),
            Self::OwnChannel | Self::Platform(PlatformError::Forbidden { .. }) => {
                ApiError::forbidden(message)
            }
            Self::Unsupported { .. }
            | Self::Platform(PlatformError::Rejected { .. } | PlatformError::Unsupported { .. }) => {
                ApiError::bad_request(message)
            }
            Self::TooFast(TooFast { retry_after, .. }) | Self::QuotaSpent { retry_after, .. } => {
                too_many(Some(retry_after))
            }
            Self::Platform(PlatformError::RateLimited { retry_after }) => too_many(retry_after),
            Self::BudgetReached(_) => ApiError::new(Code::RateLimitExceeded, "Usage budget reached"),
            Self::Postponed | Self::TokenRefused | Self::ApplicationRefused | Self::Platform(_) => {
                ApiError::internal(format_args!("a platform could not be called: {message}"))
            }
        }
    }
}

fn too_many(retry_after: Option<Duration>) -> ApiError {
    let error = ApiError::new(Code::RateLimitExceeded, "Rate limit exceeded");
    match retry_after {
        Some(wait) => error.with_retry_after(wait.as_secs().max(1)),
        None => error,
    }
}
