//! JSON Schema of `lumio.config.json`, made of the table of its keys (reference/extensions.md#schema-of-the-manifest).

use std::sync::LazyLock;

use live_model::EVENT_TYPES;
use serde_json::{Map, Value, json};

use super::{
    keys::MANIFEST_SHAPE,
    shape::{Constraint, Key, Presence, Shape},
};

/// Id of the schema. It names no host, because every deployment serves it.
pub const SCHEMA_ID: &str = "urn:lumio:schema:lumio.config.json";

/// Returns the schema, of JSON Schema 2020-12. It accepts every manifest that the upload accepts; rules that
/// concern several keys, files or the code are checked by the upload only.
#[must_use]
pub fn schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(build);
    &SCHEMA
}

fn build() -> Value {
    let mut schema = of_shape(&MANIFEST_SHAPE);
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("$id".into(), SCHEMA_ID.into());
    schema.insert("title".into(), "Manifest of a Lumio extension".into());
    schema.insert(
        "allOf".into(),
        json!([
            needs_section("bot_module"),
            needs_section("automation_node"),
            {
                "if": { "properties": { "category": { "enum": ["widget", "theme"] } }, "required": ["category"] },
                "then": { "properties": { "targets": { "minItems": 1 } }, "required": ["targets"] },
            },
        ]),
    );
    Value::Object(schema)
}

/// Condition that the category of a name requires the section of that name.
fn needs_section(name: &str) -> Value {
    json!({
        "if": { "properties": { "category": { "const": name } }, "required": ["category"] },
        "then": { "properties": { name: { "type": "object" } }, "required": [name] },
    })
}

fn of_shape(shape: &Shape) -> Map<String, Value> {
    let schema = match shape {
        Shape::Any => json!({}),
        Shape::Text => json!({ "type": "string" }),
        Shape::Id => json!({ "type": "string", "format": "uuid" }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Whole { max } => json!({ "type": "integer", "minimum": 0, "maximum": max }),
        Shape::Number => json!({ "type": "number" }),
        Shape::OneOf(values) => json!({ "type": "string", "enum": values }),
        Shape::List(entry) => json!({ "type": "array", "items": of_shape(entry) }),
        Shape::Map(entry) => json!({ "type": "object", "additionalProperties": of_shape(entry) }),
        Shape::Object(keys) => return of_keys(keys),
        Shape::TextOr(keys) => json!({ "anyOf": [text_beside(keys), of_keys(keys)] }),
        Shape::Refined(inner, constraint) => return refined(of_shape(inner), constraint),
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Schema of a text that stands for an object: it is the value of the first key.
fn text_beside(keys: &[Key]) -> Map<String, Value> {
    keys.first().map(|key| of_shape(&key.shape)).unwrap_or_default()
}

fn of_keys(keys: &[Key]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), Value::Object(of_key(key)))).collect();
    let required: Vec<&str> =
        keys.iter().filter(|key| key.presence == Presence::Required).map(|key| key.name).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

fn of_key(key: &Key) -> Map<String, Value> {
    let mut schema = of_shape(&key.shape);
    if key.presence == Presence::Nullable && !schema.is_empty() {
        schema = nullable(schema);
    }
    schema.insert("description".into(), key.description.into());
    schema
}

/// Allows null too. Keywords for texts, numbers and objects do not concern null; `enum` does.
fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}

fn refined(mut schema: Map<String, Value>, constraint: &Constraint) -> Map<String, Value> {
    let keywords = match constraint {
        Constraint::Length(min, max) => json!({ "minLength": min, "maxLength": max }),
        Constraint::Range(min, max) => json!({ "minimum": min, "maximum": max }),
        Constraint::Pattern(pattern) => json!({ "pattern": pattern }),
        Constraint::Values(values) => json!({ "enum": values }),
        Constraint::Entries(max) => json!({ "maxItems": max }),
        Constraint::Distinct(max) => json!({ "maxItems": max, "uniqueItems": true }),
        Constraint::Names(max, pattern) => {
            json!({ "maxProperties": max, "propertyNames": { "pattern": pattern } })
        }
        Constraint::EventType => {
            let known: Vec<&str> = EVENT_TYPES.iter().map(|known| known.name).collect();
            json!({ "anyOf": [{ "enum": known }, { "pattern": "^custom:[a-z0-9_]{1,64}$" }] })
        }
    };
    if let Value::Object(keywords) = keywords {
        schema.extend(keywords);
    }
    schema
}
