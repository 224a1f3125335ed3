//! Chat commands of accounts, and the answers to them (C B11.2).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::MinRole;

/// `GET /v1/internal/bot-commands/{account_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommandFeed {
    /// What a line begins with to be a command, 1 to 3 characters.
    pub prefix: String,
    /// The account's own before global ones: a word that two of them have belongs to the first. Global commands of
    /// the same name as one of the account's are left out, what the account has overridden is applied.
    pub commands: Vec<ChatCommand>,
}

/// A chat command as it answers in an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChatCommand {
    pub id: Uuid,
    pub name: String,
    pub aliases: Vec<String>,
    pub response_type: ResponseType,
    pub response: String,
    /// Of [`ResponseType::Automation`]; null when it was deleted.
    pub automation_id: Option<Uuid>,
    pub platforms: Vec<String>,
    pub min_role: MinRole,
    /// Seconds.
    pub cooldown_global: u32,
    /// Seconds for each chatter.
    pub cooldown_user: u32,
    pub enabled: bool,
    /// In the account, when the feed was read.
    pub use_count: i64,
}

/// What a command does.
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
    pub account_id: Uuid,
    /// The chat line: one line is answered once.
    pub event_id: Uuid,
    #[schema(extensions(("enum" = json!(crate::platforms::Platform::ALL))))]
    pub platform: String,
    /// The platform's id of the line.
    pub message_id: String,
    /// The platform's id of the chatter.
    pub user_id: String,
    /// The chatter's display name.
    pub user_name: String,
    /// What follows the command's name.
    pub arguments: String,
    pub response_type: ResponseType,
    pub response: String,
    pub automation_id: Option<Uuid>,
    /// Uses of the command, this one included.
    pub use_count: i64,
    /// When the line is too old to be answered.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<DateTime<Utc>>,
}
