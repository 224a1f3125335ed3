//! Chat commands of accounts and their replies (reference/bots.md#bot-commands).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::MinRole;

/// `GET /v1/internal/bot-commands/{account_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommandFeed {
    /// Prefix of commands in chat, 1 to 3 characters.
    pub prefix: String,
    /// Commands of the account before global ones; a word that two of them have belongs to the first. Global
    /// commands with the name of one of the account's are left out. Overrides of the account are applied.
    pub commands: Vec<ChatCommand>,
}

/// A chat command in effect in an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChatCommand {
    /// Command.
    pub id: Uuid,
    /// Name, without prefix.
    pub name: String,
    /// Further names.
    pub aliases: Vec<String>,
    /// Effect of the command.
    pub response_type: ResponseType,
    /// Text, or template.
    pub response: String,
    /// Automation that a response of the type `automation` starts; null when it was deleted.
    pub automation_id: Option<Uuid>,
    /// Platforms that the command runs on.
    pub platforms: Vec<String>,
    /// Least role that may use it.
    pub min_role: MinRole,
    /// Seconds.
    pub cooldown_global: u32,
    /// Seconds for each chatter.
    pub cooldown_user: u32,
    /// False when switched off.
    pub enabled: bool,
    /// Uses in the account at the time of the feed.
    pub use_count: i64,
}

/// Effect of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResponseType {
    /// Sends the response as it is.
    Text,
    /// Sends the response with its variables filled in.
    Template,
    /// Starts an automation.
    Automation,
}

/// `POST /v1/internal/bot-commands/{command_id}/replies`: a chatter used a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommandReply {
    /// Account.
    pub account_id: Uuid,
    /// Event of the chat message. One message gets one reply.
    pub event_id: Uuid,
    /// Platform of the message.
    #[schema(extensions(("enum" = json!(shared::platform::Platform::ALL))))]
    pub platform: String,
    /// Platform's id of the message.
    pub message_id: String,
    /// Platform's id of the chatter.
    pub user_id: String,
    /// Display name of the chatter.
    pub user_name: String,
    /// Text after the command's name.
    pub arguments: String,
    /// Effect of the command.
    pub response_type: ResponseType,
    /// Text, or template.
    pub response: String,
    /// Automation to start, or null.
    pub automation_id: Option<Uuid>,
    /// Uses of the command, including this one.
    pub use_count: i64,
    /// Time after which the message is not replied to any more.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<DateTime<Utc>>,
}
