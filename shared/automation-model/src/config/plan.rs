//! Nodes with their configuration parsed.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Arguments, check_keys, object};
use crate::{
    conditions::Condition,
    model::{MAX_HANDLE_LENGTH, Node},
    node_types::{self, Kind, NodeType},
    template::ValueTemplate,
};

/// Maximum number of branches of a `switch` or `random` (reference/automations.md#nodes).
pub const MAX_BRANCHES: usize = 20;
/// Maximum weight of a branch (reference/automations.md#nodes).
pub const MAX_WEIGHT: u64 = 1_000_000;
/// Maximum length of the name of a variable, in characters (reference/automations.md#nodes).
pub const MAX_VARIABLE_NAME_LENGTH: usize = 64;
/// Handles that no branch can have.
const RESERVED: [&str; 2] = ["default", "error"];

/// A node, ready to run.
#[derive(Debug, Clone)]
pub enum Plan {
    /// A trigger: nothing to run.
    Trigger,
    /// `condition`.
    Condition(Condition),
    /// `switch`.
    Switch {
        /// Value to compare.
        value: ValueTemplate,
        /// Handle and value of each case.
        cases: Vec<(String, ValueTemplate)>,
    },
    /// `delay`.
    Delay(Arguments),
    /// `random`: handles and weights.
    Random(Vec<(String, u32)>),
    /// `cooldown`.
    Cooldown(Arguments),
    /// `set_variable`.
    SetVariable {
        /// Name of the variable.
        name: String,
        /// Its value.
        value: ValueTemplate,
    },
    /// `loop`.
    Loop(ValueTemplate),
    /// An action.
    Action(Arguments),
    /// A node of an extension, with its configuration.
    Extension(ValueTemplate),
}

impl Plan {
    /// Handles of the branches that the configuration names.
    pub fn branches(&self) -> Vec<&str> {
        match self {
            Self::Switch { cases, .. } => cases.iter().map(|(handle, _)| handle.as_str()).collect(),
            Self::Random(branches) => branches.iter().map(|(handle, _)| handle.as_str()).collect(),
            _ => Vec::new(),
        }
    }
}

/// Parses the configuration of a node that is no trigger.
pub fn compile(node: &Node) -> Result<(&'static NodeType, Plan), String> {
    let node_type = node_types::find(&node.r#type).ok_or("type must be the name of a node type")?;
    if node_type.name == "extension" {
        object(&node.config)?;
        return Ok((node_type, Plan::Extension(ValueTemplate::parse(&node.config)?)));
    }
    if node_type.kind == Kind::Trigger {
        return Ok((node_type, Plan::Trigger));
    }
    check_keys(node_type, &node.config)?;
    let arguments = Arguments::parse(node_type, &node.config)?;
    let of = |key: &str| node.config.get(key).unwrap_or(&Value::Null);
    let plan = match node_type.name {
        "condition" => Plan::Condition(Condition::parse(&node.config)?),
        "switch" => Plan::Switch { value: ValueTemplate::parse(of("value"))?, cases: cases(of("cases"))? },
        "delay" => Plan::Delay(arguments),
        "random" => Plan::Random(branches(of("branches"))?),
        "cooldown" => Plan::Cooldown(arguments),
        "set_variable" => {
            Plan::SetVariable { name: variable(of("name"))?, value: ValueTemplate::parse(of("value"))? }
        }
        "loop" => Plan::Loop(ValueTemplate::parse(of("list"))?),
        _ => Plan::Action(arguments),
    };
    Ok((node_type, plan))
}

fn variable(name: &Value) -> Result<String, String> {
    let is_name = |name: &&str| {
        (1..=MAX_VARIABLE_NAME_LENGTH).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let name = name
        .as_str()
        .filter(is_name)
        .ok_or_else(|| format!("name must have 1 to {MAX_VARIABLE_NAME_LENGTH} letters, digits and `_`"))?;
    Ok(name.to_owned())
}

fn cases(list: &Value) -> Result<Vec<(String, ValueTemplate)>, String> {
    entries("cases", list, "equals")?
        .into_iter()
        .map(|(handle, equals)| Ok((handle, ValueTemplate::parse(equals)?)))
        .collect()
}

fn branches(list: &Value) -> Result<Vec<(String, u32)>, String> {
    let weight = |weight: &Value| weight.as_u64().filter(|weight| (1..=MAX_WEIGHT).contains(weight));
    entries("branches", list, "weight")?
        .into_iter()
        .map(|(handle, given)| {
            let weight = weight(given).and_then(|weight| u32::try_from(weight).ok());
            let weight = weight.ok_or_else(|| format!("weight must be between 1 and {MAX_WEIGHT}"))?;
            Ok((handle, weight))
        })
        .collect()
}

/// Handle and value of each entry of `{ handle, <key> }`. The handles differ.
fn entries<'a>(name: &str, list: &'a Value, key: &str) -> Result<Vec<(String, &'a Value)>, String> {
    let list = list.as_array().filter(|list| (1..=MAX_BRANCHES).contains(&list.len()));
    let list = list.ok_or_else(|| format!("{name} must be a list of 1 to {MAX_BRANCHES} entries"))?;
    let mut seen = BTreeSet::new();
    list.iter()
        .map(|entry| {
            let malformed = || format!("an entry of {name} must have handle and {key}");
            let entry = entry.as_object().filter(|entry| entry.len() == 2).ok_or_else(malformed)?;
            let handle = entry.get("handle").and_then(Value::as_str).ok_or_else(malformed)?;
            let value = entry.get(key).ok_or_else(malformed)?;
            if !is_handle(handle) || RESERVED.contains(&handle) {
                return Err(format!(
                    "handle must have 1 to {MAX_HANDLE_LENGTH} letters, digits, `_` and `-`, and not be {}",
                    RESERVED.join(" or ")
                ));
            }
            if !seen.insert(handle) {
                return Err(format!("{name} must have different handles; `{handle}` is there twice"));
            }
            Ok((handle.to_owned(), value))
        })
        .collect()
}

/// True for the name of a handle.
pub fn is_handle(name: &str) -> bool {
    (1..=MAX_HANDLE_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
