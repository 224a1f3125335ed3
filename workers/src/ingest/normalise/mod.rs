//! From a platform's payload to what it means for an account (specification C B12.2, B13; D §2 to §5).

mod fields;
mod kick;
mod naming;
mod trovo;
mod twitch;
mod twitch_chat;
mod twitch_events;
mod twitch_votes;
mod youtube;

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::{
    ingest::{Badge, Emote, EventType, Fragment, Removal},
    platforms::Platform,
};

pub use fields::Unreadable;
pub use twitch_votes::Vote;

/// What a delivery tells of one channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Normalised {
    /// The platform's id of the channel.
    pub channel_id: String,
    pub happenings: Vec<Happening>,
    /// It was told long before anybody listened: it is kept and shown, and answered by nobody.
    pub is_history: bool,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    Chat(ChatLine),
    Event(PlatformEvent),
    Removal(Removal),
    /// What is known of a poll or a prediction from now on.
    Vote(Vote),
    /// The account took back what it had granted: its connection no longer works.
    Revoked,
    /// The platform has stopped to deliver a type without anybody's wish: it is asked again.
    Stopped {
        event_type: String,
    },
    /// A video of the channel was published: its reader looks whether it is on air.
    LookedFor,
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
    /// What several readers tell alike at about the same time, where there is no id and each delivery has another.
    pub alike: Option<String>,
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
        Self {
            event_type,
            source_id: None,
            alike: None,
            user: None,
            amount: None,
            currency: None,
            message: None,
            data,
        }
    }

    /// An event whose amount, currency and message are those that the catalogue finds in its data.
    fn counted(event_type: &'static str, data: Value) -> Self {
        let known = EventType::find(event_type);
        let text = |key: &str| data[key].as_str().map(str::to_owned);
        Self {
            amount: known.and_then(|known| known.amount_in(&data)),
            currency: known.and_then(|known| known.currency_in(&data)),
            message: known.and_then(|known| known.message).and_then(text),
            ..Self::new(event_type, data)
        }
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
        Self { channel_id, happenings: vec![happening], is_history: false }
    }
}

/// Reads a delivery that was sent then; `None` when it tells nothing that has a place in the catalogue.
///
/// # Errors
/// When the payload is not what the platform documents for the type: trying again does not help.
pub fn normalise(
    platform: Platform,
    event_type: &str,
    body: &Value,
    sent_at: DateTime<Utc>,
) -> Result<Option<Normalised>, Unreadable> {
    let mut read = match platform {
        Platform::Twitch => twitch::normalise(event_type, body, sent_at),
        Platform::Kick => kick::normalise(event_type, body),
        Platform::Youtube => youtube::normalise(event_type, body),
        Platform::Trovo => trovo::normalise(body),
        _ => Ok(None),
    }?;
    for happening in read.iter_mut().flat_map(|read| &mut read.happenings) {
        // Values that are told as the platform gave them may be of another kind than it documents.
        if let Happening::Event(event) = happening
            && let Some(known) = EventType::find(event.event_type)
        {
            known.fit(&mut event.data);
        }
    }
    Ok(read)
}
