//! Results of actions for obstacles in a channel.

use platforms::PlatformError;

use super::{ActionErrorCode, Refusal};
use crate::chat::acting::Obstacle;

impl From<Obstacle> for Refusal {
    fn from(obstacle: Obstacle) -> Self {
        if let Obstacle::Platform(error @ PlatformError::NotConfigured { .. }) = &obstacle {
            // The missing variable concerns the operator, not the extension's developer.
            tracing::warn!(%error, "an action needs an application that is not configured");
            return Self::new(
                ActionErrorCode::NotConnected,
                "The account has no connection that may do this",
            );
        }
        Self::new(code(&obstacle), obstacle.to_string())
    }
}

const fn code(obstacle: &Obstacle) -> ActionErrorCode {
    match obstacle {
        Obstacle::NotConnected { .. } => ActionErrorCode::NotConnected,
        Obstacle::Ambiguous { .. } | Obstacle::TooLong { .. } | Obstacle::UnknownChat => {
            ActionErrorCode::InvalidPayload
        }
        Obstacle::UnknownMessage => ActionErrorCode::NotFound,
        Obstacle::BotDisabled { .. } => ActionErrorCode::BotDisabled,
        Obstacle::LoginReconnectRequired { .. } | Obstacle::ReconnectRequired { .. } => {
            ActionErrorCode::ReconnectRequired
        }
        Obstacle::Postponed | Obstacle::TokenRefused | Obstacle::ApplicationRefused => {
            ActionErrorCode::PlatformUnavailable
        }
        Obstacle::NotLive => ActionErrorCode::PlatformRejected,
        Obstacle::TooFast(_) | Obstacle::BudgetReached(_) | Obstacle::QuotaSpent { .. } => {
            ActionErrorCode::RateLimited
        }
        Obstacle::OwnChannel => ActionErrorCode::Forbidden,
        Obstacle::Unsupported { .. } => ActionErrorCode::NotSupported,
        Obstacle::Platform(error) => code_of(error),
    }
}

const fn code_of(error: &PlatformError) -> ActionErrorCode {
    match error {
        // No token endpoint is called here. A refused grant concerns the connection.
        PlatformError::Unauthorized | PlatformError::InvalidGrant { .. } => {
            ActionErrorCode::ReconnectRequired
        }
        PlatformError::RateLimited { .. } => ActionErrorCode::RateLimited,
        PlatformError::Rejected { .. }
        | PlatformError::Conflict { .. }
        | PlatformError::PremiumRequired
        | PlatformError::NoActiveDevice => ActionErrorCode::PlatformRejected,
        PlatformError::Forbidden { .. } => ActionErrorCode::Forbidden,
        PlatformError::Transient { .. }
        | PlatformError::InvalidResponse { .. }
        | PlatformError::InvalidClient { .. } => ActionErrorCode::PlatformUnavailable,
        PlatformError::Unsupported { .. } => ActionErrorCode::NotSupported,
        PlatformError::NotConfigured { .. } => ActionErrorCode::NotConnected,
    }
}
