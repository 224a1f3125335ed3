//! JSON schemas of event payloads.

use foundation::events::{ChannelEvent, ChannelKind, Payload, Shape};
use serde_json::{Map, Value, json};

use crate::openapi;

/// Prefix of references in the OpenAPI document; references of this document have the same.
const SCHEMAS: &str = "#/components/schemas/";

/// Every schema that payloads refer to: resources of the API, with the payload of each event type.
pub fn schemas() -> Map<String, Value> {
    let events = ChannelKind::ALL.into_iter().flat_map(ChannelKind::events);
    let resources = events.filter_map(|event| match event.payload {
        Payload::Resource(name) => Some(openapi::schemas_below(name)),
        Payload::Keys(_) => None,
    });
    resources.flatten().collect()
}

/// Schema of the `data` of an event.
pub fn payload(event: &ChannelEvent) -> Value {
    match event.payload {
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

fn of_shape(shape: Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::Id => json!({ "type": "string", "format": "uuid" }),
        Shape::Number => json!({ "type": "integer" }),
        Shape::Fraction => json!({ "type": "number" }),
        Shape::Flag => json!({ "type": "boolean" }),
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
