//! Schemas by name. The derives write the type of a generic parameter out at every use. Here each copy
//! becomes a reference to the component that it is a copy of, and components without references are left out.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

/// Prefix of references to schemas.
pub const SCHEMAS: &str = "#/components/schemas/";

/// Schema of all times (reference/conventions.md#timestamps).
const TIMESTAMP: &str = "Timestamp";

/// Reference to a schema.
pub fn to(name: &str) -> Value {
    json!({ "$ref": format!("{SCHEMAS}{name}") })
}

/// Replaces copies of components by references to them.
pub fn link(document: &mut Value) {
    let components = document["components"]["schemas"].as_object().into_iter().flatten();
    let names: HashMap<String, String> = components
        .filter(|(_, schema)| is_worth_a_name(schema))
        .map(|(name, schema)| (schema.to_string(), name.clone()))
        .collect();
    let schemas = document["components"]["schemas"].as_object_mut();
    for schema in schemas.into_iter().flat_map(Map::values_mut) {
        link_below(schema, &names);
        bare_alternatives(schema);
    }
    link_below(&mut document["paths"], &names);
}

/// Reduces the alternatives of a union to their references. Generators take a described reference for another schema,
/// and the component has a description of its own.
fn bare_alternatives(schema: &mut Value) {
    for alternative in schema.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(reference) = alternative.get("$ref").cloned() {
            *alternative = json!({ "$ref": reference });
        }
    }
}

/// True for objects and enumerations, of which a generator makes a type.
fn is_worth_a_name(schema: &Value) -> bool {
    ["properties", "enum", "oneOf", "allOf"].iter().any(|key| schema.get(key).is_some())
}

fn link_below(value: &mut Value, names: &HashMap<String, String>) {
    match value {
        Value::Object(fields) => {
            fields
                .iter_mut()
                .filter(|(key, _)| !is_instance(key))
                .for_each(|(_, field)| link_one(field, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| link_one(item, names)),
        _ => {}
    }
}

fn link_one(value: &mut Value, names: &HashMap<String, String>) {
    if value.get("format").and_then(Value::as_str) == Some("date-time") {
        let is_nullable = value["type"].is_array();
        let time = to(TIMESTAMP);
        *value = if is_nullable { json!({ "oneOf": [{ "type": "null" }, time] }) } else { time };
        return;
    }
    let name = is_worth_a_name(value).then(|| names.get(&value.to_string())).flatten();
    match name {
        Some(name) => *value = to(name),
        None => link_below(value, names),
    }
}

/// True for keys that hold values and no schemas.
fn is_instance(key: &str) -> bool {
    matches!(key, "example" | "examples" | "default" | "enum" | "const")
}

/// Removes components that neither a path nor another component refers to.
pub fn prune(document: &mut Value) {
    let mut used = BTreeSet::new();
    collect(&document["paths"], document, &mut used);
    for part in ["schemas", "responses", "headers", "parameters"] {
        if let Some(components) = document["components"][part].as_object_mut() {
            components.retain(|name, _| used.contains(&format!("#/components/{part}/{name}")));
        }
    }
}

/// Adds every reference of a value, and of everything that it refers to, to `used`.
pub fn collect(value: &Value, document: &Value, used: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str)
                && used.insert(reference.to_owned())
            {
                let target = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
                collect(target.unwrap_or(&Value::Null), document, used);
            }
            fields.values().for_each(|field| collect(field, document, used));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, document, used)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_replace_copies_and_unused_schemas_are_pruned() {
        let role = json!({ "type": "object", "properties": { "id": { "type": "string" } } });
        let list = json!({ "type": "object", "properties": { "data": { "type": "array", "items": role } } });
        let mut document = json!({
            "paths": { "/roles": { "get": { "schema": { "$ref": "#/components/schemas/Roles" } } } },
            "components": { "schemas": { "Role": role, "Roles": list, "Old": { "type": "string" } } },
        });
        link(&mut document);
        assert_eq!(document["components"]["schemas"]["Roles"]["properties"]["data"]["items"], to("Role"));
        assert_eq!(document["components"]["schemas"]["Role"], role, "a component stays what it is");
        prune(&mut document);
        let names: Vec<&String> = document["components"]["schemas"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["Role", "Roles"]);
    }
}
