//! Types of events that endpoints choose (reference/webhooks.md#event-types).

use live_model::{EventType, MAX_EVENT_TYPE_LENGTH, is_custom};

/// Entry for every type except [`CHAT_MESSAGE`].
pub const EVERY: &str = "*";
/// Type of a chat message, which [`EVERY`] does not include.
pub const CHAT_MESSAGE: &str = "chat:message";
/// Type of a test delivery, which is no event.
pub const TEST: &str = "webhook.test";
/// Maximum number of types of an endpoint.
pub const MAX_EVENT_TYPES: usize = 50;
/// Maximum length of a type, in characters.
pub const MAX_LENGTH: usize = MAX_EVENT_TYPE_LENGTH;

/// True for an entry that an endpoint may have: a type of events, [`CHAT_MESSAGE`] or [`EVERY`].
#[must_use]
pub fn is_choice(entry: &str) -> bool {
    entry == EVERY || is_delivered(entry)
}

/// True for a type that deliveries of events may have.
#[must_use]
pub fn is_delivered(event_type: &str) -> bool {
    event_type == CHAT_MESSAGE || EventType::find(event_type).is_some() || is_custom(event_type)
}

/// True when an endpoint with these entries receives events of a type.
#[must_use]
pub fn is_chosen(entries: &[String], event_type: &str) -> bool {
    entries.iter().any(|entry| entry == event_type || entry == EVERY && event_type != CHAT_MESSAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_choice_accepts_types_chat_messages_and_every_type() {
        for entry in ["*", "chat:message", "twitch:raid", "custom:goal"] {
            assert!(is_choice(entry), "{entry}");
        }
        for entry in ["", "twitch:*", "twitch:nothing", "custom:", "custom:A", "webhook.test", "event:new"] {
            assert!(!is_choice(entry), "{entry}");
        }
        assert!(!is_delivered(EVERY) && is_delivered(CHAT_MESSAGE));
    }
}
