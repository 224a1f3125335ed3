//! Declared tables and values of their columns (reference/extensions.md#tables).

use std::collections::BTreeMap;

use extension_model::Table;
use sandbox::HostError;
use serde_json::{Map, Value};

/// Bytes that a row counts beyond its columns.
const ROW_OVERHEAD: usize = 64;

/// Columns of every table.
pub(crate) const SYSTEM_COLUMNS: [&str; 3] = ["id", "created_at", "updated_at"];

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    String,
    Number,
    Boolean,
    Strings,
    Numbers,
    Object,
}

/// Returns the table of a name.
pub(crate) fn table<'a>(tables: &'a BTreeMap<String, Table>, name: &str) -> Result<&'a Table, HostError> {
    tables.get(name).ok_or_else(|| {
        let known: Vec<&str> = tables.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        HostError::argument(format!("ctx.db: there is no table {}; declared: {known}", shortened(name)))
    })
}

/// Returns the type of a column, and whether it is optional.
pub(crate) fn column(table: &Table, name: &str) -> Option<(ColumnKind, bool)> {
    let (kind, optional) = match table.columns.get(name)? {
        Value::String(kind) => (kind.as_str(), false),
        Value::Object(fields) => {
            let optional = fields.get("optional").and_then(Value::as_bool).unwrap_or(false);
            (fields.get("type").and_then(Value::as_str)?, optional)
        }
        _ => return None,
    };
    let kind = match kind {
        "string" => ColumnKind::String,
        "number" => ColumnKind::Number,
        "boolean" => ColumnKind::Boolean,
        "string[]" => ColumnKind::Strings,
        "number[]" => ColumnKind::Numbers,
        "object" => ColumnKind::Object,
        _ => return None,
    };
    Some((kind, optional))
}

impl ColumnKind {
    /// Returns the name in a manifest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Strings => "string[]",
            Self::Numbers => "number[]",
            Self::Object => "object",
        }
    }

    /// True when the value has the type.
    pub fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Strings => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            Self::Numbers => value.as_array().is_some_and(|items| items.iter().all(Value::is_number)),
            Self::Object => value.is_object(),
        }
    }
}

/// Returns the columns of a new row; optional ones that are null are omitted.
pub(crate) fn new_row(name: &str, table: &Table, row: &Value) -> Result<Map<String, Value>, HostError> {
    let at = format!("ctx.db.insert: {name}");
    let row = object(&at, row)?;
    let data = checked(&at, table, row)?;
    for column_name in table.columns.keys() {
        let required = column(table, column_name).is_some_and(|(_, optional)| !optional);
        if required && !data.contains_key(column_name) {
            return Err(HostError::argument(format!("{at}.{column_name} is required")));
        }
    }
    Ok(data.into_iter().filter(|(_, value)| !value.is_null()).collect())
}

/// Returns the columns of a row after a change.
pub(crate) fn patched_row(
    name: &str,
    table: &Table,
    mut row: Map<String, Value>,
    partial: &Value,
) -> Result<Map<String, Value>, HostError> {
    let at = format!("ctx.db.patch: {name}");
    row.extend(checked(&at, table, object(&at, partial)?)?);
    Ok(row.into_iter().filter(|(_, value)| !value.is_null()).collect())
}

/// Returns the bytes of a row for its quota.
///
/// # Errors
/// A row beyond the maximum size.
pub(crate) fn size(name: &str, data: &Map<String, Value>, max: usize) -> Result<i64, HostError> {
    let bytes = serde_json::to_string(data).map_or(usize::MAX, |text| text.len());
    if bytes > max {
        let message = format!("ctx.db: the row of {name} is {bytes} bytes of JSON; the limit is {max}");
        return Err(HostError::limit(message));
    }
    Ok(i64::try_from(bytes + ROW_OVERHEAD).unwrap_or(i64::MAX))
}

fn object<'a>(at: &str, value: &'a Value) -> Result<&'a Map<String, Value>, HostError> {
    value.as_object().ok_or_else(|| HostError::argument(format!("{at}: the columns must be an object")))
}

fn checked(at: &str, table: &Table, row: &Map<String, Value>) -> Result<Map<String, Value>, HostError> {
    for (name, value) in row {
        let Some((kind, optional)) = column(table, name) else {
            return Err(HostError::argument(format!("{at} has no column {}", shortened(name))));
        };
        if !(kind.fits(value) || optional && value.is_null()) {
            return Err(HostError::argument(format!("{at}.{name} must be {}", kind.as_str())));
        }
        if has_nul(value) {
            return Err(HostError::argument(format!("{at}.{name} must not contain NUL characters")));
        }
    }
    Ok(row.clone())
}

/// True when the value holds a NUL, which PostgreSQL does not store in JSON.
pub(crate) fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Cuts a handler's own name for a message.
pub(crate) fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(64)]
}
