//! The manifest, from its JSON Schema.

use serde_json::{Map, Value};

use super::{doc, property};

pub(super) fn text() -> String {
    let schema = extension_bundle::schema();
    format!("{}  interface Manifest {}\n", doc("  ", "`lumio.config.json`."), object(schema, "  "))
}

/// Object with its properties, each with its text.
fn object(schema: &Value, indent: &str) -> String {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let required: Vec<&str> = strings(&schema["required"]).collect();
    let inner = format!("{indent}  ");
    let mut text = "{\n".to_owned();
    for (name, value) in properties {
        text.push_str(&doc(&inner, value["description"].as_str().unwrap_or_default()));
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        text.push_str(&format!("{inner}{}{mark}: {};\n", property(name), type_of(value, &inner)));
    }
    text.push_str(&format!("{indent}}}"));
    text
}

fn type_of(schema: &Value, indent: &str) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        // A text with a choice of constraints is a type of the event catalogue.
        if schema["type"] == "string" {
            return "EventType".to_owned();
        }
        return choices.iter().map(|choice| type_of(choice, indent)).collect::<Vec<_>>().join(" | ");
    }
    match &schema["type"] {
        Value::String(name) => named(name, schema, indent),
        kinds => match strings(kinds).map(|name| named(name, schema, indent)).collect::<Vec<_>>() {
            names if names.is_empty() => "any".to_owned(),
            names => names.join(" | "),
        },
    }
}

fn named(name: &str, schema: &Value, indent: &str) -> String {
    match name {
        "string" | "boolean" | "null" => name.to_owned(),
        "number" | "integer" => "number".to_owned(),
        "array" => {
            let entry = type_of(&schema["items"], indent);
            if entry.contains(" | ") || entry.contains('\n') {
                format!("Array<{entry}>")
            } else {
                format!("{entry}[]")
            }
        }
        "object" if schema["additionalProperties"].is_object() => {
            format!("{{ [name: string]: {} }}", type_of(&schema["additionalProperties"], indent))
        }
        _ => object(schema, indent),
    }
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}
