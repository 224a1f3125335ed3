//! Actions of handlers: names, needed permissions, payloads, and the reasons of refusals
//! (reference/handlers.md#host-actions). The API executes them; `lumio-ext` checks them on a developer's machine.

mod request;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use request::{Action, ActionKind, Emit, Moderate, Send};

/// Reason why an action was not executed (docs/reference/handlers.md#action-errors).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActionErrorCode {
    /// The manifest does not declare the action, or the account has not granted it.
    PermissionError,
    /// There is no such action.
    UnknownAction,
    /// The payload does not fit the action; the message names the field.
    InvalidPayload,
    /// The install is disabled or killed.
    InstallDisabled,
    /// The account has no connection to the platform.
    NotConnected,
    /// The account has switched the bot off on the platform.
    BotDisabled,
    /// The platform no longer accepts the connection's token.
    ReconnectRequired,
    /// The platform has no such action, or Lumio does not offer it there.
    NotSupported,
    /// The target is the channel itself.
    Forbidden,
    /// The account's chat has no such message.
    NotFound,
    /// The platform asks for fewer calls, or the account or install has reached its limit.
    RateLimited,
    /// The platform refused; the message contains its text.
    PlatformRejected,
    /// The platform returned no valid response: the effect may have happened.
    PlatformUnavailable,
    /// Another call is executing the same action.
    InProgress,
    /// An earlier call ended without an outcome: the effect may have happened.
    OutcomeUnknown,
    /// The id was used for another action.
    InvocationMismatch,
    /// The line or event that it responds to is too old.
    Expired,
}

/// Reason why an action was not executed, with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Code of the reason.
    pub code: ActionErrorCode,
    /// Message for the extension's developer.
    pub message: String,
}

impl ActionKind {
    /// Checks that an install has every permission that the action needs.
    ///
    /// # Errors
    /// `PERMISSION_ERROR` with the first permission that it does not have.
    pub fn check(self, has: impl Fn(&str) -> bool) -> Result<(), Refusal> {
        match self.declarations().iter().find(|needed| !has(needed)) {
            None => Ok(()),
            Some(lacking) => Err(Refusal::new(
                ActionErrorCode::PermissionError,
                format!("{} needs the permission {lacking}, which the install does not have", self.as_str()),
            )),
        }
    }
}

impl Refusal {
    /// Refusal with a code and a message.
    pub fn new(code: ActionErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Refusal after an outage: a reply long after its line has no use.
    #[must_use]
    pub fn expired() -> Self {
        Self::new(ActionErrorCode::Expired, "What it answers is too long ago")
    }
}
