//! Filters of events: `{ path, op, value }`.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Effort, Operand};
use crate::template::{Scope, of_event, parse_path};

/// Maximum number of filters of a trigger (reference/automations.md#conditions).
pub const MAX_FILTERS: usize = 20;

/// Filters of a trigger. All must hold.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    list: Vec<Filter>,
    /// Effort of their regular expressions.
    effort: Arc<Effort>,
}

/// Condition on a value of an event.
#[derive(Debug, Clone)]
pub struct Filter {
    path: Vec<String>,
    operand: Operand,
}

impl Filters {
    /// Parses `filters` of a configuration.
    ///
    /// # Errors
    /// A list that is malformed or too long.
    pub fn parse(config: &Map<String, Value>) -> Result<Self, String> {
        let list = match config.get("filters") {
            None | Some(Value::Null) => return Ok(Self::default()),
            Some(filters) => filters.as_array().ok_or("filters must be a list")?,
        };
        if list.len() > MAX_FILTERS {
            return Err(format!("filters must have at most {MAX_FILTERS} entries"));
        }
        let list = list.iter().map(Filter::parse).collect::<Result<_, _>>()?;
        Ok(Self { list, effort: Arc::default() })
    }

    /// Lets the filters take from an effort that others take from too.
    pub(crate) fn share(&mut self, effort: &Arc<Effort>) {
        self.effort = Arc::clone(effort);
    }

    /// True when one compares with a regular expression.
    #[must_use]
    pub fn have_patterns(&self) -> bool {
        self.list.iter().any(|filter| matches!(filter.operand, Operand::Matches(_)))
    }

    /// True when all hold for an event. One that cannot be evaluated does not hold.
    #[must_use]
    pub fn hold(&self, event: &Value, scope: &Scope<'_>) -> bool {
        self.list.iter().all(|filter| filter.holds(event, scope, &self.effort))
    }
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
    pub fn holds(&self, event: &Value, scope: &Scope<'_>, effort: &Effort) -> bool {
        self.operand.holds_for(of_event(event, &self.path), scope, effort).unwrap_or(false)
    }
}
