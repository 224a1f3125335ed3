//! Chat lines as fixtures and event files write them.

use chrono::{DateTime, Utc};
use extension_runtime::{local::LocalInstall, triggers::Line};
use live_model::{Badge, ChatMessage, Fragment};
use serde::Deserialize;
use uuid::Uuid;

/// Id of the channel of every line.
const CHANNEL_ID: &str = "channel";
/// Prefix of commands.
const PREFIX: &str = "!";

/// Chat line: its text, or its parts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum LineInput {
    /// Text only.
    Text(String),
    /// Parts.
    Parts(LineParts),
}

/// Parts of a chat line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LineParts {
    /// Text.
    pub text: String,
    /// Slug of the platform; `twitch` when absent.
    pub platform: Option<String>,
    /// Writer.
    pub user: Person,
    /// Platform's id of the message.
    pub id: Option<String>,
    /// Platform's id of the message that it replies to.
    pub reply_to: Option<String>,
}

/// Person on a platform.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Person {
    /// Platform's id.
    pub id: Option<String>,
    /// Displayed name.
    pub name: Option<String>,
    /// `broadcaster`, `moderator`, `vip`, `subscriber`, `follower`.
    pub roles: Vec<String>,
}

impl LineInput {
    /// Returns the line. A command gets the prefix when it has none.
    #[must_use]
    pub fn line(self, is_command: bool, at: DateTime<Utc>) -> Line {
        let parts = match self {
            Self::Text(text) => LineParts { text, ..LineParts::default() },
            Self::Parts(parts) => parts,
        };
        let text = match is_command && !parts.text.starts_with(PREFIX) {
            true => format!("{PREFIX}{}", parts.text),
            false => parts.text,
        };
        let name = parts.user.name.unwrap_or_else(|| "Ada".to_owned());
        let message = ChatMessage {
            id: Uuid::nil(),
            account_id: LocalInstall::account_id(),
            platform: parts.platform.unwrap_or_else(|| "twitch".to_owned()),
            platform_message_id: parts.id.unwrap_or_else(|| "message-1".to_owned()),
            platform_user_id: parts.user.id.unwrap_or_else(|| "user-1".to_owned()),
            username: name.to_lowercase(),
            display_name: name,
            color: None,
            badges: parts.user.roles.into_iter().map(badge).collect(),
            fragments: vec![Fragment::text(text.as_str())],
            text,
            emotes: Vec::new(),
            reply_to: parts.reply_to,
            is_deleted: false,
            is_action: false,
            forgets_user: false,
            counted_as: None,
            sent_at: at,
        };
        Line { message, channel_id: Some(CHANNEL_ID.to_owned()), is_test: true }
    }
}

fn badge(role: String) -> Badge {
    Badge { id: role, version: "1".to_owned(), info: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn line_has_the_roles_of_its_writer_and_the_prefix_of_commands() {
        let input: LineInput = serde_json::from_value(json!({
            "text": "roll 6", "user": { "name": "Bob", "roles": ["moderator"] }, "platform": "kick",
        }))
        .unwrap();
        let line = input.line(true, DateTime::UNIX_EPOCH);
        assert_eq!((line.message.text.as_str(), line.message.platform.as_str()), ("!roll 6", "kick"));
        assert!(line.roles().moderator && !line.roles().broadcaster);
        let text = LineInput::Text("!roll".to_owned()).line(true, DateTime::UNIX_EPOCH).message;
        assert_eq!((text.text.as_str(), text.display_name.as_str()), ("!roll", "Ada"));
        assert!(serde_json::from_value::<LineInput>(json!({ "txt": "x" })).is_err());
    }
}
