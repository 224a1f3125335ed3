//! Comparisons of rows, as PostgreSQL compares columns and values of JSON. Texts are compared by their code points;
//! a deployment compares them by the collation of its database.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::row::StoredRow;
use crate::storage::filter::{Column, Condition, Operand, Operator};

/// Value of a column.
enum Cell<'a> {
    Id(Uuid),
    Time(DateTime<Utc>),
    Json(&'a Value),
    Null,
}

/// True when a row satisfies a condition.
pub(super) fn holds(row: &StoredRow, condition: &Condition) -> bool {
    let cell = cell(row, &condition.column);
    if condition.operator == Operator::In {
        return condition.operands.iter().any(|operand| compared(&cell, operand) == Some(Ordering::Equal));
    }
    let Some(operand) = condition.operands.first() else { return true };
    let is_null = matches!(cell, Cell::Null);
    if *operand == Operand::Null {
        return is_null != (condition.operator == Operator::Ne);
    }
    let found = compared(&cell, operand);
    match condition.operator {
        Operator::Eq | Operator::In => found == Some(Ordering::Equal),
        Operator::Ne => found != Some(Ordering::Equal),
        Operator::Gt => found == Some(Ordering::Greater),
        Operator::Gte => found.is_some_and(Ordering::is_ge),
        Operator::Lt => found == Some(Ordering::Less),
        Operator::Lte => found.is_some_and(Ordering::is_le),
    }
}

/// Order of two rows by a column, then by their ids. Rows without a value come last.
pub(super) fn in_order(one: &StoredRow, other: &StoredRow, column: &Column, is_descending: bool) -> Ordering {
    let directed = |order: Ordering| if is_descending { order.reverse() } else { order };
    let by_column = match (cell(one, column), cell(other, column)) {
        (Cell::Null, Cell::Null) => Ordering::Equal,
        (Cell::Null, _) => Ordering::Greater,
        (_, Cell::Null) => Ordering::Less,
        (Cell::Id(one), Cell::Id(other)) => directed(one.cmp(&other)),
        (Cell::Time(one), Cell::Time(other)) => directed(one.cmp(&other)),
        (Cell::Json(one), Cell::Json(other)) => directed(json(one, other)),
        _ => Ordering::Equal,
    };
    by_column.then_with(|| directed(one.id.cmp(&other.id)))
}

fn cell<'a>(row: &'a StoredRow, column: &Column) -> Cell<'a> {
    match column {
        Column::Id => Cell::Id(row.id),
        Column::CreatedAt => Cell::Time(row.created_at),
        Column::UpdatedAt => Cell::Time(row.updated_at),
        Column::Data(name) => row.data.get(name).map_or(Cell::Null, Cell::Json),
    }
}

fn compared(cell: &Cell<'_>, operand: &Operand) -> Option<Ordering> {
    match (cell, operand) {
        (Cell::Id(one), Operand::Id(other)) => Some(one.cmp(other)),
        (Cell::Time(one), Operand::Time(other)) => Some(one.cmp(other)),
        (Cell::Json(one), Operand::Json(other)) => Some(json(one, other)),
        _ => None,
    }
}

fn json(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
        },
        (Value::Array(one), Value::Array(other)) => one.len().cmp(&other.len()).then_with(|| {
            let pairs = one.iter().zip(other);
            pairs.map(|(one, other)| json(one, other)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }),
        (Value::Object(one), Value::Object(other)) => one.len().cmp(&other.len()).then_with(|| {
            let pairs = one.iter().zip(other);
            let orders = pairs.map(|((one_name, one), (other_name, other))| {
                one_name.cmp(other_name).then_with(|| json(one, other))
            });
            orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }),
        _ => rank(one).cmp(&rank(other)),
    }
}

const fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::String(_) => 1,
        Value::Number(_) => 2,
        Value::Bool(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}
