//! Arguments of a step: the keys of a configuration, whose templates are filled in for each step.

use serde_json::{Map, Value};

use super::{accept::accept, object};
use crate::{
    node_types::{Key, MAX_TEMPLATE_LENGTH, NodeType, Shape},
    template::{MAX_RENDERED, Scope, ValueTemplate, size_within},
};

/// Parsed keys of a configuration.
#[derive(Debug, Clone)]
pub struct Arguments {
    values: Vec<(&'static Key, ValueTemplate)>,
}

impl Arguments {
    /// Parses the keys that are filled in for each step. What holds no placeholder is checked already.
    pub fn parse(node_type: &'static NodeType, config: &Value) -> Result<Self, String> {
        let config = object(config)?;
        let mut values = Vec::new();
        for key in node_type.keys.iter().filter(|key| key.shape.is_argument()) {
            let Some(value) = config.get(key.name).filter(|value| !value.is_null()) else { continue };
            check_source(key, value)?;
            let parsed = ValueTemplate::parse(value).map_err(|error| format!("{}: {error}", key.name))?;
            if parsed.is_constant() {
                accept(key, value.clone())?;
            }
            values.push((key, parsed));
        }
        Ok(Self { values })
    }

    /// Fills in the templates and checks the values.
    pub fn render(&self, scope: &Scope<'_>) -> Result<Value, String> {
        let mut rendered = Map::new();
        for (key, template) in &self.values {
            let value = match key.shape {
                Shape::Text(_) | Shape::Url => Value::String(template.text(scope)?),
                _ => template.value(scope)?,
            };
            if let Some(value) = accept(key, value)? {
                rendered.insert(key.name.to_owned(), value);
            }
        }
        let rendered = Value::Object(rendered);
        match size_within(&rendered, MAX_RENDERED) {
            Some(_) => Ok(rendered),
            None => Err(format!("the arguments are larger than {MAX_RENDERED} bytes")),
        }
    }
}

/// Checks the JSON type of what the configuration holds. Only a text can hold a template, so that a text
/// stands for a value of any type.
fn check_source(key: &Key, value: &Value) -> Result<(), String> {
    let name = key.name;
    let max = if let Shape::Text(max) = key.shape { max } else { MAX_TEMPLATE_LENGTH };
    match value {
        Value::String(text) if !matches!(key.shape, Shape::Any) && text.chars().count() > max => {
            Err(format!("{name} must have at most {max} characters"))
        }
        Value::String(_) => Ok(()),
        _ if matches!(
            key.shape,
            Shape::Text(_) | Shape::Id | Shape::Choice(_) | Shape::Url | Shape::Platform
        ) =>
        {
            Err(format!("{name} must be a text"))
        }
        _ if matches!(key.shape, Shape::Platforms) && !value.is_array() => {
            Err(format!("{name} must be a list of platforms"))
        }
        _ => Ok(()),
    }
}
