//! JSON schemas of nodes of extensions: `type`, `properties`, `required`, `enum`, `items`, `minimum`,
//! `maximum`, `maxLength`.

use serde_json::Value;

use crate::template::{Template, ValueTemplate};

/// Checks the output of a node against its schema; null allows everything.
///
/// # Errors
/// The first misfit, with its place.
pub fn fits_output(schema: &Value, output: &Value) -> Result<(), String> {
    check(schema, output, "output", false)
}

/// Checks a configuration against the schema of a node. A text with a placeholder stands for any value.
///
/// # Errors
/// The first misfit or malformed template, with its place.
pub fn allows_config(schema: &Value, config: &Value) -> Result<(), String> {
    ValueTemplate::parse(config)?;
    check(schema, config, "config", true)
}

fn check(schema: &Value, value: &Value, place: &str, has_templates: bool) -> Result<(), String> {
    let Some(rules) = schema.as_object() else { return Ok(()) };
    if has_templates
        && let Value::String(text) = value
        && !Template::parse(text)?.is_constant()
    {
        return Ok(());
    }
    if let Some(types) = rules.get("type")
        && !names(types).any(|name| has_type(value, name))
    {
        return Err(format!("{place} must be of type {}", names(types).collect::<Vec<_>>().join(" or ")));
    }
    if let Some(Value::Array(allowed)) = rules.get("enum")
        && !allowed.contains(value)
    {
        return Err(format!("{place} must be one of {}", Value::from(allowed.clone())));
    }
    check_bounds(schema, value, place)?;
    if let Value::Object(object) = value {
        let required = rules.get("required").and_then(Value::as_array).into_iter().flatten();
        if let Some(missing) = required.filter_map(Value::as_str).find(|name| !object.contains_key(*name)) {
            return Err(format!("{place}.{missing} must be given"));
        }
        for (name, rule) in rules.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if let Some(value) = object.get(name) {
                check(rule, value, &format!("{place}.{name}"), has_templates)?;
            }
        }
    }
    if let (Value::Array(list), Some(items)) = (value, rules.get("items")) {
        for (index, item) in list.iter().enumerate() {
            check(items, item, &format!("{place}[{index}]"), has_templates)?;
        }
    }
    Ok(())
}

fn check_bounds(schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    if let Some(number) = value.as_f64() {
        if let Some(min) = bound("minimum").filter(|min| number < *min) {
            return Err(format!("{place} must be at least {min}"));
        }
        if let Some(max) = bound("maximum").filter(|max| number > *max) {
            return Err(format!("{place} must be at most {max}"));
        }
    }
    let max_length = schema.get("maxLength").and_then(Value::as_u64);
    if let (Value::String(text), Some(max)) = (value, max_length)
        && text.chars().count() as u64 > max
    {
        return Err(format!("{place} must have at most {max} characters"));
    }
    Ok(())
}

/// Names in `type`, which is a name or a list of names.
fn names(types: &Value) -> impl Iterator<Item = &str> {
    let list = types.as_array().map(Vec::as_slice).unwrap_or_else(|| std::slice::from_ref(types));
    list.iter().filter_map(Value::as_str)
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|float| float.fract() == 0.0)
        }
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
