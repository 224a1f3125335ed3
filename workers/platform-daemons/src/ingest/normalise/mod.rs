//! Normalisation: reads a platform's payload into one model (reference/ingest.md#steps).

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
use foundation::events::Removal;
use live_model::{Badge, Emote, EventType, Fragment};
use serde_json::Value;
use shared::platform::Platform;

pub use fields::Unreadable;
pub use twitch_votes::Vote;

/// Content of a delivery about one channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Normalised {
    /// Platform's id of the channel.
    pub channel_id: String,
    /// Content in its order.
    pub happenings: Vec<Happening>,
    /// True for content from long before the channel was read: it is stored and shown, and triggers nothing.
    pub is_history: bool,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// A line of chat.
    Chat(ChatLine),
    /// An event of the catalogue.
    Event(PlatformEvent),
    /// A removal of messages.
    Removal(Removal),
    /// New state of a poll or a prediction.
    Vote(Vote),
    /// The user revoked the grant: the connection no longer works.
    Revoked,
    /// The platform stopped a subscription without a request: it is requested again.
    Stopped { event_type: String },
    /// A video of the channel was published: its reader looks for a broadcast.
    VideoPublished,
}

/// Line of chat, before it belongs to an account.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatLine {
    /// Platform's id of the message.
    pub message_id: String,
    /// Platform's id of the user.
    pub user_id: String,
    /// Login name of the user.
    pub username: String,
    /// Shown name of the user.
    pub display_name: String,
    /// Colour of the name as the platform states it; null when there is none.
    pub color: Option<String>,
    /// Badges of the user, in the platform's order.
    pub badges: Vec<Badge>,
    /// Whole text of the message.
    pub text: String,
    /// Text in parts: plain text, emotes, mentions.
    pub fragments: Vec<Fragment>,
    /// Each emote of the text once.
    pub emotes: Vec<Emote>,
    /// Platform's id of the message that it replies to.
    pub reply_to: Option<String>,
    /// True for a `/me` message.
    pub is_action: bool,
    /// True for a line of another channel in a shared chat: it is shown, but triggers nothing here, or every
    /// channel's bot would answer it.
    pub is_from_elsewhere: bool,
    /// Time that the payload states.
    pub sent_at: Option<DateTime<Utc>>,
}

/// Event, before it belongs to an account.
#[derive(Debug, Clone, PartialEq)]
pub struct PlatformEvent {
    /// Type `{platform}:{name}` of the catalogue.
    pub event_type: &'static str,
    /// Platform's id of the event; `None` when only the delivery identifies it.
    pub source_id: Option<String>,
    /// Key that is equal in equal deliveries of several readers, for events without an id.
    pub duplicate_key: Option<String>,
    /// Platform's id of a new redemption of a reward; `None` for any other event.
    pub redemption_id: Option<String>,
    /// User who caused the event; null when it has none or an anonymous one.
    pub user: Option<Person>,
    /// Amount, in the unit of the catalogue.
    pub amount: Option<i64>,
    /// Currency of the amount: an ISO 4217 code or a unit of the platform, such as `bits`.
    pub currency: Option<String>,
    /// Message of the user.
    pub message: Option<String>,
    /// Data with the keys of the catalogue.
    pub data: Value,
}

/// User of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Platform's id of the user.
    pub id: String,
    /// Login name.
    pub username: Option<String>,
    /// Shown name.
    pub display_name: Option<String>,
    /// Address of the avatar.
    pub avatar_url: Option<String>,
}

impl PlatformEvent {
    fn new(event_type: &'static str, data: Value) -> Self {
        Self {
            event_type,
            source_id: None,
            duplicate_key: None,
            redemption_id: None,
            user: None,
            amount: None,
            currency: None,
            message: None,
            data,
        }
    }

    /// Returns an event with the amount, currency and message that the catalogue finds in its data.
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

    /// Returns `stream:online` or `stream:offline` for the events that also report a stream's state
    /// (reference/realtime.md#channels).
    #[must_use]
    pub fn stream_event(&self) -> Option<&'static str> {
        match self.event_type.split_once(':') {
            Some((_, "stream_online")) => Some("stream:online"),
            Some((_, "stream_offline")) => Some("stream:offline"),
            _ => None,
        }
    }

    /// True for the changed status of an earlier redemption.
    #[must_use]
    pub fn is_update(&self) -> bool {
        self.event_type == "twitch:reward" && self.redemption_id.is_none()
    }
}

impl Normalised {
    fn one(channel_id: String, happening: Happening) -> Self {
        Self { channel_id, happenings: vec![happening], is_history: false }
    }
}

/// Reads a delivery that was sent at `sent_at`; `None` when it has no content for the catalogue.
///
/// # Errors
/// A payload that differs from the platform's documentation of the type: trying again does not help.
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
        // Values that are published as the platform gave them may be of another type than documented.
        if let Happening::Event(event) = happening
            && let Some(known) = EventType::find(event.event_type)
        {
            known.fit(&mut event.data);
        }
    }
    Ok(read)
}
