//! Schemas of events, one of each type of the catalogue, for both documents.

use live_model::{EVENT_TYPES, EventType, KeyKind};
use serde_json::{Map, Value, json};

/// Resource whose `data` is described by the catalogue of event types.
pub const EVENT: &str = "Event";
/// Event of a type that the account defined.
const CUSTOM: &str = "Event.custom";

/// Replaces the schema of events, whose `data` is any object, by one schema of each type of the catalogue.
pub fn by_type(schemas: &mut Map<String, Value>) {
    let Some(fields) = schemas.remove(EVENT) else { return };
    for known in EVENT_TYPES {
        schemas.insert(data_name(known), data_schema(known));
        let data = json!({ "$ref": reference(&data_name(known)) });
        schemas.insert(
            event_name(known),
            variant(&fields, &json!({ "type": "string", "enum": [known.name] }), &data),
        );
    }
    let custom = json!({ "type": "string", "pattern": "^custom:[a-z0-9_]{1,64}$" });
    schemas.insert(CUSTOM.into(), variant(&fields, &custom, &json!({ "type": "object" })));
    let names = EVENT_TYPES.iter().map(event_name).chain([CUSTOM.to_owned()]);
    let variants: Vec<Value> = names.map(|name| json!({ "$ref": reference(&name) })).collect();
    // Without a discriminator, which cannot name the types that accounts define.
    schemas.insert(EVENT.into(), json!({ "description": fields["description"], "anyOf": variants }));
}

/// Fields of an event of one type. They are written out, because generators distinguish the types of a union
/// by a property of each type.
fn variant(fields: &Value, event_type: &Value, data: &Value) -> Value {
    let mut variant = fields.clone();
    variant["properties"]["event_type"] = event_type.clone();
    variant["properties"]["data"] = data.clone();
    variant
}

fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// Name of an event type in the form that component keys allow.
fn event_name(known: &EventType) -> String {
    format!("{EVENT}.{}", known.name.replace(':', "."))
}

fn data_name(known: &EventType) -> String {
    format!("EventData.{}", known.name.replace(':', "."))
}

fn data_schema(known: &EventType) -> Value {
    let properties: Map<String, Value> =
        known.keys.iter().map(|key| (key.name.to_owned(), of_kind(key.kind))).collect();
    let required: Vec<&str> = known.keys.iter().map(|key| key.name).collect();
    json!({
        "type": "object",
        "description": format!("What `{}` carries.", known.name),
        "properties": properties,
        "required": required,
    })
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
        KeyKind::Time => json!({ "oneOf": [{ "$ref": reference("Timestamp") }, { "type": "null" }] }),
        KeyKind::Count => json!({ "type": ["integer", "null"], "minimum": 0 }),
        KeyKind::Money => {
            json!({ "type": ["integer", "null"], "minimum": 0, "description": "Minor units of `currency`." })
        }
        KeyKind::Currency => json!({ "type": ["string", "null"], "pattern": "^[A-Z]{3}$" }),
        KeyKind::Flag => json!({ "type": ["boolean", "null"] }),
        KeyKind::List => json!({ "type": ["array", "null"], "items": { "type": "object" } }),
    }
}
