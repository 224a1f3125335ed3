//! Client frames as data: the table that the parser checks and the published description shows.

use serde_json::{Map, Value, json, value::RawValue};
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};
use uuid::Uuid;

/// Longest request id as it is written, in characters.
const MAX_REQUEST_ID_LENGTH: usize = 128;

/// Kind of a client frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerbKind {
    /// Listens to a channel.
    Subscribe,
    /// Ends a subscription.
    Unsubscribe,
    /// Publishes an event.
    Broadcast,
    /// Calls an extension.
    Call,
    /// Sign of life.
    Ping,
}

/// Shape of a client frame.
#[derive(Debug, Clone, Copy)]
pub struct VerbShape {
    /// Kind of the frame.
    pub verb: VerbKind,
    /// The value of `type`.
    pub name: &'static str,
    /// Description for the published document.
    pub summary: &'static str,
    /// Fields beside `type`.
    pub fields: &'static [FieldShape],
    /// The `type` of the reply on success.
    pub answer: &'static str,
}

/// Field of a frame.
#[derive(Debug, Clone, Copy)]
pub struct FieldShape {
    /// Key of the field.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: FieldKind,
    /// True when the field must be present.
    pub is_required: bool,
    /// Description for the published document.
    pub summary: &'static str,
}

/// Kind of a field. Null counts as absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A string.
    Text,
    /// Id of an event, a UUID.
    EventId,
    /// A JSON object.
    Object,
    /// Any JSON.
    Any,
    /// A string or a number, at most 128 characters as written.
    RequestId,
}

impl FieldKind {
    /// True when a value that is not null is of the kind.
    pub(super) fn takes(self, raw: &RawValue) -> bool {
        let text = raw.get();
        match self {
            Self::Text => text.starts_with('"'),
            Self::EventId => serde_json::from_str::<Uuid>(text).is_ok(),
            Self::Object => serde_json::from_str::<Map<String, Value>>(text).is_ok(),
            Self::Any => true,
            Self::RequestId => {
                let is_scalar = matches!(text.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'));
                is_scalar && text.len() <= MAX_REQUEST_ID_LENGTH
            }
        }
    }

    /// Description of the allowed values, for error messages.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::EventId => "the id of an event",
            Self::Object => "an object",
            Self::Any => "JSON",
            Self::RequestId => "a string or a number of at most 128 characters",
        }
    }

    /// The JSON schema.
    #[must_use]
    pub fn schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::EventId => json!({ "type": "string", "format": "uuid" }),
            Self::Object => json!({ "type": "object" }),
            Self::Any => json!({}),
            Self::RequestId => {
                json!({ "type": ["string", "number"], "maxLength": MAX_REQUEST_ID_LENGTH - 2 })
            }
        }
    }
}

const fn field(name: &'static str, kind: FieldKind, is_required: bool, summary: &'static str) -> FieldShape {
    FieldShape { name, kind, is_required, summary }
}

const CHANNEL: FieldShape = field("channel", FieldKind::Text, true, "For example `chat:{account_id}`.");
const REQUEST_ID: FieldShape =
    field("request_id", FieldKind::RequestId, false, "Stands in the answer as it was written.");

/// Every client frame (reference/realtime.md#client-frames).
pub static VERBS: [VerbShape; 5] = [
    VerbShape {
        verb: VerbKind::Subscribe,
        name: "subscribe",
        summary: "Listen to a channel. With `after`, what came after that event follows first; the answer says \
            whether all of it could be had.",
        fields: &[
            CHANNEL,
            field("after", FieldKind::EventId, false, "The last event that the client has of the channel."),
            REQUEST_ID,
        ],
        answer: "subscribed",
    },
    VerbShape {
        verb: VerbKind::Unsubscribe,
        name: "unsubscribe",
        summary: "Ends a subscription; acknowledged also without one.",
        fields: &[CHANNEL, REQUEST_ID],
        answer: "unsubscribed",
    },
    VerbShape {
        verb: VerbKind::Broadcast,
        name: "broadcast",
        summary: "Publish on a channel that takes the event type from clients.",
        fields: &[
            CHANNEL,
            field("event_type", FieldKind::Text, true, "One that the channel takes from clients."),
            field("data", FieldKind::Object, true, "What listeners get."),
            REQUEST_ID,
        ],
        answer: "ack",
    },
    VerbShape {
        verb: VerbKind::Call,
        name: "call",
        summary: "Call a function of an extension, or replace its storage: `function` or `storage_set`, on \
            `ext-storage:{install_id}`.",
        fields: &[
            CHANNEL,
            field("function", FieldKind::Text, false, "The name of the function."),
            field("storage_set", FieldKind::Object, false, "The whole storage, as it is to be."),
            field("args", FieldKind::Any, false, "What the function takes."),
            field("request_id", FieldKind::RequestId, true, "Stands in the answer as it was written."),
        ],
        answer: "result",
    },
    VerbShape {
        verb: VerbKind::Ping,
        name: "ping",
        summary: "A sign of life.",
        fields: &[field("ts", FieldKind::Any, false, "Stands in the answer as it was written."), REQUEST_ID],
        answer: "pong",
    },
];

/// Schema of a request id in a reply.
pub(super) fn request_id() -> Object {
    ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Number])).build()
}

/// Schema of anything.
pub(super) fn anything() -> Object {
    ObjectBuilder::new().schema_type(SchemaType::AnyValue).build()
}

/// Schema of any object.
pub(super) fn object() -> Object {
    ObjectBuilder::new().schema_type(Type::Object).build()
}

/// Schema of a text.
pub(super) fn text() -> Object {
    ObjectBuilder::new().schema_type(Type::String).build()
}

/// Schema of a time.
pub(super) fn time() -> Object {
    use utoipa::openapi::{KnownFormat, SchemaFormat};
    let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
    ObjectBuilder::new().schema_type(Type::String).format(Some(format)).build()
}
