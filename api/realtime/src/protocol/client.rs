//! Reading what a client says. A refusal names the field and what is allowed, and carries the request's id when that
//! could be read.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{ErrorCode, ServerFrame};

const LONGEST_REQUEST_ID: usize = 128;

/// A request of a client.
#[derive(Debug)]
pub struct ClientFrame {
    /// A string or a number, echoed as it was written.
    pub request_id: Option<Box<RawValue>>,
    pub verb: Verb,
}

/// What is asked for (C §11.2).
#[derive(Debug)]
pub enum Verb {
    Subscribe {
        channel: String,
        /// The last event that the client has of the channel: what came after it follows.
        after: Option<Uuid>,
    },
    Unsubscribe {
        channel: String,
    },
    Broadcast {
        channel: String,
    },
    Call {
        channel: String,
    },
    Ping {
        ts: Option<Box<RawValue>>,
    },
}

/// Why a request is not done.
#[derive(Debug)]
pub struct Refusal {
    pub code: ErrorCode,
    pub message: String,
    pub channel: Option<String>,
    pub request_id: Option<Box<RawValue>>,
}

impl Refusal {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), channel: None, request_id: None }
    }

    fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidMessage, message)
    }

    /// Says which channel it is about.
    #[must_use]
    pub fn about(mut self, channel: &str) -> Self {
        self.channel = Some(channel.to_owned());
        self
    }

    /// Says which request it answers.
    #[must_use]
    pub fn answering(mut self, request_id: Option<Box<RawValue>>) -> Self {
        self.request_id = request_id;
        self
    }

    /// The error frame.
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

/// The fields of a frame, each still as it was written.
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
        let name: String = self.required("type", "a string")?;
        match name.as_str() {
            "subscribe" => Ok(Verb::Subscribe { channel: self.channel()?, after: self.after()? }),
            "unsubscribe" => Ok(Verb::Unsubscribe { channel: self.channel()? }),
            "broadcast" => self.broadcast(),
            "call" => self.call(),
            "ping" => Ok(Verb::Ping { ts: self.get("ts").map(ToOwned::to_owned) }),
            _ => Err(Refusal::invalid(
                "Invalid type: must be one of subscribe, unsubscribe, broadcast, call, ping",
            )),
        }
    }

    fn broadcast(&self) -> Result<Verb, Refusal> {
        let channel = self.channel()?;
        self.required::<String>("event_type", "a string").map_err(|refusal| refusal.about(&channel))?;
        self.required::<serde_json::Map<String, serde_json::Value>>("data", "an object")
            .map_err(|refusal| refusal.about(&channel))?;
        Ok(Verb::Broadcast { channel })
    }

    fn call(&self) -> Result<Verb, Refusal> {
        let channel = self.channel()?;
        let missing = |field: &str| Err(Refusal::invalid(format!("Missing field: {field}")).about(&channel));
        if self.get("function").is_none() && self.get("storage_set").is_none() {
            return missing("function");
        }
        if self.get("request_id").is_none() {
            return missing("request_id");
        }
        Ok(Verb::Call { channel })
    }

    fn channel(&self) -> Result<String, Refusal> {
        self.required("channel", "a string")
    }

    fn after(&self) -> Result<Option<Uuid>, Refusal> {
        self.optional("after", "the id of an event").map_err(|refusal| match self.channel() {
            Ok(channel) => refusal.about(&channel),
            Err(_) => refusal,
        })
    }

    fn request_id(&self) -> Result<Option<Box<RawValue>>, Refusal> {
        let Some(raw) = self.get("request_id") else { return Ok(None) };
        let is_scalar = matches!(raw.get().as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'));
        if is_scalar && raw.get().len() <= LONGEST_REQUEST_ID {
            return Ok(Some(raw.to_owned()));
        }
        Err(Refusal::invalid(format!(
            "Invalid request_id: must be a string or a number of at most {LONGEST_REQUEST_ID} characters"
        )))
    }

    fn required<T: DeserializeOwned>(&self, field: &str, expected: &str) -> Result<T, Refusal> {
        self.optional(field, expected)?.ok_or_else(|| Refusal::invalid(format!("Missing field: {field}")))
    }

    fn optional<T: DeserializeOwned>(&self, field: &str, expected: &str) -> Result<Option<T>, Refusal> {
        let Some(raw) = self.get(field) else { return Ok(None) };
        match serde_json::from_str(raw.get()) {
            Ok(value) => Ok(Some(value)),
            Err(_unreadable) => Err(Refusal::invalid(format!("Invalid {field}: must be {expected}"))),
        }
    }

    /// A field that is there and not null.
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
    fn verbs_are_read_with_their_fields() {
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
    fn refusals_name_the_field_and_what_is_allowed() {
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
            (r#"{"type":"ping","request_id":[]}"#, "Invalid request_id: must be a string or a number"),
        ];
        for (text, message) in wrong {
            let (code, found) = refusal(text);
            assert_eq!(code, ErrorCode::InvalidMessage, "{text}");
            assert!(found.starts_with(message), "{text}: {found}");
        }
    }

    #[test]
    fn a_refusal_answers_the_request() {
        let refusal = ClientFrame::parse(r#"{"type":"subscribe","request_id":"r9"}"#).unwrap_err();
        assert_eq!(refusal.request_id.unwrap().get(), "\"r9\"");
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_overflow() {
        let deep = format!(r#"{{"type":"ping","ts":{}{}}}"#, "[".repeat(30_000), "]".repeat(30_000));
        let _either_is_fine = ClientFrame::parse(&deep);
        let deep = format!(
            r#"{{"type":"broadcast","channel":"x","event_type":"y","data":{}"#,
            "{\"a\":".repeat(9_000)
        );
        assert_eq!(refusal(&deep).0, ErrorCode::InvalidMessage);
    }
}
