//! Operators.

use std::cmp::Ordering;

use serde_json::Value;

use crate::template::text_of;

/// Operator with a value on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
    /// A text holds the other, or a list holds the value.
    Contains,
    /// A text begins with the other.
    StartsWith,
    /// A text ends with the other.
    EndsWith,
}

const OPS: [(&str, Op); 9] = [
    ("eq", Op::Eq),
    ("ne", Op::Ne),
    ("gt", Op::Gt),
    ("gte", Op::Gte),
    ("lt", Op::Lt),
    ("lte", Op::Lte),
    ("contains", Op::Contains),
    ("starts_with", Op::StartsWith),
    ("ends_with", Op::EndsWith),
];

/// Number of a value: whole numbers exactly, because ids of platforms are longer than the digits of a float.
#[derive(Debug, Clone, Copy)]
enum Number {
    Whole(i128),
    Float(f64),
}

impl Op {
    /// Operator with the given name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        OPS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
    }

    /// Names of all operators, also those without a value on the right.
    #[must_use]
    pub fn names() -> String {
        let names: Vec<&str> = OPS.iter().map(|(name, _)| *name).chain(["matches", "exists"]).collect();
        names.join(", ")
    }

    /// Result. Two numbers are compared as numbers, also when they are texts; everything else as text. No
    /// order holds with an empty side.
    #[must_use]
    pub fn holds(self, left: &Value, right: &Value) -> bool {
        match self {
            Self::Eq => equal(left, right),
            Self::Ne => !equal(left, right),
            Self::Gt => order(left, right).is_some_and(Ordering::is_gt),
            Self::Gte => order(left, right).is_some_and(Ordering::is_ge),
            Self::Lt => order(left, right).is_some_and(Ordering::is_lt),
            Self::Lte => order(left, right).is_some_and(Ordering::is_le),
            Self::Contains => match left {
                Value::Array(list) => list.iter().any(|item| equal(item, right)),
                other => text_of(other).contains(text_of(right).as_ref()),
            },
            Self::StartsWith => text_of(left).starts_with(text_of(right).as_ref()),
            Self::EndsWith => text_of(left).ends_with(text_of(right).as_ref()),
        }
    }
}

/// Equality of two values (reference/automations.md#conditions).
#[must_use]
pub fn equal(left: &Value, right: &Value) -> bool {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left.order(right).is_some_and(Ordering::is_eq),
        _ => left == right || text_of(left) == text_of(right),
    }
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (number(left), number(right)) {
        return left.order(right);
    }
    let (left, right) = (text_of(left), text_of(right));
    (!left.is_empty() && !right.is_empty()).then(|| left.cmp(&right))
}

impl Number {
    fn order(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(left), Self::Whole(right)) => Some(left.cmp(&right)),
            (left, right) => left.float().partial_cmp(&right.float()),
        }
    }

    fn float(self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "the other side is a float already")]
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        }
    }
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => parse(&number.to_string()),
        Value::String(text) => parse(text.trim()),
        _ => None,
    }
}

fn parse(text: &str) -> Option<Number> {
    // Names that a float has too: `inf`, `nan`.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Ok(whole) = text.parse() {
        return Some(Number::Whole(whole));
    }
    text.parse().ok().filter(|float: &f64| float.is_finite()).map(Number::Float)
}
