//! Removals of chat messages by moderators (reference/ingest.md#removals).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// Removal of messages from the chat of an account's channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Removal {
    /// One message, by its id on the platform.
    Message { message_id: String },
    /// All messages of one user.
    User {
        platform_user_id: String,
        action: RemovalAction,
        /// Length of a time-out.
        duration_secs: Option<u32>,
        /// Id of the moderator on the platform, when it is known. Jobs of earlier versions call it
        /// `moderator_id`.
        #[serde(default, alias = "moderator_id")]
        moderator_platform_user_id: Option<String>,
        /// Person who moderated through Lumio.
        #[serde(default)]
        moderator_user_id: Option<Uuid>,
    },
    /// All messages up to the time `at`.
    Chat { at: DateTime<Utc> },
}

/// Reason why all messages of a user were removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemovalAction {
    /// A ban.
    Ban,
    /// A time-out.
    Timeout,
    /// No reason: the platform reports only the removal.
    Clear,
}

impl Removal {
    /// Type of the event on the chat channel.
    #[must_use]
    pub const fn event_type(&self) -> &'static str {
        match self {
            Self::Message { .. } => "chat:delete_message",
            Self::User { .. } => "chat:clear_user",
            Self::Chat { .. } => "chat:clear",
        }
    }

    /// Data of the event on the chat channel.
    #[must_use]
    pub fn data(&self, platform: &str) -> Value {
        match self {
            Self::Message { message_id } => json!({ "platform": platform, "message_id": message_id }),
            Self::User {
                platform_user_id,
                action,
                duration_secs,
                moderator_platform_user_id,
                moderator_user_id,
            } => json!({
                "platform": platform,
                "platform_user_id": platform_user_id,
                "action": action,
                "duration_secs": duration_secs,
                "moderator_id": moderator_user_id,
                "moderator_platform_user_id": moderator_platform_user_id,
            }),
            Self::Chat { .. } => json!({ "platform": platform }),
        }
    }
}
