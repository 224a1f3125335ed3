//! Sources of triggers, read from an event of the log, in the form that handlers see
//! (reference/handlers.md#inputs-and-results).

use foundation::events::Event;
use live_model::{AccountEvent, ChatMessage, Roles};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use uuid::Uuid;

/// Event type of chat messages.
const CHAT_MESSAGE: &str = "chat:message";
const ACCOUNT_EVENTS: [&str; 2] = ["event:new", "event:test"];
/// Type of the event that a due timer makes; it is in no log.
pub const TIMER: &str = "bot_module:timer";

/// Source of triggers.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A chat message.
    Chat(Box<Line>),
    /// An event of the account.
    Event(Box<AccountEvent>),
    /// A due timer.
    Timer(Box<TimerRun>),
}

/// Chat message with its channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Message as published.
    pub message: ChatMessage,
    /// Platform's id of the channel.
    pub channel_id: Option<String>,
    /// True for a test or a simulation: it leaves no cooldown and no count behind.
    pub is_test: bool,
}

/// Timer that is due on a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimerRun {
    /// Install of the timer.
    pub install_id: Uuid,
    /// Name of the timer.
    pub name: String,
    /// Platform that it runs on.
    pub platform: String,
    /// Number of the run; increases from run to run.
    pub run: i64,
}

/// Field that every event of the log may have besides its own.
#[derive(Deserialize)]
struct Test {
    #[serde(default)]
    is_test: bool,
}

/// Reason why an event of the log cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the {event_type} event {id} cannot be read: {problem}")]
pub struct Unreadable {
    id: Uuid,
    event_type: String,
    problem: serde_json::Error,
}

impl Source {
    /// Reads an event; `None` when its type triggers nothing.
    ///
    /// # Errors
    /// A type that triggers handlers without that type's shape.
    pub fn of(event: &Event, channel_id: Option<String>) -> Result<Option<Self>, Unreadable> {
        if event.event_type == CHAT_MESSAGE {
            let Test { is_test } = read(event)?;
            return Ok(Some(Self::Chat(Box::new(Line { message: read(event)?, channel_id, is_test }))));
        }
        if event.event_type == TIMER {
            return Ok(Some(Self::Timer(Box::new(read(event)?))));
        }
        if ACCOUNT_EVENTS.contains(&event.event_type.as_str()) {
            return Ok(Some(Self::Event(Box::new(read(event)?))));
        }
        Ok(None)
    }

    /// Returns the platform; `None` for events of no platform.
    pub fn platform(&self) -> Option<&str> {
        match self {
            Self::Chat(line) => Some(&line.message.platform),
            Self::Event(event) => event.platform.as_deref(),
            Self::Timer(due) => Some(&due.platform),
        }
    }

    /// True for a test, of which nothing is counted.
    pub fn is_test(&self) -> bool {
        match self {
            Self::Chat(line) => line.is_test,
            Self::Event(event) => event.is_test,
            Self::Timer(_) => false,
        }
    }

    /// Returns the message that actions concern unless they name another.
    pub fn message_id(&self) -> Option<&str> {
        match self {
            Self::Chat(line) => Some(&line.message.platform_message_id),
            Self::Event(_) | Self::Timer(_) => None,
        }
    }

    /// Returns the user that actions concern unless they name another.
    pub fn user_id(&self) -> Option<&str> {
        match self {
            Self::Chat(line) => Some(&line.message.platform_user_id),
            Self::Event(event) => event.platform_user_id.as_deref(),
            Self::Timer(_) => None,
        }
    }

    /// Returns `ctx.auth` (reference/handlers.md#auth).
    pub fn auth(&self, account_id: Uuid, install_id: Uuid) -> Value {
        let (role, name) = match self {
            Self::Chat(line) => (line.roles().auth_role(), Some(line.message.display_name.as_str())),
            Self::Event(event) if event.platform_user_id.is_some() => ("viewer", event_name(event)),
            Self::Event(_) | Self::Timer(_) => ("anonymous", None),
        };
        json!({
            "surface": "bot",
            "accountId": account_id,
            "installId": install_id,
            "role": role,
            // Chatters are known by their platform only.
            "userId": null,
            "platformUserId": self.user_id(),
            "platformUserName": name,
        })
    }

    /// Returns `ctx.user`; `None` without a chatter (reference/handlers.md#chatter).
    pub fn user(&self) -> Option<Value> {
        match self {
            Self::Chat(line) => Some(line.user()),
            Self::Event(event) => {
                let (id, platform) = (event.platform_user_id.as_deref()?, event.platform.as_deref());
                let (username, name) = (event.username.as_deref(), event_name(event));
                Some(user(id, username.or(name), name, platform, Roles::default()))
            }
            Self::Timer(_) => None,
        }
    }
}

impl Line {
    /// Returns the roles of the chatter; the channel itself needs no badge.
    pub fn roles(&self) -> Roles {
        let roles = Roles::from_badges(&self.message.badges);
        let is_channel = self.channel_id.as_deref() == Some(self.message.platform_user_id.as_str());
        Roles { broadcaster: roles.broadcaster || is_channel, ..roles }
    }

    /// Returns the message as handlers see it.
    pub fn input(&self) -> Value {
        let message = &self.message;
        json!({
            "id": message.platform_message_id,
            "platform": message.platform,
            "channelId": self.channel_id,
            "text": message.text,
            "user": self.user(),
            "emotes": message.emotes,
            "badges": message.badges,
            "isAction": message.is_action,
            "replyTo": message.reply_to,
            "sentAt": message.sent_at,
        })
    }

    fn user(&self) -> Value {
        let message = &self.message;
        let (username, name) = (Some(message.username.as_str()), Some(message.display_name.as_str()));
        user(&message.platform_user_id, username, name, Some(&message.platform), self.roles())
    }
}

fn read<T: DeserializeOwned>(event: &Event) -> Result<T, Unreadable> {
    T::deserialize(&event.data).map_err(|problem| Unreadable {
        id: event.id,
        event_type: event.event_type.clone(),
        problem,
    })
}

fn event_name(event: &AccountEvent) -> Option<&str> {
    event.display_name.as_deref().or(event.username.as_deref())
}

fn user(id: &str, username: Option<&str>, name: Option<&str>, platform: Option<&str>, roles: Roles) -> Value {
    json!({
        "id": id,
        "username": username,
        "displayName": name,
        "platform": platform,
        "roles": roles.names(),
        "isModerator": roles.moderator || roles.broadcaster,
        "isVip": roles.vip,
        "isSubscriber": roles.subscriber,
        "isFollower": roles.follower,
    })
}
