//! What an obstacle in a channel means for an extension.

use shared::platforms::PlatformError;

use super::{ActionErrorCode, Refusal};
use crate::chat::acting::Obstacle;

impl From<Obstacle> for Refusal {
    fn from(obstacle: Obstacle) -> Self {
        if let Obstacle::Platform(error @ PlatformError::NotConfigured { .. }) = &obstacle {
            // Which variable is missing concerns the operator, not the extension's developer.
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
        Obstacle::TooFast(_) | Obstacle::QuotaSpent { .. } => ActionErrorCode::RateLimited,
        Obstacle::OwnChannel => ActionErrorCode::Forbidden,
        Obstacle::Unsupported { .. } => ActionErrorCode::NotSupported,
        Obstacle::Platform(error) => code_of(error),
    }
}

const fn code_of(error: &PlatformError) -> ActionErrorCode {
    match error {
        // No token endpoint is asked here: what is said of a grant concerns the connection.
        PlatformError::Unauthorized | PlatformError::InvalidGrant { .. } => {
            ActionErrorCode::ReconnectRequired
        }
        PlatformError::RateLimited { .. } => ActionErrorCode::RateLimited,
        PlatformError::Rejected { .. } | PlatformError::Conflict { .. } => ActionErrorCode::PlatformRejected,
        PlatformError::Forbidden { .. } => ActionErrorCode::Forbidden,
        PlatformError::Transient { .. }
        | PlatformError::InvalidResponse { .. }
        | PlatformError::InvalidClient { .. } => ActionErrorCode::PlatformUnavailable,
        PlatformError::Unsupported { .. } => ActionErrorCode::NotSupported,
        PlatformError::NotConfigured { .. } => ActionErrorCode::NotConnected,
    }
}
