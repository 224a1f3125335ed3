//! Templates in the configuration of nodes (reference/automations.md#templates): `{{path|filter}}`. No
//! template runs code. A value that is filled in is never read as a template again.

mod filters;
mod placeholder;
mod scope;
mod value;

use serde_json::Value;
use shared::placeholders::{Piece, pieces};

use placeholder::Placeholder;

pub(crate) use placeholder::parse_path;
pub(crate) use scope::of_event;
pub use scope::{ROOTS, Scope};
pub use value::{Budget, ValueTemplate, depth, size_within, text_of};

/// Maximum size of a rendered value, in bytes of JSON (reference/automations.md#templates).
pub const MAX_RENDERED: usize = 64 * 1024;
/// Maximum depth of a rendered value (reference/automations.md#templates).
pub const MAX_RENDERED_DEPTH: usize = 64;
/// Maximum number of placeholders in a text (reference/automations.md#templates).
pub const MAX_PLACEHOLDERS: usize = 50;
/// Maximum number of filters of a placeholder (reference/automations.md#templates).
pub const MAX_PLACEHOLDER_FILTERS: usize = 8;
/// Maximum number of names in a path (reference/automations.md#templates).
pub const MAX_PATH_DEPTH: usize = 16;
/// Maximum length of the format of a date, in characters (reference/automations.md#templates).
pub const MAX_DATE_FORMAT_LENGTH: usize = 64;

/// Parsed text.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Text(String),
    Placeholder(Placeholder),
}

impl Template {
    /// Parses a text.
    ///
    /// # Errors
    /// A placeholder that is malformed, nested or not closed, or too many of them.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        for piece in pieces(text, "{{", "}}") {
            parts.push(match piece {
                Piece::Text(text) if text.contains("{{") => {
                    return Err("`{{` must be closed by `}}` and cannot be nested".to_owned());
                }
                Piece::Text(text) => Part::Text(text.to_owned()),
                Piece::Placeholder { inside, .. } => Part::Placeholder(Placeholder::parse(inside)?),
            });
        }
        let placeholders = parts.iter().filter(|part| matches!(part, Part::Placeholder(_))).count();
        if placeholders > MAX_PLACEHOLDERS {
            return Err(format!("a text must have at most {MAX_PLACEHOLDERS} placeholders"));
        }
        Ok(Self { parts })
    }

    /// True without a placeholder.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(_)))
    }

    /// The placeholder, when the text is nothing else.
    fn exact(&self) -> Option<&Placeholder> {
        match self.parts.as_slice() {
            [Part::Placeholder(placeholder)] => Some(placeholder),
            _ => None,
        }
    }

    /// Fills in the placeholders.
    ///
    /// # Errors
    /// A result beyond [`MAX_RENDERED`].
    pub fn text(&self, scope: &Scope<'_>) -> Result<String, String> {
        self.text_within(scope, &mut Budget::default())
    }

    pub(crate) fn text_within(&self, scope: &Scope<'_>, budget: &mut Budget) -> Result<String, String> {
        let mut rendered = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => {
                    budget.take(text.len())?;
                    rendered.push_str(text);
                }
                Part::Placeholder(placeholder) => {
                    if let Some(value) = placeholder.value(scope)? {
                        let text = text_of(&value);
                        budget.take(text.len())?;
                        rendered.push_str(&text);
                    }
                }
            }
        }
        Ok(rendered)
    }

    /// Fills in the placeholders. A text that is one placeholder keeps the type of its value; a missing one
    /// is an empty text.
    ///
    /// # Errors
    /// A result beyond [`MAX_RENDERED`].
    pub fn value(&self, scope: &Scope<'_>) -> Result<Value, String> {
        self.value_within(scope, &mut Budget::default())
    }

    pub(crate) fn value_within(&self, scope: &Scope<'_>, budget: &mut Budget) -> Result<Value, String> {
        let Some(placeholder) = self.exact() else {
            return Ok(Value::String(self.text_within(scope, budget)?));
        };
        let Some(value) = placeholder.value(scope)? else { return Ok(Value::String(String::new())) };
        budget.take_value(&value)?;
        Ok(value.into_owned())
    }

    /// True when the value is there: the placeholder of a text that is nothing else has a value, or the
    /// filled-in text is not empty.
    ///
    /// # Errors
    /// A result beyond [`MAX_RENDERED`].
    pub fn exists(&self, scope: &Scope<'_>) -> Result<bool, String> {
        match self.exact() {
            Some(placeholder) => Ok(placeholder.value(scope)?.is_some_and(|value| !value.is_null())),
            None => Ok(!self.text(scope)?.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests;
