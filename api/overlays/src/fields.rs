//! Fields that overlays, layers and widgets have in common (reference/overlays.md#common-fields).

use api_core::{ApiError, Result, graphql::Json, validate};
use serde_json::Value;

/// Length of a name, in characters (reference/overlays.md#common-fields).
pub(crate) const MAX_NAME_LENGTH: usize = 100;
/// Width and height of an overlay or a widget, in pixels (reference/overlays.md#common-fields).
pub(crate) const MAX_SIZE: i32 = 7680;
/// Size of the configuration of a layer or a widget, in bytes of JSON (reference/overlays.md#common-fields).
const MAX_CONFIG_BYTES: usize = 64 * 1024;
/// End of the name of a copy.
const COPY: &str = " (copy)";

/// Checks a name.
pub(crate) fn name(field: &str, text: &str) -> Result<String> {
    validate::text(field, text, 1, MAX_NAME_LENGTH)
}

/// Checks a width or height in whole pixels.
pub(crate) fn size(field: &str, pixels: i32) -> Result<i32> {
    if (1..=MAX_SIZE).contains(&pixels) {
        return Ok(pixels);
    }
    Err(ApiError::invalid(format!("{field} must be between 1 and {MAX_SIZE}")))
}

/// Checks a configuration.
pub(crate) fn config(field: &str, config: Json) -> Result<Value> {
    let config = config.0;
    if !config.is_object() {
        return Err(ApiError::invalid(format!("{field} must be an object")));
    }
    if config.to_string().len() > MAX_CONFIG_BYTES {
        return Err(ApiError::invalid(format!("{field} must not be larger than {MAX_CONFIG_BYTES} bytes")));
    }
    if has_nul(&config) {
        return Err(ApiError::invalid(format!("{field} must not contain NUL characters")));
    }
    Ok(config)
}

/// Checks the configuration of a new object; empty when none is given.
pub(crate) fn new_config(field: &str, given: Option<Json>) -> Result<Value> {
    match given {
        None | Some(Json(Value::Null)) => Ok(Value::Object(serde_json::Map::new())),
        Some(given) => config(field, given),
    }
}

/// True for a value with NUL characters, which PostgreSQL cannot store in JSON.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

/// Name of a copy, cut to the longest name.
pub(crate) fn name_of_copy(name: &str) -> String {
    let kept: String = name.chars().take(MAX_NAME_LENGTH - COPY.len()).collect();
    format!("{}{COPY}", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn name_of_copy_fits_the_longest_name() {
        assert_eq!(name_of_copy("Main"), "Main (copy)");
        let copy = name_of_copy(&"é".repeat(100));
        assert_eq!(copy, format!("{}{COPY}", "é".repeat(93)));
        assert_eq!(name("name", &copy), Ok(copy.clone()));
        assert_eq!(name_of_copy(&copy), copy);
    }

    #[test]
    fn config_is_an_object_of_bounded_size_without_nul() {
        assert_eq!(config("config", Json(json!({ "a": [1] }))), Ok(json!({ "a": [1] })));
        assert_eq!(config("config", Json(json!([]))), Err(ApiError::invalid("config must be an object")));
        for nul in [json!({ "a": "\0" }), json!({ "\0": 1 }), json!({ "a": [{ "b": "\0" }] })] {
            let message = "config must not contain NUL characters";
            assert_eq!(config("config", Json(nul)), Err(ApiError::invalid(message)));
        }
        // `{"a":""}` has 8 bytes.
        let of = |length: usize| Json(json!({ "a": "x".repeat(length) }));
        assert!(config("config", of(MAX_CONFIG_BYTES - 8)).is_ok());
        assert!(config("config", of(MAX_CONFIG_BYTES - 7)).is_err());
        assert_eq!(new_config("config", None), Ok(json!({})));
        assert_eq!(new_config("config", Some(Json(Value::Null))), Ok(json!({})));
    }
}
