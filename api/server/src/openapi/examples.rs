//! Examples, generated from the schemas, so that they always fit.

use serde_json::{Map, Value, json};

use super::Operation;

/// Deepest nesting that is shown.
const DEPTH: i32 = 8;
/// Depth at which even required properties end.
const BOTTOM: i32 = -16;

/// Adds an example to every body without one.
pub fn add(operation: &mut Operation, schemas: &Value) {
    if let Some(body) = operation.get_mut("requestBody") {
        add_to_content(body, schemas);
    }
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for response in responses.into_iter().flat_map(Map::values_mut) {
        add_to_content(response, schemas);
    }
}

fn add_to_content(body: &mut Value, schemas: &Value) {
    let content = body.get_mut("content").and_then(Value::as_object_mut);
    for (_, content) in content.into_iter().flatten() {
        let has_example = content.get("example").is_some() || content.get("examples").is_some();
        if let (false, Some(content)) = (has_example, content.as_object_mut()) {
            let example =
                content.get("schema").map_or(Value::Null, |schema| example("", schema, schemas, DEPTH));
            content.insert("example".into(), example);
        }
    }
}

/// Example of a schema. Where `depth` is used up it is the smallest valid value: no optional properties, no
/// items, null where allowed. A schema that contains itself in a required property has no value and ends at
/// [`BOTTOM`].
fn example(name: &str, schema: &Value, schemas: &Value, depth: i32) -> Value {
    if depth < BOTTOM || (depth <= 0 && is_nullable(schema)) {
        return Value::Null;
    }
    if let Some(given) =
        schema.get("example").or_else(|| schema.get("default")).or_else(|| schema.get("const"))
    {
        return given.clone();
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.rsplit('/').next().and_then(|name| schemas.get(name));
        return target.map_or(Value::Null, |target| example(name, target, schemas, depth - 1));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.first().cloned().unwrap_or_default();
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        return joined(name, parts, schemas, depth);
    }
    for choice in ["oneOf", "anyOf"] {
        let choices = schema.get(choice).and_then(Value::as_array).into_iter().flatten();
        if let Some(first) = choices.into_iter().find(|choice| choice.get("type") != Some(&json!("null"))) {
            return example(name, first, schemas, depth);
        }
    }
    match type_of(schema) {
        "object" => object(schema, schemas, depth),
        "array" => match schema.get("items") {
            Some(items) if depth > 0 => json!([example(name, items, schemas, depth - 1)]),
            _ => json!([]),
        },
        "string" => text(name, schema),
        "integer" => schema.get("minimum").filter(|least| least.is_u64()).cloned().unwrap_or(json!(1)),
        "number" => json!(1.5),
        "boolean" => json!(true),
        _ => Value::Null,
    }
}

/// True when null is allowed.
fn is_nullable(schema: &Value) -> bool {
    let is_null = |ty: &Value| ty == "null";
    let types = schema.get("type").and_then(Value::as_array).into_iter().flatten();
    let choices = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    types.into_iter().any(is_null)
        || choices.into_iter().any(|choice| choice.get("type").is_some_and(is_null))
}

/// Type of a schema. `type` is a text or, when null is allowed, a list.
fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(text)) => text,
        Some(Value::Array(types)) => {
            types.iter().filter_map(Value::as_str).find(|ty| *ty != "null").unwrap_or_default()
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "",
    }
}

fn object(schema: &Value, schemas: &Value, depth: i32) -> Value {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let shown = properties.filter(|(name, _)| depth > 0 || required.contains(&name.as_str()));
    shown.map(|(name, schema)| (name.clone(), example(name, schema, schemas, depth - 1))).collect()
}

fn joined(name: &str, parts: &[Value], schemas: &Value, depth: i32) -> Value {
    let mut joined = Map::new();
    for part in parts {
        if let Value::Object(fields) = example(name, part, schemas, depth) {
            joined.extend(fields);
        }
    }
    Value::Object(joined)
}

fn text(name: &str, schema: &Value) -> Value {
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => "0196b1a0-7c00-7000-8000-000000000001",
        Some("date-time") => "2026-11-21T10:00:00.000Z",
        Some("uri" | "url") => "https://example.com/",
        Some("binary") => "",
        _ => match name {
            "self" | "first" | "last" | "prev" | "next" | "href" => "/v1/…",
            "permissions" | "permission" => "chat:read",
            "color" => "#1a2b3c",
            "currency" => "EUR",
            "email" => "creator@example.com",
            "version" => "1.0.0",
            "" => "text",
            name => name,
        },
    };
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_follow_references_and_choices() {
        let schemas = json!({ "Key": { "type": "object", "properties": {
            "id": { "type": "string", "format": "uuid" },
            "kind": { "enum": ["personal", "service"] },
            "parent": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Key" }] },
            "tags": { "type": "array", "items": { "type": ["string", "null"] } },
        } } });
        let key = example("", &json!({ "$ref": "#/components/schemas/Key" }), &schemas, 4);
        assert_eq!(key["id"], "0196b1a0-7c00-7000-8000-000000000001");
        assert_eq!(key["kind"], "personal");
        assert_eq!(key["tags"], json!(["tags"]));
        assert_eq!(
            (&key["parent"]["parent"], &key["parent"]["tags"]),
            (&Value::Null, &json!([])),
            "recursion ends"
        );
    }
}
