//! Server functions that are data instead of code: one statement on one table, with arguments of the call in it
//! (specification C B3.1, B4).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A declarative function, as `queryRows`, `insertRow`, `patchRow` and `deleteRow` write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Declarative {
    QueryRows {
        table: String,
        #[serde(default)]
        filter: Option<Value>,
        #[serde(default)]
        order_by: Option<String>,
        #[serde(default)]
        order_dir: Option<String>,
        #[serde(default)]
        limit: Option<Value>,
        #[serde(default)]
        offset: Option<Value>,
    },
    InsertRow {
        table: String,
        data: Map<String, Value>,
    },
    PatchRow {
        table: String,
        id: Value,
        data: Map<String, Value>,
    },
    DeleteRow {
        table: String,
        id: Value,
    },
}

impl Declarative {
    /// The table it is about.
    #[must_use]
    pub fn table(&self) -> &str {
        match self {
            Self::QueryRows { table, .. }
            | Self::InsertRow { table, .. }
            | Self::PatchRow { table, .. }
            | Self::DeleteRow { table, .. } => table,
        }
    }

    /// Whether it changes nothing.
    #[must_use]
    pub const fn is_query(&self) -> bool {
        matches!(self, Self::QueryRows { .. })
    }

    /// The function with every `{ "arg": name }` replaced by the argument of that name; an argument that is not given
    /// leaves null. The second value names an argument that nothing asks for.
    #[must_use]
    pub fn with_arguments(&self, arguments: &Map<String, Value>) -> (Self, Option<String>) {
        let mut asked = Vec::new();
        let mut fill = |value: &Value| filled(value, arguments, &mut asked);
        let function = match self {
            Self::QueryRows { table, filter, order_by, order_dir, limit, offset } => Self::QueryRows {
                table: table.clone(),
                filter: filter.as_ref().map(&mut fill),
                order_by: order_by.clone(),
                order_dir: order_dir.clone(),
                limit: limit.as_ref().map(&mut fill),
                offset: offset.as_ref().map(&mut fill),
            },
            Self::InsertRow { table, data } => {
                let data = data.iter().map(|(name, value)| (name.clone(), fill(value))).collect();
                Self::InsertRow { table: table.clone(), data }
            }
            Self::PatchRow { table, id, data } => {
                let (id, table) = (fill(id), table.clone());
                let data = data.iter().map(|(name, value)| (name.clone(), fill(value))).collect();
                Self::PatchRow { table, id, data }
            }
            Self::DeleteRow { table, id } => Self::DeleteRow { table: table.clone(), id: fill(id) },
        };
        let unknown = arguments.keys().find(|name| !asked.contains(name)).cloned();
        (function, unknown)
    }
}

fn filled(value: &Value, arguments: &Map<String, Value>, asked: &mut Vec<String>) -> Value {
    match value {
        Value::Object(fields) => {
            if let (1, Some(Value::String(name))) = (fields.len(), fields.get("arg")) {
                asked.push(name.clone());
                return arguments.get(name).cloned().unwrap_or(Value::Null);
            }
            let fields = fields.iter().map(|(name, value)| (name.clone(), filled(value, arguments, asked)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| filled(item, arguments, asked)).collect())
        }
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_take_their_places_and_others_are_named() {
        let function: Declarative = serde_json::from_value(json!({
            "operation": "queryRows", "table": "scores", "orderBy": "points", "orderDir": "desc", "limit": 10,
            "filter": { "column": "player", "operator": "eq", "value": { "arg": "player" } },
        }))
        .unwrap();
        let arguments = json!({ "player": "ada", "more": 1 });
        let (filled, unknown) = function.with_arguments(arguments.as_object().unwrap());
        let Declarative::QueryRows { filter, limit, .. } = filled else { panic!("another operation") };
        assert_eq!(filter.unwrap()["value"], "ada");
        assert_eq!((limit, unknown), (Some(json!(10)), Some("more".to_owned())));
        assert!(function.is_query() && function.table() == "scores");
    }
}
