//! Result of a bot handler: `null`, one action, or up to five (reference/handlers.md#bot-result).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum number of actions in one result.
pub const MAX_ACTIONS: usize = 5;

/// Maximum length of a chat message on any platform, in characters. Platforms with a lower limit cut it
/// further.
pub const MAX_MESSAGE_CHARACTERS: usize = 500;

/// Maximum length of the reason of a moderation action, in characters.
pub const MAX_REASON_CHARACTERS: usize = 500;

/// Maximum length of a time-out, in seconds: two weeks.
pub const MAX_TIMEOUT_SECS: u32 = 14 * 24 * 60 * 60;

/// Maximum length of the id of a message or a user, in bytes.
const MAX_ID_BYTES: usize = 255;

/// Fields of actions besides their name. A field without meaning for an action is ignored there.
const FIELDS: [&str; 6] = ["message", "message_id", "user_id", "duration_secs", "reason", "reply_to"];

/// Action that a bot handler requests. Absent ids mean the triggering message or user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum BotAction {
    /// Sends a chat message.
    SendMessage {
        message: String,
        /// Id of the message to reply to.
        #[serde(skip_serializing_if = "Option::is_none")]
        reply_to: Option<String>,
    },
    /// Deletes a message.
    Delete {
        #[serde(skip_serializing_if = "Option::is_none")]
        message_id: Option<String>,
    },
    /// Times a user out.
    Timeout {
        #[serde(skip_serializing_if = "Option::is_none")]
        user_id: Option<String>,
        /// Length in seconds; the platform's usual length when absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_secs: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Bans a user.
    Ban {
        #[serde(skip_serializing_if = "Option::is_none")]
        user_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// Actions of a result, in their order; `none` adds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BotResult {
    /// Requested actions, at most [`MAX_ACTIONS`].
    pub actions: Vec<BotAction>,
}

/// Reason why a result is unusable. Names the place in the result and the values allowed there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidBotResult(String);

impl BotResult {
    /// Reads the result of a bot handler.
    ///
    /// # Errors
    /// Any mistake anywhere in the result: no part of it is used then.
    pub fn parse(value: &Value) -> Result<Self, InvalidBotResult> {
        let actions = match value {
            Value::Null => Vec::new(),
            Value::Object(fields) => parse_action("result", fields)?.into_iter().collect(),
            Value::Array(items) => parse_list(items)?,
            other => {
                return Err(invalid(
                    "result",
                    &format!("must be null, an action or a list of actions, got {}", type_name(other)),
                ));
            }
        };
        Ok(Self { actions })
    }

    /// True when the result requests nothing.
    pub fn is_none(&self) -> bool {
        self.actions.is_empty()
    }
}

fn parse_list(items: &[Value]) -> Result<Vec<BotAction>, InvalidBotResult> {
    if items.len() > MAX_ACTIONS {
        return Err(invalid(
            "result",
            &format!("has {} actions; at most {MAX_ACTIONS} are allowed", items.len()),
        ));
    }
    let mut actions = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let place = format!("result[{index}]");
        let Value::Object(fields) = item else {
            return Err(invalid(&place, &format!("must be an action, got {}", type_name(item))));
        };
        actions.extend(parse_action(&place, fields)?);
    }
    Ok(actions)
}

fn parse_action(place: &str, fields: &Map<String, Value>) -> Result<Option<BotAction>, InvalidBotResult> {
    let fields = Fields { place, fields };
    fields.known()?;
    let action = match fields.action()? {
        "send_message" => Some(BotAction::SendMessage {
            message: fields.required_text("message", MAX_MESSAGE_CHARACTERS)?,
            reply_to: fields.id("reply_to")?,
        }),
        "delete" => Some(BotAction::Delete { message_id: fields.id("message_id")? }),
        "timeout" => Some(BotAction::Timeout {
            user_id: fields.id("user_id")?,
            duration_secs: fields.duration("duration_secs")?,
            reason: fields.text("reason", MAX_REASON_CHARACTERS)?,
        }),
        "ban" => Some(BotAction::Ban {
            user_id: fields.id("user_id")?,
            reason: fields.text("reason", MAX_REASON_CHARACTERS)?,
        }),
        "none" => None,
        other => {
            return Err(fields.invalid(
                "action",
                &format!("must be one of send_message, delete, timeout, ban, none; got {other:?}"),
            ));
        }
    };
    Ok(action)
}

/// The fields of one action. A field that is null counts as left out.
struct Fields<'a> {
    place: &'a str,
    fields: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    fn action(&self) -> Result<&'a str, InvalidBotResult> {
        self.string("action")?.ok_or_else(|| self.invalid("action", "is required"))
    }

    /// Refuses fields that no action has: they are misspelt.
    fn known(&self) -> Result<(), InvalidBotResult> {
        let unknown = self
            .fields
            .iter()
            .find(|(name, value)| *name != "action" && !value.is_null() && !FIELDS.contains(&name.as_str()));
        match unknown {
            None => Ok(()),
            Some((name, _)) => {
                Err(self
                    .invalid(name, &format!("is not a field of an action, which has {}", FIELDS.join(", "))))
            }
        }
    }

    fn required_text(&self, name: &str, max_characters: usize) -> Result<String, InvalidBotResult> {
        self.text(name, max_characters)?.ok_or_else(|| self.invalid(name, "is required"))
    }

    fn text(&self, name: &str, max_characters: usize) -> Result<Option<String>, InvalidBotResult> {
        let Some(text) = self.string(name)? else { return Ok(None) };
        let characters = text.chars().count();
        if text.trim().is_empty() || characters > max_characters {
            return Err(
                self.invalid(name, &format!("must have 1 to {max_characters} characters, has {characters}"))
            );
        }
        Ok(Some(text.to_owned()))
    }

    fn id(&self, name: &str) -> Result<Option<String>, InvalidBotResult> {
        let Some(id) = self.string(name)? else { return Ok(None) };
        if id.is_empty() || id.len() > MAX_ID_BYTES {
            return Err(self.invalid(name, &format!("must have 1 to {MAX_ID_BYTES} bytes, has {}", id.len())));
        }
        Ok(Some(id.to_owned()))
    }

    fn duration(&self, name: &str) -> Result<Option<u32>, InvalidBotResult> {
        let Some(value) = self.get(name) else { return Ok(None) };
        // JavaScript has one number type: 60 may arrive as 60.0.
        let seconds = value.as_f64().filter(|seconds| seconds.fract() == 0.0);
        match seconds {
            Some(seconds) if (1.0..=f64::from(MAX_TIMEOUT_SECS)).contains(&seconds) => {
                Ok(Some(seconds as u32))
            }
            _ => Err(self
                .invalid(name, &format!("must be a whole number from 1 to {MAX_TIMEOUT_SECS}, got {value}"))),
        }
    }

    fn string(&self, name: &str) -> Result<Option<&'a str>, InvalidBotResult> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.invalid(name, &format!("must be a string, got {}", type_name(other)))),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn invalid(&self, field: &str, problem: &str) -> InvalidBotResult {
        invalid(&format!("{}.{field}", self.place), problem)
    }
}

fn invalid(place: &str, problem: &str) -> InvalidBotResult {
    InvalidBotResult(format!("{place} {problem}"))
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn actions(value: Value) -> Vec<BotAction> {
        BotResult::parse(&value).unwrap().actions
    }

    fn problem(value: Value) -> String {
        BotResult::parse(&value).unwrap_err().to_string()
    }

    #[test]
    fn bot_result_of_null_or_none_is_empty() {
        assert!(BotResult::parse(&json!(null)).unwrap().is_none());
        assert!(BotResult::parse(&json!({ "action": "none" })).unwrap().is_none());
        assert!(BotResult::parse(&json!([])).unwrap().is_none());
    }

    #[test]
    fn bot_result_of_one_object_is_one_action() {
        assert_eq!(
            actions(json!({ "action": "send_message", "message": "hi", "reply_to": null })),
            [BotAction::SendMessage { message: "hi".to_owned(), reply_to: None }]
        );
    }

    #[test]
    fn bot_result_of_a_list_keeps_its_order() {
        assert_eq!(
            actions(json!([
                { "action": "delete", "reason": "spam" },
                { "action": "none", "message": "nothing is said" },
                { "action": "timeout", "message_id": "m1", "duration_secs": 60.0, "reason": "spam" },
                { "action": "ban", "user_id": "u1" },
            ])),
            [
                BotAction::Delete { message_id: None },
                BotAction::Timeout {
                    user_id: None,
                    duration_secs: Some(60),
                    reason: Some("spam".to_owned())
                },
                BotAction::Ban { user_id: Some("u1".to_owned()), reason: None },
            ]
        );
    }

    #[test]
    fn bot_action_serialises_as_handlers_write_it() {
        let action = BotAction::Timeout { user_id: None, duration_secs: Some(60), reason: None };

        assert_eq!(
            serde_json::to_value(action).unwrap(),
            json!({ "action": "timeout", "duration_secs": 60 })
        );
    }

    #[test]
    fn bot_result_refuses_a_sixth_action() {
        let six: Vec<Value> = (0..6).map(|_| json!({ "action": "delete" })).collect();

        assert_eq!(problem(json!(six)), "result has 6 actions; at most 5 are allowed");
    }

    #[test]
    fn bot_result_errors_name_the_place_and_the_allowed_values() {
        for (value, message) in [
            (json!("hi"), "result must be null, an action or a list of actions, got a string"),
            (json!([null]), "result[0] must be an action, got null"),
            (json!({}), "result.action is required"),
            (
                json!({ "action": "kick" }),
                "result.action must be one of send_message, delete, timeout, ban, none; got \"kick\"",
            ),
            (json!({ "action": "send_message" }), "result.message is required"),
            (
                json!({ "action": "send_message", "message": " " }),
                "result.message must have 1 to 500 characters, has 1",
            ),
            (
                json!({ "action": "send_message", "message": 1 }),
                "result.message must be a string, got a number",
            ),
            (
                json!([{ "action": "delete", "messageId": "m" }]),
                "result[0].messageId is not a field of an action, which has message, message_id, user_id, \
                 duration_secs, reason, reply_to",
            ),
            (
                json!({ "action": "timeout", "duration_secs": 0 }),
                "result.duration_secs must be a whole number from 1 to 1209600, got 0",
            ),
            (
                json!({ "action": "timeout", "duration_secs": 1.5 }),
                "result.duration_secs must be a whole number from 1 to 1209600, got 1.5",
            ),
            (json!({ "action": "ban", "user_id": "" }), "result.user_id must have 1 to 255 bytes, has 0"),
        ] {
            assert_eq!(problem(value), message);
        }
    }

    #[test]
    fn bot_result_counts_messages_in_characters() {
        let max_reason = "é".repeat(500);
        let too_long = "é".repeat(501);

        assert_eq!(actions(json!({ "action": "send_message", "message": max_reason })).len(), 1);
        assert_eq!(
            problem(json!({ "action": "send_message", "message": too_long })),
            "result.message must have 1 to 500 characters, has 501"
        );
    }
}
