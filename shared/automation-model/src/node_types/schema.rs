//! JSON schemas of configurations, for the editor. A number or flag may be a text that holds a template.

use serde_json::{Map, Value, json};

use super::{
    NodeType,
    keys::{MAX_HEADERS, MAX_PLATFORMS, MAX_URL_LENGTH, Shape},
};

/// Schema of the configuration. A node of an extension has the schema of its manifest.
pub fn of_config(node_type: &NodeType) -> Value {
    if node_type.name == "extension" {
        return json!({ "type": "object" });
    }
    let properties: Map<String, Value> =
        node_type.keys.iter().map(|key| (key.name.to_owned(), of_shape(key.shape))).collect();
    let required: Vec<&str> =
        node_type.keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn of_shape(shape: Shape) -> Value {
    match shape {
        Shape::Text(max) => json!({ "type": "string", "maxLength": max }),
        Shape::Id => json!({ "type": "string", "format": "uuid" }),
        Shape::Whole(min, max) => json!({ "type": ["integer", "string"], "minimum": min, "maximum": max }),
        Shape::Number(min, max) => json!({ "type": ["number", "string"], "minimum": min, "maximum": max }),
        Shape::Choice(values) => json!({ "type": "string", "examples": values }),
        Shape::Url => json!({ "type": "string", "format": "uri", "maxLength": MAX_URL_LENGTH }),
        Shape::Platform => json!({ "type": "string", "examples": shared::platform::Platform::ALL }),
        Shape::Platforms | Shape::Sources => {
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": MAX_PLATFORMS })
        }
        Shape::Flag => json!({ "type": ["boolean", "string"] }),
        Shape::Toggle => json!({ "type": ["boolean", "string"], "examples": [true, false, "toggle"] }),
        Shape::Object => json!({ "type": "object" }),
        Shape::Headers => json!({
            "type": "object", "additionalProperties": { "type": "string" }, "maxProperties": MAX_HEADERS
        }),
        Shape::Any => json!({}),
        Shape::Name | Shape::Command | Shape::Keyword | Shape::Cron | Shape::Timezone => {
            json!({ "type": "string" })
        }
        Shape::Op => json!({ "type": "string", "enum": [
            "eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with", "ends_with", "matches", "exists"
        ] }),
        Shape::Conditions => json!({ "type": "array", "items": { "type": "object" }, "minItems": 1 }),
        Shape::Cases => list(&json!({ "handle": { "type": "string" }, "equals": {} }), &["handle", "equals"]),
        Shape::Branches => list(
            &json!({ "handle": { "type": "string" }, "weight": { "type": "integer", "minimum": 1 } }),
            &["handle", "weight"],
        ),
        Shape::EventTypes => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        Shape::Filters => list(
            &json!({ "path": { "type": "string" }, "op": { "type": "string" }, "value": {} }),
            &["path", "op"],
        ),
        Shape::KeywordMatch => json!({ "type": "string", "enum": ["word", "contains"] }),
        Shape::Reward => json!({ "type": ["string", "null"], "format": "uuid" }),
    }
}

fn list(properties: &Value, required: &[&str]) -> Value {
    json!({
        "type": "array",
        "items": { "type": "object", "properties": properties, "required": required }
    })
}
