//! Chat messages.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Row;
use crate::events::{Channel, Event};

/// A chat message of an account's channel (C B13): the row, and the `data` of `chat:message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Also the id of the `chat:message` event.
    pub id: Uuid,
    pub account_id: Uuid,
    pub platform: String,
    /// The platform's id. Account, platform and this name a message once.
    pub platform_message_id: String,
    pub platform_user_id: String,
    /// The name that the platform addresses the user by.
    pub username: String,
    pub display_name: String,
    /// `#RRGGBB`, when the user has chosen one.
    pub color: Option<String>,
    pub badges: Vec<Badge>,
    pub text: String,
    pub fragments: Vec<Fragment>,
    pub emotes: Vec<Emote>,
    /// The platform's id of the message that this one answers.
    pub reply_to: Option<String>,
    pub is_deleted: bool,
    /// Written with `/me`.
    pub is_action: bool,
    #[serde(serialize_with = "crate::clock::serialize_rfc3339")]
    pub sent_at: DateTime<Utc>,
    /// Whether the account keeps nothing of who writes (C B14, Settings). Of the row only: no event has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgets_user: bool,
}

/// A mark beside a user's name, for example `{ "id": "moderator", "version": "1" }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Badge {
    /// The platform's name of the badge: `broadcaster`, `moderator`, `vip`, `subscriber` and others.
    pub id: String,
    /// Which of several pictures; on Kick the count that goes with the badge.
    pub version: String,
    /// What the platform says beside it, for example the months of a subscription.
    #[serde(default)]
    pub info: Option<String>,
}

/// A stretch of a message. The texts of all fragments together are the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fragment {
    #[serde(rename = "type")]
    pub kind: FragmentKind,
    pub text: String,
    /// Of an emote.
    #[serde(default)]
    pub emote_id: Option<String>,
    /// Of a mentioned user.
    #[serde(default)]
    pub user_id: Option<String>,
    /// Of a cheermote.
    #[serde(default)]
    pub bits: Option<i64>,
}

/// What a fragment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FragmentKind {
    Text,
    Emote,
    Mention,
    Cheermote,
}

/// An emote that occurs in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Emote {
    pub id: String,
    pub name: String,
}

impl Fragment {
    /// A stretch of plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { kind: FragmentKind::Text, text: text.into(), emote_id: None, user_id: None, bits: None }
    }

    /// An emote as it stands in the text.
    #[must_use]
    pub fn emote(text: impl Into<String>, emote_id: impl Into<String>) -> Self {
        Self { kind: FragmentKind::Emote, emote_id: Some(emote_id.into()), ..Self::text(text) }
    }
}

impl ChatMessage {
    /// The event that tells of the message.
    ///
    /// # Errors
    /// Never in practice: every field has a JSON form.
    pub fn announcement(&self) -> crate::Result<Event> {
        Ok(Event {
            id: self.id,
            channel: Channel::Chat(self.account_id).to_string(),
            event_type: "chat:message".to_owned(),
            data: serde_json::to_value(self)?,
            timestamp: self.sent_at,
        })
    }
}

impl Row for ChatMessage {
    const TABLE: &'static str = "chat_messages";
}
