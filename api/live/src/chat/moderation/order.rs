//! Orders to moderate.

use foundation::audit::Actor;
use shared::platform::Platform;
use uuid::Uuid;

use super::ModerationLogAction;
use crate::chat::acting::As;

/// Moderation to execute.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// Account of the chat.
    pub account: Uuid,
    /// Acting identity.
    pub who: As,
    /// Platform; `None` for the only connected one.
    pub platform: Option<Platform>,
    /// Action of the log.
    pub action: ModerationLogAction,
    /// The platform's id of the user, or of the message of a deletion.
    pub target: String,
    /// Duration of a time-out.
    pub duration_secs: Option<u32>,
    /// Reason for the log and the platform.
    pub reason: Option<String>,
    /// Chat on YouTube; that of the active broadcast when absent.
    pub live_chat_id: Option<String>,
    /// Caller for the log and the audit log.
    pub moderator: Actor,
    /// Truncated address of the caller.
    pub ip: Option<String>,
}
