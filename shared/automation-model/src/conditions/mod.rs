//! Conditions of nodes and filters of events (reference/automations.md#conditions).

mod compare;
mod filter;
pub(crate) mod patterns;

use serde_json::{Map, Value};

use crate::template::{Scope, ValueTemplate, text_of};

pub use compare::{Op, equal};
pub use filter::{Filter, Filters, MAX_FILTERS};
pub use patterns::{Effort, MAX_PATTERN_BYTES, MAX_PATTERN_LENGTH, MAX_PATTERNS, Pattern};

/// Maximum depth of groups of conditions (reference/automations.md#conditions).
pub const MAX_GROUP_DEPTH: usize = 5;
/// Maximum number of comparisons of a condition (reference/automations.md#conditions).
pub const MAX_COMPARISONS: usize = 50;

/// A condition.
#[derive(Debug, Clone)]
pub enum Condition {
    /// Comparison of two values.
    Compare {
        /// Left side.
        left: ValueTemplate,
        /// Right side.
        right: Operand,
    },
    /// True when all are true.
    All(Vec<Self>),
    /// True when one is true.
    Any(Vec<Self>),
}

/// Operator and right side of a comparison.
#[derive(Debug, Clone)]
pub enum Operand {
    /// True when the left side is there.
    Exists,
    /// True when the regular expression matches.
    Matches(Pattern),
    /// True when the operator holds.
    Value(Op, ValueTemplate),
}

impl Condition {
    /// Parses `{ left, op, right }`, `{ all: [...] }` or `{ any: [...] }`.
    ///
    /// # Errors
    /// A malformed condition.
    pub fn parse(config: &Value) -> Result<Self, String> {
        let mut comparisons = 0;
        let parsed = parse_at(config, 0, &mut comparisons)?;
        if comparisons > MAX_COMPARISONS {
            return Err(format!("a condition must have at most {MAX_COMPARISONS} comparisons"));
        }
        Ok(parsed)
    }

    /// Result of the condition.
    ///
    /// # Errors
    /// A side that is too large, or regular expressions that cannot be used or take too long.
    pub fn holds(&self, scope: &Scope<'_>) -> Result<bool, String> {
        self.holds_within(scope, &Effort::of_step())
    }

    fn holds_within(&self, scope: &Scope<'_>, effort: &Effort) -> Result<bool, String> {
        match self {
            Self::Compare { left, right } => right.holds(left, scope, effort),
            Self::All(conditions) => {
                for condition in conditions {
                    if !condition.holds_within(scope, effort)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Any(conditions) => {
                for condition in conditions {
                    if condition.holds_within(scope, effort)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

impl Operand {
    /// Parses operator and right side.
    pub(crate) fn parse(op: &Value, right: Option<&Value>) -> Result<Self, String> {
        let name = op.as_str().unwrap_or_default();
        match name {
            "exists" => return Ok(Self::Exists),
            "matches" => {
                let pattern =
                    right.and_then(Value::as_str).ok_or("the right side of matches must be a text")?;
                return Ok(Self::Matches(Pattern::parse(pattern)?));
            }
            _ => {}
        }
        let op = Op::parse(name).ok_or_else(|| format!("op must be one of {}", Op::names()))?;
        let right = right.ok_or_else(|| format!("{name} needs a right side"))?;
        Ok(Self::Value(op, ValueTemplate::parse(right)?))
    }

    fn holds(&self, left: &ValueTemplate, scope: &Scope<'_>, effort: &Effort) -> Result<bool, String> {
        match self {
            Self::Exists => left.exists(scope),
            Self::Matches(pattern) => pattern.is_in(&left.text(scope)?, effort),
            Self::Value(op, right) => Ok(op.holds(&left.value(scope)?, &right.value(scope)?)),
        }
    }

    /// Result for a value that may be missing.
    pub(crate) fn holds_for(
        &self,
        left: Option<&Value>,
        scope: &Scope<'_>,
        effort: &Effort,
    ) -> Result<bool, String> {
        let value = left.unwrap_or(&Value::Null);
        match self {
            Self::Exists => Ok(!value.is_null()),
            Self::Matches(pattern) => pattern.is_in(&text_of(value), effort),
            Self::Value(op, right) => Ok(op.holds(value, &right.value(scope)?)),
        }
    }
}

fn parse_at(config: &Value, groups: usize, comparisons: &mut usize) -> Result<Condition, String> {
    let object = config.as_object().ok_or("a condition must be an object")?;
    // Null counts as absent.
    let given: Vec<&str> =
        object.iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| key.as_str()).collect();
    match given.as_slice() {
        ["all"] => Ok(Condition::All(parse_group(object, "all", groups, comparisons)?)),
        ["any"] => Ok(Condition::Any(parse_group(object, "any", groups, comparisons)?)),
        keys if keys.iter().all(|key| ["left", "op", "right"].contains(key)) => {
            *comparisons += 1;
            let left = object.get("left").filter(|left| !left.is_null()).ok_or("left must be given")?;
            let right = Operand::parse(object.get("op").unwrap_or(&Value::Null), object.get("right"))?;
            Ok(Condition::Compare { left: ValueTemplate::parse(left)?, right })
        }
        _ => Err("a condition must have left, op and right, or all, or any".to_owned()),
    }
}

fn parse_group(
    object: &Map<String, Value>,
    key: &str,
    groups: usize,
    comparisons: &mut usize,
) -> Result<Vec<Condition>, String> {
    if groups == MAX_GROUP_DEPTH {
        return Err(format!("groups of conditions must be nested at most {MAX_GROUP_DEPTH} deep"));
    }
    let list = object.get(key).and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| format!("{key} must be a list of at least one condition"))?;
    list.iter().map(|condition| parse_at(condition, groups + 1, comparisons)).collect()
}

#[cfg(test)]
mod tests;
