//! Server functions that are data instead of code: one statement on one table, with arguments of the call
//! (reference/extensions.md#functions).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A declarative function: `queryRows`, `insertRow`, `patchRow` or `deleteRow`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Declarative {
    /// Returns rows of a table.
    QueryRows {
        /// Declared table.
        table: String,
        /// Conditions; all rows when absent.
        #[serde(default)]
        filter: Option<Value>,
        /// Column of the order.
        #[serde(default)]
        order_by: Option<String>,
        /// Direction of the order.
        #[serde(default)]
        order_dir: Option<String>,
        /// Maximum number of rows.
        #[serde(default)]
        limit: Option<Value>,
        /// Number of skipped rows.
        #[serde(default)]
        offset: Option<Value>,
    },
    /// Inserts a row.
    InsertRow { table: String, data: Map<String, Value> },
    /// Changes columns of a row.
    PatchRow { table: String, id: Value, data: Map<String, Value> },
    /// Deletes a row.
    DeleteRow { table: String, id: Value },
}

impl Declarative {
    /// Name of the table.
    #[must_use]
    pub fn table(&self) -> &str {
        match self {
            Self::QueryRows { table, .. }
            | Self::InsertRow { table, .. }
            | Self::PatchRow { table, .. }
            | Self::DeleteRow { table, .. } => table,
        }
    }

    /// True when the function changes nothing.
    #[must_use]
    pub const fn is_query(&self) -> bool {
        matches!(self, Self::QueryRows { .. })
    }

    /// Returns the function with every `{ "arg": name }` replaced by the argument of that name. An argument
    /// is always a value: a filter compares with it and never reads it as conditions.
    ///
    /// # Errors
    /// An argument that is missing, unknown, or used in place of a condition.
    pub fn with_arguments(&self, arguments: &Map<String, Value>) -> Result<Self, ArgumentProblem> {
        let mut filling = Filling { arguments, asked: Vec::new() };
        let function = match self {
            Self::QueryRows { table, filter, order_by, order_dir, limit, offset } => Self::QueryRows {
                table: table.clone(),
                filter: filter.as_ref().map(|filter| filling.filter(filter)).transpose()?,
                order_by: order_by.clone(),
                order_dir: order_dir.clone(),
                limit: limit.as_ref().map(|limit| filling.value(limit)).transpose()?,
                offset: offset.as_ref().map(|offset| filling.value(offset)).transpose()?,
            },
            Self::InsertRow { table, data } => {
                Self::InsertRow { table: table.clone(), data: filling.fields(data)? }
            }
            Self::PatchRow { table, id, data } => {
                let (id, table) = (filling.value(id)?, table.clone());
                Self::PatchRow { table, id, data: filling.fields(data)? }
            }
            Self::DeleteRow { table, id } => Self::DeleteRow { table: table.clone(), id: filling.value(id)? },
        };
        match arguments.keys().find(|name| !filling.asked.contains(name)) {
            Some(unknown) => Err(ArgumentProblem::Unknown(unknown.clone())),
            None => Ok(function),
        }
    }
}

/// Reason why a declarative function cannot be called with the given arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentProblem {
    /// The argument of this name is missing.
    #[error("args.{0}: is required")]
    Missing(String),
    /// The function has no argument of this name.
    #[error("args.{0}: is not an argument of this handler")]
    Unknown(String),
    /// The manifest uses an argument as a condition.
    #[error("declarative: the argument {0} must stand for a value, not for a condition")]
    Misplaced(String),
}

/// Replacement of arguments in one declaration.
struct Filling<'a> {
    arguments: &'a Map<String, Value>,
    asked: Vec<String>,
}

impl Filling<'_> {
    fn value(&mut self, declared: &Value) -> Result<Value, ArgumentProblem> {
        if let Some(name) = argument(declared) {
            self.asked.push(name.to_owned());
            let given = self.arguments.get(name).cloned();
            return given.ok_or_else(|| ArgumentProblem::Missing(name.to_owned()));
        }
        match declared {
            Value::Object(fields) => Ok(Value::Object(self.fields(fields)?)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            plain => Ok(plain.clone()),
        }
    }

    fn fields(&mut self, declared: &Map<String, Value>) -> Result<Map<String, Value>, ArgumentProblem> {
        declared.iter().map(|(name, value)| Ok((name.clone(), self.value(value)?))).collect()
    }

    /// Fills a filter: one or more conditions, or columns with the values they are compared with.
    fn filter(&mut self, declared: &Value) -> Result<Value, ArgumentProblem> {
        match declared {
            Value::Array(parts) => {
                let parts = parts.iter().map(|part| self.conditions(part));
                Ok(Value::Array(parts.collect::<Result<Vec<_>, _>>()?.concat()))
            }
            part => Ok(Value::Array(self.conditions(part)?)),
        }
    }

    fn conditions(&mut self, declared: &Value) -> Result<Vec<Value>, ArgumentProblem> {
        if let Some(name) = argument(declared) {
            return Err(ArgumentProblem::Misplaced(name.to_owned()));
        }
        let Value::Object(fields) = declared else { return Ok(vec![declared.clone()]) };
        if fields.contains_key("column") && fields.contains_key("operator") {
            return Ok(vec![self.made(fields)?]);
        }
        let mut conditions = Vec::new();
        for (column, compared) in fields {
            conditions.push(if argument(compared).is_some() {
                // Written with an explicit operator, so that an object of the caller is compared as a value
                // and never read as operators.
                json!({ "column": column, "operator": "eq", "value": self.value(compared)? })
            } else {
                json!({ column: self.value(compared)? })
            });
        }
        Ok(conditions)
    }

    fn made(&mut self, fields: &Map<String, Value>) -> Result<Value, ArgumentProblem> {
        for part in ["column", "operator"] {
            if let Some(name) = fields.get(part).and_then(argument) {
                return Err(ArgumentProblem::Misplaced(name.to_owned()));
            }
        }
        Ok(Value::Object(self.fields(fields)?))
    }
}

/// Name of the argument that a declared value refers to.
fn argument(declared: &Value) -> Option<&str> {
    let fields = declared.as_object().filter(|fields| fields.len() == 1)?;
    fields.get("arg")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(filter: &Value) -> Declarative {
        let function =
            json!({ "operation": "queryRows", "table": "scores", "orderBy": "points", "filter": filter });
        serde_json::from_value(function).unwrap()
    }

    fn filled(filter: &Value, arguments: &Value) -> Result<Value, String> {
        match query(filter).with_arguments(arguments.as_object().unwrap()) {
            Ok(Declarative::QueryRows { filter, .. }) => Ok(filter.unwrap()),
            Ok(other) => panic!("another operation: {other:?}"),
            Err(problem) => Err(problem.to_string()),
        }
    }

    #[test]
    fn declarative_filter_inserts_arguments_and_names_unknown_ones() {
        let made = json!({ "column": "player", "operator": "ne", "value": { "arg": "player" } });
        let arguments = json!({ "player": "ada" });
        assert_eq!(filled(&made, &arguments).unwrap()[0]["value"], "ada");
        assert_eq!(filled(&json!([made]), &arguments).unwrap()[0]["value"], "ada");
        let refused = filled(&made, &json!({ "player": "ada", "more": 1 })).unwrap_err();
        assert_eq!(refused, "args.more: is not an argument of this handler");
        assert_eq!(filled(&made, &json!({})).unwrap_err(), "args.player: is required");
        assert!(query(&made).is_query() && query(&made).table() == "scores");
    }

    #[test]
    fn declarative_arguments_are_operands_and_never_operators() {
        let arguments = json!({ "player": { "ne": "nobody" } });
        let eq = json!([{ "column": "player", "operator": "eq", "value": { "ne": "nobody" } }]);
        assert_eq!(filled(&json!({ "player": { "arg": "player" } }), &arguments).unwrap(), eq);
        assert_eq!(filled(&json!([{ "player": { "arg": "player" } }]), &arguments).unwrap(), eq);
        let declared = json!({ "points": { "gte": { "arg": "least" } }, "team": "red" });
        assert_eq!(
            filled(&declared, &json!({ "least": 5 })).unwrap(),
            json!([{ "points": { "gte": 5 } }, { "team": "red" }])
        );
        for misplaced in [
            json!({ "arg": "player" }),
            json!([{ "arg": "player" }]),
            json!({ "column": { "arg": "player" }, "operator": "eq", "value": 1 }),
            json!({ "column": "points", "operator": { "arg": "player" }, "value": 1 }),
        ] {
            let refused = filled(&misplaced, &arguments).unwrap_err();
            assert!(refused.contains("the argument player must stand for a value"), "{refused}");
        }
    }

    #[test]
    fn declarative_row_takes_required_arguments_at_any_depth() {
        let insert: Declarative = serde_json::from_value(json!({
            "operation": "insertRow", "table": "scores",
            "data": { "player": { "arg": "player" }, "more": { "at": [{ "arg": "at" }] } },
        }))
        .unwrap();
        let given = |arguments: Value| insert.with_arguments(arguments.as_object().unwrap());
        let Ok(Declarative::InsertRow { data, .. }) = given(json!({ "player": "ada", "at": null })) else {
            panic!("another operation")
        };
        assert_eq!(Value::Object(data), json!({ "player": "ada", "more": { "at": [null] } }));
        assert_eq!(given(json!({ "player": "ada" })), Err(ArgumentProblem::Missing("at".to_owned())));
    }
}
