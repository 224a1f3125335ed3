//! Line or event of a job.

use automation_model::{
    starts::{TriggerNode, user},
    triggers::Trigger,
};
use foundation::events::Event;
use live_model::{AccountEvent, ChatMessage, Roles};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use uuid::Uuid;

/// Type of the events of chat lines.
const CHAT_MESSAGE: &str = "chat:message";

/// Line or event that may start automations.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Occurrence {
    /// A chat line.
    Line(Box<Line>),
    /// An event of the account.
    Event(Box<AccountEvent>),
}

/// Chat line with its channel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// Message as published.
    pub message: ChatMessage,
    /// True when the writer is the channel itself.
    is_channel: bool,
    /// True for a line of a simulation.
    is_test: bool,
}

/// Field that a line may have besides its own.
#[derive(Deserialize)]
struct Test {
    #[serde(default)]
    is_test: bool,
}

/// Reason why a job can never be handled.
#[derive(Debug, thiserror::Error)]
#[error("the {event_type} event {id} cannot be read: {problem}")]
pub(super) struct Unreadable {
    id: Uuid,
    event_type: String,
    problem: serde_json::Error,
}

impl Occurrence {
    /// Reads the event of a job.
    ///
    /// # Errors
    /// An event of another shape.
    pub fn of(event: &Event, channel_id: Option<&str>) -> Result<Self, Unreadable> {
        if event.event_type != CHAT_MESSAGE {
            return Ok(Self::Event(Box::new(read(event)?)));
        }
        let (Test { is_test }, message) = (read(event)?, read::<ChatMessage>(event)?);
        let is_channel = channel_id == Some(message.platform_user_id.as_str());
        Ok(Self::Line(Box::new(Line { message, is_channel, is_test })))
    }

    /// True for a test event and a simulated line.
    pub fn is_test(&self) -> bool {
        match self {
            Self::Line(line) => line.is_test,
            Self::Event(event) => event.is_test,
        }
    }

    /// Returns `event` of the run: the event in its published form; null for a line.
    pub fn event(&self) -> Value {
        match self {
            Self::Line(_) => Value::Null,
            Self::Event(event) => json!(event),
        }
    }

    /// Returns `user` of the run; null for an event that no person caused.
    pub fn user(&self) -> Value {
        match self {
            Self::Line(line) => line.user(),
            Self::Event(event) => user(
                event.platform.as_deref(),
                event.platform_user_id.as_deref(),
                event.username.as_deref(),
                event.display_name.as_deref(),
                &[],
            ),
        }
    }

    /// Returns the payload of a trigger: the data of the event, or the line.
    pub fn payload(&self, node: &TriggerNode) -> Value {
        match (self, &node.trigger) {
            (Self::Event(event), _) => event.data.clone(),
            (Self::Line(line), Trigger::ChatCommand { command, .. }) => {
                let mut payload = line.payload();
                payload["command"] = json!(command);
                payload["arguments"] = json!(line.arguments());
                payload
            }
            (Self::Line(line), Trigger::ChatKeyword { keyword, .. }) => {
                let mut payload = line.payload();
                payload["keyword"] = json!(keyword);
                payload
            }
            (Self::Line(line), _) => line.payload(),
        }
    }
}

impl Line {
    fn payload(&self) -> Value {
        let message = &self.message;
        json!({
            "message": message.text,
            "message_id": message.platform_message_id,
            "platform": message.platform,
            "user": self.user(),
            "reply_to": message.reply_to,
            "is_action": message.is_action,
            "sent_at": message.sent_at,
        })
    }

    /// Returns the text after the command's name. The line is known to be a command.
    fn arguments(&self) -> &str {
        let text = self.message.text.trim_start();
        text.split_once(char::is_whitespace).map_or("", |(_, arguments)| arguments.trim())
    }

    fn user(&self) -> Value {
        let message = &self.message;
        let mut roles = Roles::from_badges(&message.badges);
        roles.broadcaster |= self.is_channel;
        user(
            Some(&message.platform),
            Some(&message.platform_user_id),
            Some(&message.username),
            Some(&message.display_name),
            &roles.names(),
        )
    }
}

fn read<T: DeserializeOwned>(event: &Event) -> Result<T, Unreadable> {
    T::deserialize(&event.data).map_err(|problem| Unreadable {
        id: event.id,
        event_type: event.event_type.clone(),
        problem,
    })
}
