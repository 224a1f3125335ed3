//! Triggers as fixtures and event files write them (reference/extension-kit.md#triggers).

use chrono::{DateTime, Utc};
use extension_runtime::{
    local::{FunctionCaller, NodeInput, Trigger},
    triggers::Source,
};
use foundation::events::Event;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{event_input::EventInput, line_input::LineInput};

/// Trigger: exactly one of its fields is there.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TriggerInput {
    /// Chat line.
    pub message: Option<LineInput>,
    /// Chat line that is a command; the prefix may be left out.
    pub command: Option<LineInput>,
    /// Event of the account.
    pub event: Option<EventInput>,
    /// Due timer.
    pub timer: Option<TimerInput>,
    /// Call of a server function.
    pub function: Option<FunctionInput>,
    /// Call of the automation node.
    pub node: Option<NodeCallInput>,
}

/// Due timer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimerInput {
    /// Name of the timer.
    pub name: String,
    /// Slug of the platform; `twitch` when absent.
    #[serde(default = "twitch")]
    pub platform: String,
    /// Number of the run.
    #[serde(default = "first")]
    pub run: i64,
}

/// Call of a server function.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionInput {
    /// Name of the function in the manifest.
    pub name: String,
    /// Arguments.
    #[serde(default)]
    pub args: Value,
    /// `owner`, `editor`, `viewer` or `anonymous`.
    #[serde(default = "owner")]
    pub role: String,
    /// `editor`, `layer` or `interactive`.
    #[serde(default = "editor")]
    pub surface: String,
    /// Person; null for none.
    #[serde(default)]
    pub user_id: Option<Uuid>,
}

/// Call of the automation node.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "source", rename_all = "lowercase", deny_unknown_fields)]
pub enum NodeCallInput {
    /// Poll of a trigger.
    Poll {
        /// State of the last call.
        #[serde(default)]
        state: Value,
        /// Settings of the node.
        #[serde(default)]
        config: Value,
    },
    /// Webhook of a trigger.
    Webhook {
        /// Body of the delivery.
        #[serde(default)]
        body: Value,
        /// Header fields of the delivery.
        #[serde(default)]
        headers: Value,
        /// State of the last call.
        #[serde(default)]
        state: Value,
        /// Settings of the node.
        #[serde(default)]
        config: Value,
    },
    /// Step of an automation.
    Automation {
        /// Rendered settings of the node.
        #[serde(default)]
        config: Value,
        /// Payload of the automation's trigger.
        #[serde(default)]
        input: Value,
    },
}

impl TriggerInput {
    /// Names of the fields.
    const NAMES: &'static str = "message, command, event, timer, function, node";

    /// Returns the trigger at a time.
    ///
    /// # Errors
    /// Fewer or more than one field, and an event that is wrong.
    pub fn trigger(self, at: DateTime<Utc>) -> Result<Trigger, String> {
        match self {
            Self {
                message: Some(line),
                command: None,
                event: None,
                timer: None,
                function: None,
                node: None,
            } => Ok(Trigger::Line(Box::new(line.line(false, at)))),
            Self {
                message: None,
                command: Some(line),
                event: None,
                timer: None,
                function: None,
                node: None,
            } => Ok(Trigger::Line(Box::new(line.line(true, at)))),
            Self {
                message: None,
                command: None,
                event: Some(event),
                timer: None,
                function: None,
                node: None,
            } => Ok(Trigger::Event(Box::new(event.event(at)?))),
            Self {
                message: None,
                command: None,
                event: None,
                timer: Some(timer),
                function: None,
                node: None,
            } => Ok(Trigger::Timer { name: timer.name, platform: timer.platform, run: timer.run }),
            Self {
                message: None,
                command: None,
                event: None,
                timer: None,
                function: Some(call),
                node: None,
            } => {
                let caller = FunctionCaller { user_id: call.user_id, role: call.role, surface: call.surface };
                Ok(Trigger::Function { name: call.name, args: call.args, caller })
            }
            Self {
                message: None,
                command: None,
                event: None,
                timer: None,
                function: None,
                node: Some(node),
            } => Ok(Trigger::Node(node.into())),
            _ => Err(format!("exactly one of {} must be given", Self::NAMES)),
        }
    }
}

impl From<NodeCallInput> for NodeInput {
    fn from(input: NodeCallInput) -> Self {
        match input {
            NodeCallInput::Poll { state, config } => Self::Poll { state, config },
            NodeCallInput::Webhook { body, headers, state, config } => {
                Self::Webhook { body, headers, state, config }
            }
            NodeCallInput::Automation { config, input } => Self::Step { config, input },
        }
    }
}

/// Reads a line of an event file: a trigger, an event as the socket sends it, or the text of a chat line.
///
/// # Errors
/// A line that is none of these; `None` for an event that triggers nothing.
pub fn of_line(line: &str, at: DateTime<Utc>) -> Result<Option<Trigger>, String> {
    if !line.starts_with('{') {
        return Ok(Some(Trigger::Line(Box::new(LineInput::Text(line.to_owned()).line(false, at)))));
    }
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if value.get("event_type").is_none() {
        let input: TriggerInput = serde_json::from_value(value).map_err(|error| error.to_string())?;
        return input.trigger(at).map(Some);
    }
    let event: Event = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let source = Source::of(&event, None).map_err(|error| error.to_string())?;
    Ok(source.map(|source| match source {
        Source::Chat(line) => Trigger::Line(line),
        Source::Event(event) => Trigger::Event(event),
        Source::Timer(due) => Trigger::Timer { name: due.name, platform: due.platform, run: due.run },
    }))
}

fn twitch() -> String {
    "twitch".to_owned()
}

const fn first() -> i64 {
    1
}

fn owner() -> String {
    "owner".to_owned()
}

fn editor() -> String {
    "editor".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(line: &str) -> Result<Option<Trigger>, String> {
        of_line(line, DateTime::UNIX_EPOCH)
    }

    #[test]
    fn of_line_reads_triggers_recorded_events_and_text() {
        assert!(
            matches!(read("hello").unwrap().unwrap(), Trigger::Line(line) if line.message.text == "hello")
        );
        let command = read(r#"{ "command": "roll 6" }"#).unwrap().unwrap();
        assert!(matches!(command, Trigger::Line(line) if line.message.text == "!roll 6"));
        let timer = read(r#"{ "timer": { "name": "tip" } }"#).unwrap().unwrap();
        assert_eq!(timer, Trigger::Timer { name: "tip".into(), platform: "twitch".into(), run: 1 });
        let refused = read(r#"{ "command": "a", "message": "b" }"#).unwrap_err();
        assert!(refused.starts_with("exactly one of message, command,"), "{refused}");
        assert!(read(r#"{ "comand": "a" }"#).unwrap_err().contains("unknown field `comand`"));
        let event = crate::event_input::simulated("twitch:raid", 1, DateTime::UNIX_EPOCH).unwrap();
        let recorded = serde_json::to_string(&event.announcement().unwrap()).unwrap();
        assert!(matches!(read(&recorded).unwrap().unwrap(), Trigger::Event(found) if *found == event));
        let other = json!({ "id": Uuid::nil(), "channel": "chat:a", "event_type": "chat:deleted", "data": {},
            "timestamp": "2030-01-01T00:00:00Z" });
        assert_eq!(read(&other.to_string()), Ok(None));
    }
}
