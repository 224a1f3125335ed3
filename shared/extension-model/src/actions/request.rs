//! Names of actions, the declarations that each needs, and the payload of each
//! (reference/handlers.md#host-actions).

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use shared::{
    parse_error::{message, without_position},
    platform::Platform,
};

use super::{ActionErrorCode, Refusal};

/// Longest text of all chat platforms, in characters.
const MAX_MESSAGE_LENGTH: usize = 500;
const MAX_REASON_LENGTH: usize = 500;
const MAX_ID_LENGTH: usize = 255;
/// Default duration of Twitch.
const DEFAULT_TIMEOUT_SECS: u32 = 600;
const MAX_EVENT_NAME_LENGTH: usize = 64;

/// Action of a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Sends a chat message.
    ChatSend,
    /// Deletes a chat message.
    ChatDelete,
    /// Bans a user.
    ChatBan,
    /// Lifts a ban.
    ChatUnban,
    /// Times a user out.
    ChatTimeout,
    /// Emits an event.
    EventsEmit,
    /// Switches a scene of OBS; always refused.
    ObsSetScene,
    /// Shows or hides a source of OBS; always refused.
    ObsSetSourceVisible,
    /// Starts a stream of OBS; always refused.
    ObsStartStream,
    /// Stops a stream of OBS; always refused.
    ObsStopStream,
    /// Changes a layer of an overlay; always refused.
    OverlayUpdateLayer,
}

/// Action with its payload.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Sends a chat message.
    Send(Send),
    /// Moderates.
    Moderate(Moderate),
    /// Emits an event.
    Emit(Emit),
}

/// Chat message. Without a platform it goes to the only connected one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Send {
    /// Text of the message.
    pub message: String,
    /// Platform; null for the only connected one.
    pub platform: Option<Platform>,
    /// The platform's id of the message to reply to.
    #[serde(alias = "replyTo")]
    pub reply_to: Option<String>,
}

/// Moderation action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moderate {
    /// Name of the action.
    pub kind: ActionKind,
    /// The platform's id of the message or user.
    pub target_id: String,
    /// Platform; null for the only connected one.
    pub platform: Option<Platform>,
    /// Reason for the log and the platform.
    pub reason: Option<String>,
    /// Duration of a time-out.
    pub duration_secs: Option<u32>,
}

/// Event of the extension: `custom:{name}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Emit {
    /// `custom:{name}`.
    #[serde(alias = "eventType")]
    pub event_type: String,
    /// Payload of the event.
    #[serde(default)]
    pub data: Value,
}

#[derive(Deserialize)]
struct ModeratePayload {
    #[serde(alias = "messageId")]
    message_id: Option<String>,
    #[serde(alias = "userId")]
    user_id: Option<String>,
    platform: Option<Platform>,
    reason: Option<String>,
    #[serde(alias = "durationSeconds", alias = "duration_seconds")]
    duration_secs: Option<u32>,
}

impl ActionKind {
    /// Every action.
    pub const ALL: [Self; 11] = [
        Self::ChatSend,
        Self::ChatDelete,
        Self::ChatBan,
        Self::ChatUnban,
        Self::ChatTimeout,
        Self::EventsEmit,
        Self::ObsSetScene,
        Self::ObsSetSourceVisible,
        Self::ObsStartStream,
        Self::ObsStopStream,
        Self::OverlayUpdateLayer,
    ];

    /// Names of actions in bot results (reference/handlers.md#bot-result).
    const OF_BOT_RESULTS: [(&'static str, Self); 4] = [
        ("send_message", Self::ChatSend),
        ("delete", Self::ChatDelete),
        ("timeout", Self::ChatTimeout),
        ("ban", Self::ChatBan),
    ];

    /// Names that [`ActionKind::parse`] accepts.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        let of_bot_results = Self::OF_BOT_RESULTS.into_iter().map(|(name, _)| name);
        Self::ALL.into_iter().map(Self::as_str).chain(of_bot_results).collect()
    }

    /// Parses the name of an action, of the catalogue or of a bot result.
    ///
    /// # Errors
    /// An unknown name.
    pub fn parse(name: &str) -> Result<Self, Refusal> {
        let of_bot_result = Self::OF_BOT_RESULTS.into_iter().find(|(called, _)| *called == name);
        let of_bot_result = of_bot_result.map(|(_, kind)| kind);
        of_bot_result.or_else(|| Self::ALL.into_iter().find(|kind| kind.as_str() == name)).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.into_iter().map(Self::as_str).collect();
            Refusal::new(
                ActionErrorCode::UnknownAction,
                format!("action must be one of {}", known.join(", ")),
            )
        })
    }

    /// Name in the catalogue.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChatSend => "chat:send",
            Self::ChatDelete => "chat:delete",
            Self::ChatBan => "chat:ban",
            Self::ChatUnban => "chat:unban",
            Self::ChatTimeout => "chat:timeout",
            Self::EventsEmit => "events:emit",
            Self::ObsSetScene => "obs:set_scene",
            Self::ObsSetSourceVisible => "obs:set_source_visible",
            Self::ObsStartStream => "obs:start_stream",
            Self::ObsStopStream => "obs:stop_stream",
            Self::OverlayUpdateLayer => "overlay:update_layer",
        }
    }

    /// Permissions that the manifest has to declare. No valid manifest contains `obs:control` or
    /// `overlays:edit`, so those actions are always refused.
    #[must_use]
    pub const fn declarations(self) -> &'static [&'static str] {
        match self {
            Self::ChatSend => &["chat:send", "chat:read"],
            Self::ChatDelete => &["chat:delete", "chat:read"],
            Self::ChatBan | Self::ChatUnban | Self::ChatTimeout => &["chat:ban"],
            Self::EventsEmit => &["events:emit", "events:read"],
            Self::ObsSetScene => &["obs:set_scene", "obs:control"],
            Self::ObsSetSourceVisible => &["obs:set_source_visible", "obs:control"],
            Self::ObsStartStream => &["obs:start_stream", "obs:control"],
            Self::ObsStopStream => &["obs:stop_stream", "obs:control"],
            Self::OverlayUpdateLayer => &["overlay:update_layer", "overlays:edit"],
        }
    }
}

impl Action {
    /// Name in the catalogue.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Send(_) => ActionKind::ChatSend.as_str(),
            Self::Moderate(moderate) => moderate.kind.as_str(),
            Self::Emit(_) => ActionKind::EventsEmit.as_str(),
        }
    }

    /// True when a second execution has no second effect.
    #[must_use]
    pub const fn may_be_repeated(&self) -> bool {
        matches!(self, Self::Emit(_))
    }

    /// Parses the payload of a declared action. `largest_event` is the largest size of an event of an
    /// extension as JSON, in bytes.
    ///
    /// # Errors
    /// A payload that does not fit the action; the message names the field.
    pub fn parse(kind: ActionKind, payload: &Value, largest_event: usize) -> Result<Self, Refusal> {
        match kind {
            ActionKind::ChatSend => send(payload).map(Self::Send),
            ActionKind::ChatDelete
            | ActionKind::ChatBan
            | ActionKind::ChatUnban
            | ActionKind::ChatTimeout => moderate(kind, payload).map(Self::Moderate),
            ActionKind::EventsEmit => emit(payload, largest_event).map(Self::Emit),
            ActionKind::ObsSetScene
            | ActionKind::ObsSetSourceVisible
            | ActionKind::ObsStartStream
            | ActionKind::ObsStopStream
            | ActionKind::OverlayUpdateLayer => {
                let message = format!("{} is not supported yet", kind.as_str());
                Err(Refusal::new(ActionErrorCode::NotSupported, message))
            }
        }
    }
}

fn send(payload: &Value) -> Result<Send, Refusal> {
    let send: Send = read(payload)?;
    let max = send.platform.and_then(Platform::chat_message_limit).unwrap_or(MAX_MESSAGE_LENGTH);
    let message = bounded("message", send.message, max)?;
    let reply_to = send.reply_to.map(|id| bounded("reply_to", id, MAX_ID_LENGTH)).transpose()?;
    Ok(Send { message, reply_to, ..send })
}

fn moderate(kind: ActionKind, payload: &Value) -> Result<Moderate, Refusal> {
    let given: ModeratePayload = read(payload)?;
    let (field, target) = match kind {
        ActionKind::ChatDelete => ("messageId", given.message_id),
        _ => ("userId", given.user_id),
    };
    let target = target.ok_or_else(|| invalid(format!("{field} is required")))?;
    let duration_secs = match kind {
        ActionKind::ChatTimeout => Some(given.duration_secs.unwrap_or(DEFAULT_TIMEOUT_SECS)),
        _ => None,
    };
    // Without a platform it is not known here; the longest value of all applies.
    let max = given.platform.unwrap_or(Platform::Twitch).max_timeout_secs();
    if duration_secs.is_some_and(|secs| !(1..=max).contains(&secs)) {
        return Err(invalid(format!("durationSeconds must be between 1 and {max}")));
    }
    Ok(Moderate {
        kind,
        target_id: bounded(field, target, MAX_ID_LENGTH)?,
        platform: given.platform,
        reason: given.reason.map(|reason| bounded("reason", reason, MAX_REASON_LENGTH)).transpose()?,
        duration_secs,
    })
}

fn emit(payload: &Value, largest: usize) -> Result<Emit, Refusal> {
    let emit: Emit = read(payload)?;
    let name = emit.event_type.strip_prefix("custom:").unwrap_or(&emit.event_type);
    let is_name = (1..=MAX_EVENT_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !is_name {
        return Err(invalid(format!(
            "eventType must be custom: and 1 to {MAX_EVENT_NAME_LENGTH} characters out of a-z, 0-9 and _"
        )));
    }
    if !(emit.data.is_object() || emit.data.is_null()) {
        return Err(invalid("data must be an object"));
    }
    if emit.data.to_string().len() > largest {
        return Err(invalid(format!("data must have at most {largest} bytes as JSON")));
    }
    let data = if emit.data.is_null() { serde_json::json!({}) } else { emit.data };
    Ok(Emit { event_type: format!("custom:{name}"), data })
}

fn read<T: DeserializeOwned>(payload: &Value) -> Result<T, Refusal> {
    // Null counts as no fields, as an absent payload does. The text, because borrowed values have other errors.
    let text = if payload.is_null() { "{}".to_owned() } else { payload.to_string() };
    let mut deserializer = serde_json::Deserializer::from_str(&text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let reason = error.inner().to_string();
        invalid(message(&error.path().to_string(), without_position(&reason), "body"))
    })
}

/// Checks a text of 1 to `max` characters. NUL is refused, because no platform and no database accepts
/// it.
fn bounded(field: &str, text: String, max: usize) -> Result<String, Refusal> {
    let length = text.trim().chars().count();
    if length == 0 || length > max || text.contains('\0') {
        return Err(invalid(format!("{field} must have 1 to {max} characters")));
    }
    Ok(text.trim().to_owned())
}

fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(ActionErrorCode::InvalidPayload, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::HOST_PERMISSIONS;

    fn parse(name: &str, payload: Value) -> Result<Action, Refusal> {
        Action::parse(ActionKind::parse(name)?, &payload, 1000)
    }

    fn refused(name: &str, payload: Value) -> String {
        let refusal = parse(name, payload).unwrap_err();
        assert_eq!(refusal.code, ActionErrorCode::InvalidPayload);
        refusal.message
    }

    #[test]
    fn request_kinds_of_bot_results_and_host_actions_are_equal() {
        for (short, long) in [("send_message", "chat:send"), ("delete", "chat:delete"), ("ban", "chat:ban")] {
            assert_eq!(ActionKind::parse(short), ActionKind::parse(long));
        }
        let snake = parse("timeout", json!({ "user_id": "7", "duration_secs": 5, "platform": "twitch" }));
        assert_eq!(
            snake,
            parse("chat:timeout", json!({ "userId": "7", "durationSeconds": 5, "platform": "twitch" }))
        );
        let default = parse("timeout", json!({ "user_id": "7" }));
        assert!(matches!(default, Ok(Action::Moderate(Moderate { duration_secs: Some(600), .. }))));
    }

    #[test]
    fn request_refusals_name_the_field() {
        assert!(refused("chat:send", json!({})).contains("message"));
        assert_eq!(refused("chat:send", json!({ "message": " " })), "message must have 1 to 500 characters");
        let long = json!({ "message": "x".repeat(201), "platform": "youtube" });
        assert_eq!(refused("chat:send", long), "message must have 1 to 200 characters");
        assert!(refused("chat:send", json!({ "message": "x", "platform": "msn" })).contains("platform"));
        assert_eq!(refused("chat:ban", json!({})), "userId is required");
        assert_eq!(refused("chat:delete", json!(null)), "messageId is required");
        assert!(
            refused("timeout", json!({ "user_id": "1", "duration_secs": 0 })).contains("durationSeconds")
        );
        let a_day_and_more = json!({ "user_id": "1", "duration_secs": 86_401, "platform": "youtube" });
        assert_eq!(refused("timeout", a_day_and_more), "durationSeconds must be between 1 and 86400");
        assert!(refused("events:emit", json!({ "eventType": "twitch:cheer" })).contains("eventType"));
        assert!(refused("events:emit", json!({ "eventType": "x", "data": [] })).contains("data"));
        assert_eq!(ActionKind::parse("chat:nuke").unwrap_err().code, ActionErrorCode::UnknownAction);
    }

    #[test]
    fn request_kinds_of_obs_and_overlays_cannot_be_declared() {
        for kind in ActionKind::ALL {
            let refused_always = !kind.declarations().iter().all(|needed| HOST_PERMISSIONS.contains(needed));
            let is_outside = kind.as_str().starts_with("obs:") || kind.as_str().starts_with("overlay:");
            assert_eq!(refused_always, is_outside, "{}", kind.as_str());
        }
    }
}
