//! Configuration of nodes, read by node type (reference/automations.md#nodes).

mod accept;
mod arguments;
mod plan;

use serde_json::{Map, Value};

use crate::node_types::NodeType;

pub use arguments::Arguments;
pub use plan::{Plan, compile, is_handle};

/// Keys of a configuration.
pub fn object(config: &Value) -> Result<&Map<String, Value>, String> {
    config.as_object().ok_or_else(|| "config must be an object".to_owned())
}

/// Refuses keys that the type does not have, and a required key that is missing. Null counts as absent.
pub fn check_keys(node_type: &NodeType, config: &Value) -> Result<(), String> {
    let config = object(config)?;
    let is_known = |name: &String| node_type.keys.iter().any(|key| key.name == name);
    if let Some(unknown) = config.keys().find(|name| !is_known(name)) {
        let known: Vec<&str> = node_type.keys.iter().map(|key| key.name).collect();
        let known = if known.is_empty() { "no keys".to_owned() } else { known.join(", ") };
        let unknown: String = unknown.chars().take(64).collect();
        return Err(format!("config must have {known}; `{unknown}` is unknown"));
    }
    let is_missing = |name: &str| config.get(name).is_none_or(Value::is_null);
    match node_type.keys.iter().find(|key| key.is_required && is_missing(key.name)) {
        Some(key) => Err(format!("{} must be given", key.name)),
        None => Ok(()),
    }
}
