//! Chat messages.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Row;
use foundation::events::{Channel, Event};

/// Chat message of an account's channel (reference/chat.md#messages): the row, and the `data` of
/// `chat:message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Id, also of the `chat:message` event.
    pub id: Uuid,
    /// Account of the channel.
    pub account_id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// Id on the platform. Unique together with account and platform.
    pub platform_message_id: String,
    /// Id of the writer on the platform. Empty, and absent in JSON, of a line that is counted only: a writer of an
    /// earlier version then refuses the row, instead of storing it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub platform_user_id: String,
    /// Name that the platform addresses the user by.
    pub username: String,
    /// Displayed name of the writer.
    pub display_name: String,
    /// Color `#RRGGBB`, when the user has chosen one.
    pub color: Option<String>,
    /// Badges of the writer.
    pub badges: Vec<Badge>,
    /// The whole text.
    pub text: String,
    /// Parts of the text, in order.
    pub fragments: Vec<Fragment>,
    /// Emotes in the text.
    pub emotes: Vec<Emote>,
    /// Id on the platform of the message that this one replies to.
    pub reply_to: Option<String>,
    /// True after its removal.
    pub is_deleted: bool,
    /// True when written with `/me`.
    pub is_action: bool,
    /// Time of the message on the platform.
    #[serde(serialize_with = "shared::clock::serialize_rfc3339")]
    pub sent_at: DateTime<Utc>,
    /// True when the account stores nothing about writers (reference/accounts.md#privacy-settings). In the
    /// row only: no event has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgets_user: bool,
    /// Key of the writer in the counts, when the account stores no chat: the line is counted and not stored
    /// (reference/history.md#counts). In the row only: no event has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_as: Option<i64>,
}

/// Badge beside a user's name, for example `{ "id": "moderator", "version": "1" }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Badge {
    /// Name of the badge on the platform: `broadcaster`, `moderator`, `vip`, `subscriber` and others.
    pub id: String,
    /// Version of the picture; on Kick the count that goes with the badge.
    pub version: String,
    /// Additional text of the platform, for example the months of a subscription.
    #[serde(default)]
    pub info: Option<String>,
}

/// Part of a message. The texts of all fragments together are the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fragment {
    /// Kind of the fragment.
    #[serde(rename = "type")]
    pub kind: FragmentKind,
    /// Text of the fragment.
    pub text: String,
    /// Id of the emote, for an emote.
    #[serde(default)]
    pub emote_id: Option<String>,
    /// Id of the user on the platform, for a mention.
    #[serde(default)]
    pub user_id: Option<String>,
    /// Number of Bits, for a cheermote.
    #[serde(default)]
    pub bits: Option<i64>,
}

/// Kind of a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FragmentKind {
    /// Plain text.
    Text,
    /// An emote.
    Emote,
    /// A mentioned user.
    Mention,
    /// A cheermote.
    Cheermote,
}

/// Emote that occurs in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Emote {
    /// Id of the emote on the platform.
    pub id: String,
    /// Word that the emote replaces.
    pub name: String,
}

impl Fragment {
    /// Creates a fragment of plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { kind: FragmentKind::Text, text: text.into(), emote_id: None, user_id: None, bits: None }
    }

    /// Creates a fragment of an emote; `text` is its word in the message.
    #[must_use]
    pub fn emote(text: impl Into<String>, emote_id: impl Into<String>) -> Self {
        Self { kind: FragmentKind::Emote, emote_id: Some(emote_id.into()), ..Self::text(text) }
    }
}

impl ChatMessage {
    /// Log event that publishes the message.
    ///
    /// # Errors
    /// None in practice: every field has a JSON form.
    pub fn announcement(&self) -> shared::Result<Event> {
        Ok(Event {
            id: self.id,
            channel: Channel::Chat(self.account_id).to_string(),
            event_type: "chat:message".to_owned(),
            data: serde_json::to_value(self)?,
            timestamp: self.sent_at,
        })
    }

    /// Returns the row of a line that is counted and not stored: without the text, the writer and everything else
    /// that the counts do not need. `writer` is the key of the writer in the counts, `gifs` are the addresses of
    /// animated pictures in the text.
    #[must_use]
    pub fn counted_only(self, writer: i64, gifs: &str) -> Self {
        let is_emote = |fragment: &Fragment| fragment.kind == FragmentKind::Emote;
        Self {
            platform_user_id: String::new(),
            username: String::new(),
            display_name: String::new(),
            color: None,
            badges: Vec::new(),
            text: gifs.to_owned(),
            fragments: self.fragments.into_iter().filter(is_emote).collect(),
            reply_to: None,
            counted_as: Some(writer),
            ..self
        }
    }
}

impl Row for ChatMessage {
    const TABLE: &'static str = "chat_messages";
}
