//! The AsyncAPI document of the WebSocket protocol (reference/realtime.md#handshake), built from the code
//! that speaks it. Frames of the server are the types that are sent; frames of clients are the table that is
//! checked. Channels and event types come from the catalogue, resources from the schemas of the OpenAPI
//! document.

mod payloads;

use std::sync::LazyLock;

use actix_web::web::Bytes;
use foundation::events::{ChannelEvent, ChannelKind};
use realtime::protocol::{
    Closing, ErrorCode, HEARTBEAT_INTERVAL, MAX_MESSAGE_BYTES, MAX_QUEUED_FRAMES, MAX_SUBSCRIPTIONS,
    MAX_UNSUBSCRIBED, ServerFrame, VERBS, VerbShape,
};
use serde_json::{Map, Value, json};
use utoipa::{PartialSchema, ToSchema};

/// Name of the AsyncAPI channel for the connection itself; the channels of the protocol are listed beside it.
const SOCKET: &str = "socket";

/// The document.
#[must_use]
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(build);
    &DOCUMENT
}

/// The document as it is served.
#[must_use]
pub fn text() -> Bytes {
    static TEXT: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(document().to_string()));
    TEXT.clone()
}

fn build() -> Value {
    let (mut messages, mut schemas) = (Map::new(), payloads::schemas());
    for shape in &VERBS {
        messages.insert(client_name(shape), client_message(shape));
    }
    for (name, schema) in server_frames(&mut schemas) {
        messages.insert(name.clone(), server_message(&name, &schema));
        schemas.insert(name, schema);
    }
    for kind in ChannelKind::ALL {
        for event in kind.events() {
            messages.insert(message_name(event.name), event_message(kind, event));
        }
    }
    json!({
        "asyncapi": "3.1.0",
        "info": {
            "title": "Lumio WebSocket protocol",
            "version": crate::VERSION,
            "description": INTRODUCTION,
        },
        "defaultContentType": "application/json",
        "servers": { "lumio": server() },
        "channels": channels(&messages),
        "operations": operations(),
        "components": {
            "messages": messages,
            "schemas": schemas,
            "securitySchemes": security_schemes(),
        },
        "x-lumio-error-codes": ErrorCode::ALL
            .map(|code| json!({ "code": code, "description": code.summary() })),
        "x-lumio-close-codes": Closing::ALL
            .map(|closing| json!({
                "code": closing.code(),
                "reason": closing.reason(),
                "reconnect": closing.reconnects(),
                "description": closing.advice(),
            })),
        "x-lumio-limits": {
            "message_bytes": MAX_MESSAGE_BYTES,
            "heartbeat_interval_ms": u64::try_from(HEARTBEAT_INTERVAL.as_millis()).unwrap_or(u64::MAX),
            "subscriptions": MAX_SUBSCRIPTIONS,
            "queued_frames": MAX_QUEUED_FRAMES,
            "seconds_without_subscription": MAX_UNSUBSCRIBED.num_seconds(),
        },
    })
}

const INTRODUCTION: &str = "JSON text frames over `GET /v1/ws`. The first frame is `connected`. Clients `subscribe` to \
    channels and then get an `event` for everything that is published there; `event_type` names it and `data` holds \
    what the messages of the channel describe. A `subscribe` with `after` resumes after the last event that the client \
    has: `recovered: true` promises that everything in between follows. Each channel's order is kept. Clients that are \
    closed with 1001 come back after a jittered pause of 1 to 30 seconds; `x-lumio-close-codes` says so of every code. A \
    socket that has no subscription for 60 seconds is closed. One holder has at most 20 sockets as a person, 100 as an \
    account's service keys, 10 as a popout, overlay, share or widget token, 5 as an installed extension, and 20 as an \
    address without a credential; beyond, the upgrade is refused with 429.";

fn server() -> Value {
    json!({
        "host": "{host}",
        "pathname": "/v1/ws",
        "protocol": "wss",
        "variables": { "host": { "default": "localhost:8080" } },
        "security": [
            { "$ref": "#/components/securitySchemes/bearer" },
            { "$ref": "#/components/securitySchemes/queryToken" },
        ],
    })
}

/// Security schemes of the handshake (reference/realtime.md#credentials).
fn security_schemes() -> Value {
    json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "A session, a ws token, a personal, service or system key, or a popout, overlay, share, \
                widget or extension token.",
        },
        "queryToken": {
            "type": "httpApiKey",
            "in": "query",
            "name": "token",
            "description": "The same, except personal, service and system keys: what lives long must not reach \
                addresses.",
        },
    })
}

fn client_name(shape: &VerbShape) -> String {
    format!("{}_request", shape.name)
}

fn client_message(shape: &VerbShape) -> Value {
    let mut properties = Map::new();
    properties.insert("type".into(), json!({ "const": shape.name }));
    for field in shape.fields {
        let mut schema = field.kind.schema();
        schema["description"] = field.summary.into();
        properties.insert(field.name.into(), schema);
    }
    let required: Vec<&str> = ["type"]
        .into_iter()
        .chain(shape.fields.iter().filter(|field| field.is_required).map(|field| field.name))
        .collect();
    json!({
        "name": shape.name,
        "summary": shape.summary,
        "payload": { "type": "object", "properties": properties, "required": required },
    })
}

/// Schema of each server frame by the name of its type. Schemas that it refers to are added to `schemas`.
fn server_frames(schemas: &mut Map<String, Value>) -> Vec<(String, Value)> {
    let mut referred = Vec::new();
    ServerFrame::schemas(&mut referred);
    for (name, schema) in referred {
        schemas.entry(name).or_insert_with(|| serde_json::to_value(schema).unwrap_or_default());
    }
    let union = serde_json::to_value(ServerFrame::schema()).unwrap_or_default();
    let variants = union["oneOf"].as_array().cloned().unwrap_or_default();
    variants
        .into_iter()
        .filter_map(|variant| {
            let name = variant["properties"]["type"]["enum"][0].as_str()?.to_owned();
            Some((name, variant))
        })
        .collect()
}

fn server_message(name: &str, schema: &Value) -> Value {
    json!({
        "name": name,
        "summary": schema["description"],
        "payload": { "$ref": format!("#/components/schemas/{name}") },
    })
}

/// Name of an event in the form that component keys allow.
fn message_name(event_type: &str) -> String {
    event_type.replace(':', ".")
}

fn event_message(kind: ChannelKind, event: &ChannelEvent) -> Value {
    json!({
        "name": event.name,
        "summary": event.summary,
        "payload": {
            "allOf": [
                { "$ref": "#/components/schemas/event" },
                {
                    "type": "object",
                    "properties": {
                        "channel": { "type": "string", "pattern": format!("^{}:", kind.prefix()) },
                        "event_type": { "const": event.name },
                        "data": payloads::payload(event),
                    },
                },
            ],
        },
    })
}

/// The connection with every frame, and the channels of the protocol with their event types.
fn channels(messages: &Map<String, Value>) -> Value {
    let mut channels = Map::new();
    let is_frame = |name: &&String| !name.contains('.');
    channels.insert(
        SOCKET.into(),
        json!({
            "address": "/v1/ws",
            "title": "The connection",
            "messages": references(messages.keys().filter(is_frame)),
            "bindings": { "ws": {
                "method": "GET",
                "query": { "type": "object", "properties": { "token": { "type": "string" } } },
            } },
        }),
    );
    for kind in ChannelKind::ALL {
        let own = kind.events().iter().map(|event| event.name);
        let names: Vec<String> = own.chain(kind.relayed().iter().copied()).map(message_name).collect();
        let id = kind.id_of();
        let format =
            if kind == ChannelKind::Overlay { "Twelve characters." } else { "A UUID in lower case." };
        channels.insert(
            kind.prefix().into(),
            json!({
                "address": format!("{}:{{{id}}}", kind.prefix()),
                "title": format!("{}:{id}", kind.prefix()),
                "description": format!("Who may listen: {}.", kind.gate()),
                "parameters": { id: { "description": format } },
                "messages": references(names.iter()),
                "x-lumio-gate": {
                    "permission": kind.permission().map(|permission| permission.text()),
                    "feature": kind.feature().map(|feature| feature.key()),
                },
                "x-lumio-client-publish": kind.client_events(),
            }),
        );
    }
    Value::Object(channels)
}

fn references<'a>(names: impl Iterator<Item = &'a String>) -> Value {
    names
        .map(|name| (name.clone(), json!({ "$ref": format!("#/components/messages/{name}") })))
        .collect::<Map<_, _>>()
        .into()
}

/// Frames that the server receives and frames that it sends.
fn operations() -> Value {
    let socket = json!({ "$ref": format!("#/channels/{SOCKET}") });
    let mut operations = Map::new();
    for shape in &VERBS {
        let own = json!([{ "$ref": format!("#/channels/{SOCKET}/messages/{}", client_name(shape)) }]);
        let replies = ["error", shape.answer]
            .map(|name| json!({ "$ref": format!("#/channels/{SOCKET}/messages/{name}") }));
        operations.insert(
            shape.name.into(),
            json!({
                "action": "receive",
                "summary": shape.summary,
                "channel": socket,
                "messages": own,
                "reply": { "channel": socket, "messages": replies },
            }),
        );
    }
    for kind in ChannelKind::ALL {
        let prefix = kind.prefix();
        operations.insert(
            format!("tell_{}", prefix.replace('-', "_")),
            json!({ "action": "send", "channel": { "$ref": format!("#/channels/{prefix}") } }),
        );
    }
    Value::Object(operations)
}
