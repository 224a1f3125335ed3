//! Rules of `automation_node` (reference/extensions.md#automation-node).

use extension_model::{AutomationNode, TriggerMode, feeds::NodeType};
use serde_json::Value;

use super::Errors;

const MAX_SCHEMA_BYTES: usize = 64 * 1024;
/// Subset of JSON Schema draft 2020-12 that schemas may use.
const KEYWORDS: [&str; 8] =
    ["type", "properties", "required", "enum", "items", "minimum", "maximum", "maxLength"];
/// Keywords without an effect on validity.
const ANNOTATIONS: [&str; 5] = ["$schema", "title", "description", "default", "examples"];
const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

pub(super) fn check(node: &AutomationNode, errors: &mut Errors) {
    errors.text("automation_node.name", &node.name, 100);
    for (field, text) in [("automation_node.icon", &node.icon), ("automation_node.color", &node.color)] {
        if let Some(text) = text {
            errors.text(field, text, 100);
        }
    }
    errors.handler("automation_node.handler", &node.handler);
    let is_trigger = node.node_type == NodeType::Trigger;
    errors.require(
        is_trigger == node.trigger_mode.is_some(),
        "automation_node.trigger_mode",
        "belongs to a trigger and only to it: webhook, polling or both",
    );
    let polls = matches!(node.trigger_mode, Some(TriggerMode::Polling | TriggerMode::Both));
    errors.require(
        node.poll_interval_seconds.is_none_or(|seconds| polls && (10..=300).contains(&seconds)),
        "automation_node.poll_interval_seconds",
        "must be between 10 and 300, for polling triggers",
    );
    schema("automation_node.input_schema", &node.input_schema, errors);
    schema("automation_node.output_schema", &node.output_schema, errors);
}

fn schema(at: &str, schema: &Value, errors: &mut Errors) {
    if schema.is_null() {
        return;
    }
    if schema.to_string().len() > MAX_SCHEMA_BYTES {
        errors.require(false, at, "must not be larger than 64 KiB");
        return;
    }
    part(at, schema, errors);
}

/// The JSON parser bounds the depth.
fn part(at: &str, schema: &Value, errors: &mut Errors) {
    let Some(fields) = schema.as_object() else {
        errors.require(false, at, "must be a JSON Schema object");
        return;
    };
    for (keyword, value) in fields {
        if errors.is_full() {
            return;
        }
        let field = format!("{at}.{keyword}");
        match keyword.as_str() {
            "type" => {
                let known = value.as_str().is_some_and(|name| TYPES.contains(&name));
                errors.require(
                    known,
                    &field,
                    "must be one of object, array, string, number, integer, boolean, null",
                );
            }
            "properties" => match value.as_object() {
                Some(properties) => {
                    properties
                        .iter()
                        .for_each(|(name, value)| part(&format!("{field}.{name}"), value, errors));
                }
                None => errors.require(false, &field, "must be an object"),
            },
            "items" => part(&field, value, errors),
            "required" => {
                let names = value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
                errors.require(names, &field, "must be a list of names");
            }
            "enum" => errors.require(value.is_array(), &field, "must be a list"),
            "minimum" | "maximum" => errors.require(value.is_number(), &field, "must be a number"),
            "maxLength" => errors.require(value.is_u64(), &field, "must be a whole number of 0 or more"),
            other => {
                let known = ANNOTATIONS.contains(&other);
                errors.require(known, &field, &format!("is not supported; {} are", KEYWORDS.join(", ")));
            }
        }
    }
}
