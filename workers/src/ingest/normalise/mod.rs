//! From a platform's payload to what it means for an account (specification C B12.2, B13; D §2, §4).

mod fields;
mod kick;
mod twitch;
mod twitch_chat;
mod twitch_events;

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::{
    ingest::{Badge, Emote, Fragment, Removal},
    platforms::Platform,
};

pub use fields::Unreadable;

/// What a delivery tells of one channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Normalised {
    /// The platform's id of the channel.
    pub channel_id: String,
    pub happenings: Vec<Happening>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    Chat(ChatLine),
    Event(PlatformEvent),
    Removal(Removal),
    /// The account took back what it had granted: its connection no longer works.
    Revoked,
}

/// A line of chat, before it belongs to an account.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatLine {
    pub message_id: String,
    pub user_id: String,
    pub username: String,
    pub display_name: String,
    pub color: Option<String>,
    pub badges: Vec<Badge>,
    pub text: String,
    pub fragments: Vec<Fragment>,
    pub emotes: Vec<Emote>,
    pub reply_to: Option<String>,
    pub is_action: bool,
    /// Written in another channel of a shared chat: shown, but it triggers nothing here, or every channel's bot would
    /// answer it.
    pub is_from_elsewhere: bool,
    /// When the payload says so.
    pub sent_at: Option<DateTime<Utc>>,
}

/// An event, before it belongs to an account.
#[derive(Debug, Clone, PartialEq)]
pub struct PlatformEvent {
    /// `{platform}:{name}` out of the catalogue.
    pub event_type: &'static str,
    /// The platform's id of what happened; `None` when only the delivery names it.
    pub source_id: Option<String>,
    pub user: Option<Person>,
    pub amount: Option<i64>,
    pub currency: Option<String>,
    pub message: Option<String>,
    /// The keys that the catalogue names.
    pub data: Value,
}

/// Somebody on a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: String,
    pub username: Option<String>,
    pub display_name: Option<String>,
    pub avatar_url: Option<String>,
}

impl PlatformEvent {
    fn new(event_type: &'static str, data: Value) -> Self {
        Self { event_type, source_id: None, user: None, amount: None, currency: None, message: None, data }
    }

    /// `stream:online` or `stream:offline`, for the events that also say so (C §11.5).
    #[must_use]
    pub fn stream_event(&self) -> Option<&'static str> {
        match self.event_type.split_once(':') {
            Some((_, "stream_online")) => Some("stream:online"),
            Some((_, "stream_offline")) => Some("stream:offline"),
            _ => None,
        }
    }
}

impl Normalised {
    fn one(channel_id: String, happening: Happening) -> Self {
        Self { channel_id, happenings: vec![happening] }
    }
}

/// Reads a delivery; `None` when it tells nothing that has a place in the catalogue.
///
/// # Errors
/// When the payload is not what the platform documents for the type: trying again does not help.
pub fn normalise(
    platform: Platform,
    event_type: &str,
    body: &Value,
) -> Result<Option<Normalised>, Unreadable> {
    match platform {
        Platform::Twitch => twitch::normalise(event_type, body),
        Platform::Kick => kick::normalise(event_type, body),
        _ => Ok(None),
    }
}
