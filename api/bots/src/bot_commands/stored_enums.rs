//! Enums as they are stored: by the text that they have over REST.

use api_core::{ApiError, Result};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Returns the stored text.
///
/// # Errors
/// `INTERNAL_SERVER_ERROR` for a value whose form over REST is not a text.
pub(super) fn text(value: &impl Serialize) -> Result<String> {
    match serde_json::to_value(value)? {
        Value::String(text) => Ok(text),
        other => Err(ApiError::internal(format!("{other} is no name"))),
    }
}

/// Returns the value of a stored text.
///
/// # Errors
/// `INTERNAL_SERVER_ERROR` for an unknown text.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    Ok(serde_json::from_value(Value::String(text.to_owned()))?)
}
