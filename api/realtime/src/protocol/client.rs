//! Parser of client frames. A refusal names the field and the allowed values, and carries the request's id
//! when it could be read.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};
use uuid::Uuid;

use super::{
    ErrorCode, ServerFrame,
    shapes::{FieldKind, VERBS, VerbKind, VerbShape},
};

/// A request of a client.
#[derive(Debug)]
pub struct ClientFrame {
    /// A string or a number, returned as it was written.
    pub request_id: Option<Box<RawValue>>,
    /// The requested action.
    pub verb: Verb,
}

/// Action of a client frame (reference/realtime.md#client-frames).
#[derive(Debug)]
pub enum Verb {
    /// Listens to a channel.
    Subscribe {
        channel: String,
        /// Last event that the client has of the channel; later ones follow.
        after: Option<Uuid>,
    },
    /// Ends a subscription.
    Unsubscribe { channel: String },
    /// Publishes an event.
    Broadcast {
        channel: String,
        event_type: String,
        /// An object.
        data: Value,
    },
    /// Calls an extension.
    Call { channel: String, call: Call },
    /// Sign of life.
    Ping { ts: Option<Box<RawValue>> },
}

/// Call on the channel of an extension.
#[derive(Debug, PartialEq)]
pub enum Call {
    /// Calls a server function.
    Function { name: String, args: Value },
    /// Replaces the shared storage of the install.
    StorageSet {
        /// An object.
        value: Value,
    },
}

/// Refusal of a request.
#[derive(Debug)]
pub struct Refusal {
    /// Code of the error frame.
    pub code: ErrorCode,
    /// Message for developers.
    pub message: String,
    /// Channel of the request, when known.
    pub channel: Option<String>,
    /// Id of the request, when known.
    pub request_id: Option<Box<RawValue>>,
}

impl Refusal {
    /// Refusal without channel and id.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), channel: None, request_id: None }
    }

    fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidMessage, message)
    }

    /// Sets the channel of the refusal.
    #[must_use]
    pub fn about(mut self, channel: &str) -> Self {
        self.channel = Some(channel.to_owned());
        self
    }

    /// Sets the id of the refused request.
    #[must_use]
    pub fn answering(mut self, request_id: Option<Box<RawValue>>) -> Self {
        self.request_id = request_id;
        self
    }

    /// Error frame of the refusal.
    #[must_use]
    pub fn frame(&self) -> ServerFrame<'_> {
        ServerFrame::Error {
            code: self.code,
            message: &self.message,
            channel: self.channel.as_deref(),
            request_id: self.request_id.as_deref(),
        }
    }
}

impl ClientFrame {
    /// Reads a text frame.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for bad JSON, an unknown type, or a missing or wrong field.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let fields = Fields::parse(text)?;
        let request_id = fields.request_id()?;
        match fields.verb() {
            Ok(verb) => Ok(Self { request_id, verb }),
            Err(refusal) => Err(refusal.answering(request_id)),
        }
    }
}

/// Fields of a frame, each as it was written.
struct Fields<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    fn parse(text: &'a str) -> Result<Self, Refusal> {
        match serde_json::from_str(text) {
            Ok(fields) => Ok(Self(fields)),
            Err(error) if error.is_data() => Err(Refusal::invalid("A message must be a JSON object")),
            Err(error) => Err(Refusal::invalid(format!("Malformed JSON: {error}"))),
        }
    }

    fn verb(&self) -> Result<Verb, Refusal> {
        let name: String = self.required("type", FieldKind::Text)?;
        let Some(shape) = VERBS.iter().find(|shape| shape.name == name) else {
            let names: Vec<&str> = VERBS.iter().map(|shape| shape.name).collect();
            return Err(Refusal::invalid(format!("Invalid type: must be one of {}", names.join(", "))));
        };
        self.check(shape).and_then(|()| self.read(shape)).map_err(|refusal| self.about_channel(refusal))
    }

    /// Checks that every required field is present and that every field is of its kind.
    fn check(&self, shape: &VerbShape) -> Result<(), Refusal> {
        for field in shape.fields {
            match self.get(field.name) {
                Some(raw) if !field.kind.takes(raw) => {
                    return Err(Refusal::invalid(format!(
                        "Invalid {}: must be {}",
                        field.name,
                        field.kind.expected()
                    )));
                }
                None if field.is_required => {
                    return Err(Refusal::invalid(format!("Missing field: {}", field.name)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read(&self, shape: &VerbShape) -> Result<Verb, Refusal> {
        let channel = || self.required("channel", FieldKind::Text);
        Ok(match shape.verb {
            VerbKind::Subscribe => {
                Verb::Subscribe { channel: channel()?, after: self.optional("after", FieldKind::EventId)? }
            }
            VerbKind::Unsubscribe => Verb::Unsubscribe { channel: channel()? },
            VerbKind::Broadcast => Verb::Broadcast {
                channel: channel()?,
                event_type: self.required("event_type", FieldKind::Text)?,
                data: self.required("data", FieldKind::Object)?,
            },
            VerbKind::Call => Verb::Call { channel: channel()?, call: self.call()? },
            VerbKind::Ping => Verb::Ping { ts: self.get("ts").map(ToOwned::to_owned) },
        })
    }

    fn call(&self) -> Result<Call, Refusal> {
        let (function, value) =
            (self.optional("function", FieldKind::Text)?, self.optional("storage_set", FieldKind::Object)?);
        match (function, value) {
            (Some(name), None) => {
                let args = self.optional("args", FieldKind::Any)?;
                Ok(Call::Function { name, args: args.unwrap_or_default() })
            }
            (None, Some(value)) => Ok(Call::StorageSet { value }),
            (None, None) => Err(Refusal::invalid("Missing field: function")),
            (Some(_), Some(_)) => {
                Err(Refusal::invalid("Invalid storage_set: must not stand beside function"))
            }
        }
    }

    /// Adds the channel of the frame to a refusal, when the frame has one.
    fn about_channel(&self, refusal: Refusal) -> Refusal {
        match self.required::<String>("channel", FieldKind::Text) {
            Ok(channel) => refusal.about(&channel),
            Err(_) => refusal,
        }
    }

    fn request_id(&self) -> Result<Option<Box<RawValue>>, Refusal> {
        let Some(raw) = self.get("request_id") else { return Ok(None) };
        if FieldKind::RequestId.takes(raw) {
            return Ok(Some(raw.to_owned()));
        }
        let expected = FieldKind::RequestId.expected();
        Err(Refusal::invalid(format!("Invalid request_id: must be {expected}")))
    }

    fn required<T: DeserializeOwned>(&self, field: &str, kind: FieldKind) -> Result<T, Refusal> {
        self.optional(field, kind)?.ok_or_else(|| Refusal::invalid(format!("Missing field: {field}")))
    }

    fn optional<T: DeserializeOwned>(&self, field: &str, kind: FieldKind) -> Result<Option<T>, Refusal> {
        let Some(raw) = self.get(field) else { return Ok(None) };
        match serde_json::from_str(raw.get()) {
            Ok(value) => Ok(Some(value)),
            Err(_unreadable) => {
                Err(Refusal::invalid(format!("Invalid {field}: must be {}", kind.expected())))
            }
        }
    }

    /// Value of a field; `None` when it is absent or null.
    fn get(&self, field: &str) -> Option<&'a RawValue> {
        self.0.get(field).copied().filter(|raw| raw.get() != "null")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (ErrorCode, String) {
        let refusal = ClientFrame::parse(text).unwrap_err();
        (refusal.code, refusal.message)
    }

    #[test]
    fn client_frame_reads_each_verb_with_its_fields() {
        let id = Uuid::now_v7();
        let text = format!(
            r#"{{"type":"subscribe","channel":"chat:1","after":"{id}","request_id":"r1","more":[]}}"#
        );
        let frame = ClientFrame::parse(&text).unwrap();
        assert_eq!(frame.request_id.unwrap().get(), "\"r1\"");
        assert!(
            matches!(frame.verb, Verb::Subscribe { channel, after } if channel == "chat:1" && after == Some(id))
        );
        let frame =
            ClientFrame::parse(r#"{"type":"ping","ts":12345678901234567890123,"request_id":7}"#).unwrap();
        assert!(matches!(frame.verb, Verb::Ping { ts: Some(ts) } if ts.get() == "12345678901234567890123"));
        assert_eq!(frame.request_id.unwrap().get(), "7");
        let frame =
            ClientFrame::parse(r#"{"type":"subscribe","channel":"x","after":null,"request_id":null}"#)
                .unwrap();
        assert!(frame.request_id.is_none());
    }

    #[test]
    fn client_frame_refusals_name_the_field_and_the_allowed_values() {
        let wrong = [
            ("", "Malformed JSON"),
            ("{", "Malformed JSON"),
            ("[1]", "A message must be a JSON object"),
            ("null", "A message must be a JSON object"),
            ("{}", "Missing field: type"),
            (r#"{"type":1}"#, "Invalid type: must be a string"),
            (r#"{"type":"shout"}"#, "Invalid type: must be one of subscribe"),
            (r#"{"type":"subscribe"}"#, "Missing field: channel"),
            (r#"{"type":"subscribe","channel":null}"#, "Missing field: channel"),
            (r#"{"type":"subscribe","channel":{}}"#, "Invalid channel: must be a string"),
            (
                r#"{"type":"subscribe","channel":"x","after":"y"}"#,
                "Invalid after: must be the id of an event",
            ),
            (r#"{"type":"subscribe","channel":"x","after":5}"#, "Invalid after: must be the id of an event"),
            (r#"{"type":"broadcast","channel":"x"}"#, "Missing field: event_type"),
            (r#"{"type":"broadcast","channel":"x","event_type":"y"}"#, "Missing field: data"),
            (
                r#"{"type":"broadcast","channel":"x","event_type":"y","data":1}"#,
                "Invalid data: must be an object",
            ),
            (r#"{"type":"call","channel":"x","request_id":"1"}"#, "Missing field: function"),
            (r#"{"type":"call","channel":"x","function":"f"}"#, "Missing field: request_id"),
            (
                r#"{"type":"call","channel":"x","function":"f","storage_set":{},"request_id":1}"#,
                "Invalid storage_set: must not stand beside function",
            ),
            (
                r#"{"type":"call","channel":"x","storage_set":[],"request_id":1}"#,
                "Invalid storage_set: must be an object",
            ),
            (r#"{"type":"call","channel":"x","request_id":1}"#, "Missing field: function"),
            (r#"{"type":"ping","request_id":[]}"#, "Invalid request_id: must be a string or a number"),
        ];
        for (text, message) in wrong {
            let (code, found) = refusal(text);
            assert_eq!(code, ErrorCode::InvalidMessage, "{text}");
            assert!(found.starts_with(message), "{text}: {found}");
        }
    }

    #[test]
    fn client_frame_refusal_carries_the_request_id() {
        let refusal = ClientFrame::parse(r#"{"type":"subscribe","request_id":"r9"}"#).unwrap_err();
        assert_eq!(refusal.request_id.unwrap().get(), "\"r9\"");
    }

    #[test]
    fn client_frame_with_deep_nesting_does_not_overflow() {
        let deep = format!(r#"{{"type":"ping","ts":{}{}}}"#, "[".repeat(30_000), "]".repeat(30_000));
        let _either_is_fine = ClientFrame::parse(&deep);
        let deep = format!(
            r#"{{"type":"broadcast","channel":"x","event_type":"y","data":{}"#,
            "{\"a\":".repeat(9_000)
        );
        assert_eq!(refusal(&deep).0, ErrorCode::InvalidMessage);
    }
}
