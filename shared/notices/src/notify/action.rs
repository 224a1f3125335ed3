//! Actions that notifications offer (reference/notifications.md#actions).

use serde::{Deserialize, Serialize};

/// Action that a notification offers, run by `POST /v1/notifications/{id}/actions/{key}`
/// (reference/notifications.md#actions).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Key in the path.
    pub key: String,
    /// Displayed text.
    pub label: String,
}

/// Key of the action that accepts an invite.
pub const ACCEPT_INVITE: &str = "accept_invite";
/// Key of the action that declines an invite.
pub const DECLINE_INVITE: &str = "decline_invite";
/// Key of the action that confirms a login which an API key linked.
pub const CONFIRM_LOGIN: &str = "confirm_login";
/// Key of the action that discards such a login.
pub const DECLINE_LOGIN: &str = "decline_login";
/// Key of the action that confirms an e-mail address which an API key requested.
pub const CONFIRM_EMAIL: &str = "confirm_email";
/// Key of the action that discards such an address.
pub const DECLINE_EMAIL: &str = "decline_email";
