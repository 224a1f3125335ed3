//! Filters of rows: conditions on declared columns, all of which must hold.
//!
//! A filter is an object of columns and values (`{ player: "ada" }`), of columns and conditions (`{ points: {
//! gte: 10 } }`), a condition as `filter(column, operator, value)` makes it, or a list of these.

use chrono::{DateTime, Utc};
use extension_model::Table;
use sandbox::HostError;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::tables::{ColumnKind, SYSTEM_COLUMNS, column, has_nul, shortened};

/// Maximum number of conditions of one filter.
const MAX_CONDITIONS: usize = 20;
/// Maximum number of values of one `in`.
const MAX_VALUES: usize = 100;

/// Condition for a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition {
    pub column: Column,
    pub operator: Operator,
    pub operands: Vec<Operand>,
}

/// Column of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    Id,
    CreatedAt,
    UpdatedAt,
    /// A declared column.
    Data(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Eq,
    Ne,
    Gt,
    Gte,
    Lt,
    Lte,
    In,
}

/// Value that the column is compared with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    Id(Uuid),
    Time(DateTime<Utc>),
    Json(Value),
    Null,
}

impl Operator {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "eq" | "=" | "==" => Self::Eq,
            "ne" | "neq" | "!=" => Self::Ne,
            "gt" | ">" => Self::Gt,
            "gte" | ">=" => Self::Gte,
            "lt" | "<" => Self::Lt,
            "lte" | "<=" => Self::Lte,
            "in" => Self::In,
            _ => return None,
        })
    }

    /// Returns the SQL operator between two values that are not null.
    pub const fn sql(self) -> &'static str {
        match self {
            Self::Eq | Self::In => "=",
            Self::Ne => "IS DISTINCT FROM",
            Self::Gt => ">",
            Self::Gte => ">=",
            Self::Lt => "<",
            Self::Lte => "<=",
        }
    }
}

impl Column {
    /// Returns the column of a name.
    pub fn of(table: &Table, name: &str) -> Option<Self> {
        match name {
            "id" => Some(Self::Id),
            "created_at" => Some(Self::CreatedAt),
            "updated_at" => Some(Self::UpdatedAt),
            declared => column(table, declared).map(|_| Self::Data(declared.to_owned())),
        }
    }
}

/// Reads a filter.
///
/// # Errors
/// `Argument` with the column and the allowed values.
pub(crate) fn conditions(
    what: &str,
    table: &Table,
    filter: Option<&Value>,
) -> Result<Vec<Condition>, HostError> {
    let mut found = Vec::new();
    match filter {
        None | Some(Value::Null) => {}
        Some(Value::Array(parts)) => {
            for part in parts {
                match part {
                    Value::Object(fields) if !has_parts(fields) => {
                        of_columns(what, table, fields, &mut found)?;
                    }
                    part => found.push(made(what, table, part)?),
                }
            }
        }
        Some(part @ Value::Object(fields)) if has_parts(fields) && !table.columns.contains_key("column") => {
            found.push(made(what, table, part)?);
        }
        Some(Value::Object(fields)) => of_columns(what, table, fields, &mut found)?,
        Some(_) => return Err(HostError::argument(format!("{what}: filter must be an object"))),
    }
    if found.len() > MAX_CONDITIONS {
        return Err(HostError::argument(format!(
            "{what}: filter must have at most {MAX_CONDITIONS} conditions"
        )));
    }
    Ok(found)
}

/// True when an object has the parts that `filter(column, operator, value)` makes.
fn has_parts(fields: &Map<String, Value>) -> bool {
    fields.contains_key("column") && fields.contains_key("operator")
}

fn made(what: &str, table: &Table, part: &Value) -> Result<Condition, HostError> {
    let (Some(name), Some(operator)) = (part["column"].as_str(), part["operator"].as_str()) else {
        return Err(HostError::argument(format!("{what}: a condition must have a column and an operator")));
    };
    condition(what, table, name, operator, &part["value"])
}

fn of_columns(
    what: &str,
    table: &Table,
    fields: &Map<String, Value>,
    found: &mut Vec<Condition>,
) -> Result<(), HostError> {
    for (name, value) in fields {
        let holds_objects = column(table, name).is_some_and(|(kind, _)| kind == ColumnKind::Object);
        match value {
            Value::Object(operators) if !holds_objects => {
                for (operator, value) in operators {
                    found.push(condition(what, table, name, operator, value)?);
                }
            }
            value => found.push(condition(what, table, name, "eq", value)?),
        }
    }
    Ok(())
}

fn condition(
    what: &str,
    table: &Table,
    name: &str,
    operator: &str,
    value: &Value,
) -> Result<Condition, HostError> {
    let refuse = |problem: String| HostError::argument(format!("{what}: {problem}"));
    let column = Column::of(table, name).ok_or_else(|| {
        let declared = table.columns.keys().map(String::as_str).chain(SYSTEM_COLUMNS);
        refuse(format!(
            "there is no column {}; there are {}",
            shortened(name),
            declared.collect::<Vec<_>>().join(", ")
        ))
    })?;
    let operator = Operator::parse(operator).ok_or_else(|| {
        refuse(format!("filter.{name}: the operator must be one of eq, ne, gt, gte, lt, lte, in"))
    })?;
    let values = match (operator, value) {
        (Operator::In, Value::Array(values)) if values.len() <= MAX_VALUES => values.as_slice(),
        (Operator::In, _) => {
            return Err(refuse(format!("filter.{name}: in needs an array of at most {MAX_VALUES} values")));
        }
        (_, value) => std::slice::from_ref(value),
    };
    let operands = values.iter().map(|value| operand(table, &column, value));
    let operands = operands.collect::<Option<Vec<_>>>().ok_or_else(|| {
        let expected = match &column {
            Column::Id => "a UUID",
            Column::CreatedAt | Column::UpdatedAt => "a time in RFC 3339",
            Column::Data(name) => self::column(table, name).map_or("null", |(kind, _)| kind.as_str()),
        };
        refuse(format!("filter.{name} must be {expected}"))
    })?;
    if operands.contains(&Operand::Null) && !matches!(operator, Operator::Eq | Operator::Ne) {
        return Err(refuse(format!("filter.{name}: null can be compared with eq and ne only")));
    }
    Ok(Condition { column, operator, operands })
}

fn operand(table: &Table, of: &Column, value: &Value) -> Option<Operand> {
    match of {
        Column::Id => Uuid::try_parse(value.as_str()?).ok().map(Operand::Id),
        Column::CreatedAt | Column::UpdatedAt => {
            DateTime::parse_from_rfc3339(value.as_str()?).ok().map(|time| Operand::Time(time.to_utc()))
        }
        Column::Data(_) if value.is_null() => Some(Operand::Null),
        Column::Data(name) => {
            let (kind, _) = column(table, name)?;
            (kind.fits(value) && !has_nul(value)).then(|| Operand::Json(value.clone()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table() -> Table {
        serde_json::from_value(
            json!({ "columns": { "player": "string", "points": "number", "more": "object" } }),
        )
        .unwrap()
    }

    fn read(filter: &Value) -> Result<Vec<Condition>, String> {
        conditions("ctx.db.query", &table(), Some(filter)).map_err(|error| error.message)
    }

    #[test]
    fn filter_notations_are_equivalent() {
        let made = json!({ "column": "points", "operator": "gte", "value": 10 });
        let conditions = read(&json!({ "points": { "gte": 10 } })).unwrap();
        assert_eq!(conditions, read(&made).unwrap());
        assert_eq!(conditions, read(&json!([made])).unwrap());
        assert_eq!(conditions, read(&json!([{ "points": { "gte": 10 } }])).unwrap());
        assert_eq!(read(&json!({ "player": "ada" })), read(&json!({ "player": { "eq": "ada" } })));
        let object = read(&json!({ "more": { "gte": 1 } })).unwrap();
        assert_eq!(object[0].operator, Operator::Eq, "an object is compared as a whole");
    }

    #[test]
    fn filter_errors_name_the_column_and_the_allowed_values() {
        let refused = |filter: Value| read(&filter).unwrap_err();
        assert!(refused(json!({ "colour": 1 })).contains("there is no column colour"));
        assert!(refused(json!({ "points": "ten" })).contains("filter.points must be number"));
        assert!(refused(json!({ "points": { "like": 1 } })).contains("must be one of eq"));
        assert!(refused(json!({ "id": "x" })).contains("filter.id must be a UUID"));
        assert!(refused(json!({ "points": { "in": 3 } })).contains("in needs an array"));
        assert!(refused(json!({ "player": { "gt": null } })).contains("null can be compared"));
        assert!(refused(json!("x")).contains("filter must be an object"));
        assert!(refused(json!({ "player": "a\0" })).contains("filter.player must be string"));
    }
}
