//! Filters of events: `{ path, op, value }`.

use serde_json::{Map, Value};

use super::Operand;
use crate::template::{Scope, of_event, parse_path};

/// Maximum number of filters of a trigger (reference/automations.md#conditions).
pub const MAX_FILTERS: usize = 20;

/// Condition on a value of an event.
#[derive(Debug, Clone)]
pub struct Filter {
    path: Vec<String>,
    operand: Operand,
}

impl Filter {
    /// Parses a filter.
    ///
    /// # Errors
    /// A malformed filter.
    pub fn parse(config: &Value) -> Result<Self, String> {
        let object = config.as_object().ok_or("a filter must be an object")?;
        if let Some(key) = object.keys().find(|key| !["path", "op", "value"].contains(&key.as_str())) {
            return Err(format!("a filter must have path, op and value; `{key}` is unknown"));
        }
        let path = object.get("path").and_then(Value::as_str).ok_or("the path of a filter must be a text")?;
        let path = path.strip_prefix("event.").unwrap_or(path);
        let operand = Operand::parse(object.get("op").unwrap_or(&Value::Null), object.get("value"))?;
        Ok(Self { path: parse_path(path)?, operand })
    }

    /// Result for an event. The value is looked for in the event, else in its `data`.
    #[must_use]
    pub fn holds(&self, event: &Value, scope: &Scope<'_>) -> bool {
        self.operand.holds_for(of_event(event, &self.path), scope).unwrap_or(false)
    }
}

/// Parses `filters`.
///
/// # Errors
/// A list that is malformed or too long.
pub fn parse_filters(config: &Map<String, Value>) -> Result<Vec<Filter>, String> {
    let list = match config.get("filters") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(filters) => filters.as_array().ok_or("filters must be a list")?,
    };
    if list.len() > MAX_FILTERS {
        return Err(format!("filters must have at most {MAX_FILTERS} entries"));
    }
    list.iter().map(Filter::parse).collect()
}
