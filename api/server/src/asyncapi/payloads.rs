//! What events carry, as JSON schemas.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use shared::{
    events::{ChannelEvent, ChannelKind, Payload, Shape},
    ingest::{EVENT_TYPES, EventType, KeyKind},
};

use crate::openapi;

/// What references of the OpenAPI document begin with; ours begin with the same.
const SCHEMAS: &str = "#/components/schemas/";
/// The resource whose `data` the catalogue of event types describes.
const EVENT: &str = "Event";

/// Every schema that payloads refer to: resources of the API, and the payload of each event type.
pub fn schemas() -> Map<String, Value> {
    let all = &openapi::document()["components"]["schemas"];
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for event in ChannelKind::ALL.into_iter().flat_map(ChannelKind::events) {
        if let Payload::Resource(name) = event.payload {
            collect(name, all, &mut wanted);
        }
    }
    let resources = wanted.into_iter().map(|name| (name.clone(), all[&name].clone()));
    let types = EVENT_TYPES.iter().map(|known| (type_name(known), type_schema(known)));
    resources.chain(types).collect()
}

/// The schema of what an event carries in `data`.
pub fn payload(event: &ChannelEvent) -> Value {
    match event.payload {
        Payload::Resource(EVENT) => json!({
            "allOf": [{ "$ref": format!("{SCHEMAS}{EVENT}") }, { "oneOf": by_type() }],
        }),
        Payload::Resource(name) => json!({ "$ref": format!("{SCHEMAS}{name}") }),
        Payload::Keys(keys) => {
            let properties: Map<String, Value> =
                keys.iter().map(|(name, shape)| ((*name).to_owned(), of_shape(*shape))).collect();
            let required: Vec<&str> = keys
                .iter()
                .filter(|(_, shape)| !matches!(shape, Shape::Nullable(_)))
                .map(|(name, _)| *name)
                .collect();
            json!({ "type": "object", "properties": properties, "required": required })
        }
    }
}

/// An event of each type of the catalogue, or of an account's own.
fn by_type() -> Vec<Value> {
    let known = EVENT_TYPES.iter().map(|known| {
        json!({ "properties": {
            "event_type": { "const": known.name },
            "data": { "$ref": format!("{SCHEMAS}{}", type_name(known)) },
        } })
    });
    let custom = json!({ "properties": {
        "event_type": { "type": "string", "pattern": "^custom:[a-z0-9_]{1,64}$" },
        "data": { "type": "object" },
    } });
    known.chain([custom]).collect()
}

/// A name that keys of components may have.
fn type_name(known: &EventType) -> String {
    format!("EventData.{}", known.name.replace(':', "."))
}

fn type_schema(known: &EventType) -> Value {
    let properties: Map<String, Value> =
        known.keys.iter().map(|key| (key.name.to_owned(), of_kind(key.kind))).collect();
    let required: Vec<&str> = known.keys.iter().map(|key| key.name).collect();
    json!({ "type": "object", "title": known.name, "properties": properties, "required": required })
}

fn of_kind(kind: KeyKind) -> Value {
    match kind {
        KeyKind::UserId
        | KeyKind::UserName
        | KeyKind::Id
        | KeyKind::Text
        | KeyKind::Message
        | KeyKind::Tier
        | KeyKind::Status => json!({ "type": ["string", "null"] }),
        KeyKind::Time => json!({ "type": ["string", "null"], "format": "date-time" }),
        KeyKind::Count => json!({ "type": ["integer", "null"], "minimum": 0 }),
        KeyKind::Money => {
            json!({ "type": ["integer", "null"], "minimum": 0, "description": "Minor units of `currency`." })
        }
        KeyKind::Currency => json!({ "type": ["string", "null"], "pattern": "^[A-Z]{3}$" }),
        KeyKind::Flag => json!({ "type": ["boolean", "null"] }),
        KeyKind::List => json!({ "type": ["array", "null"], "items": { "type": "object" } }),
    }
}

fn of_shape(shape: Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::Id => json!({ "type": "string", "format": "uuid" }),
        Shape::Number => json!({ "type": "integer" }),
        Shape::Time => json!({ "type": "string", "format": "date-time" }),
        Shape::Any => json!({}),
        Shape::Nullable(shape) => match of_shape(*shape) {
            Value::Object(mut schema) if schema.contains_key("type") => {
                let kind = schema["type"].take();
                schema.insert("type".into(), json!([kind, "null"]));
                Value::Object(schema)
            }
            anything => anything,
        },
    }
}

/// A schema and everything that it refers to.
fn collect(name: &str, all: &Value, wanted: &mut BTreeSet<String>) {
    if all.get(name).is_some() && wanted.insert(name.to_owned()) {
        refer(&all[name], all, wanted);
    }
}

fn refer(schema: &Value, all: &Value, wanted: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(name) =
                fields.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix(SCHEMAS))
            {
                collect(name, all, wanted);
            }
            fields.values().for_each(|field| refer(field, all, wanted));
        }
        Value::Array(items) => items.iter().for_each(|item| refer(item, all, wanted)),
        _ => {}
    }
}
