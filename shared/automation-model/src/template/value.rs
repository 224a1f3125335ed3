//! JSON values whose texts hold templates.

use std::{borrow::Cow, io};

use serde_json::Value;

use super::{MAX_RENDERED, MAX_RENDERED_DEPTH, Scope, Template};

/// JSON value whose texts are templates.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueTemplate {
    /// Value without texts.
    Constant(Value),
    /// A text.
    Text(Template),
    /// A list.
    List(Vec<Self>),
    /// An object. Its keys are no templates.
    Object(Vec<(String, Self)>),
}

/// Size that a rendered value may still take.
#[derive(Debug)]
pub struct Budget {
    left: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: MAX_RENDERED }
    }
}

impl Budget {
    /// Takes a number of bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), String> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(format!("the rendered value is larger than {MAX_RENDERED} bytes")),
        }
    }

    /// Takes the size of a value, and checks its depth.
    pub(crate) fn take_value(&mut self, value: &Value) -> Result<(), String> {
        if depth(value) > MAX_RENDERED_DEPTH {
            return Err(format!("the rendered value is nested deeper than {MAX_RENDERED_DEPTH}"));
        }
        self.take(size_within(value, MAX_RENDERED).unwrap_or(usize::MAX))
    }
}

impl ValueTemplate {
    /// Parses the texts of a value.
    ///
    /// # Errors
    /// A malformed template.
    pub fn parse(value: &Value) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(Template::parse(text)?),
            Value::Array(list) => Self::List(list.iter().map(Self::parse).collect::<Result<_, _>>()?),
            Value::Object(object) => {
                let parsed = object.iter().map(|(key, value)| Ok((key.clone(), Self::parse(value)?)));
                Self::Object(parsed.collect::<Result<_, String>>()?)
            }
            other => Self::Constant(other.clone()),
        })
    }

    /// True without a placeholder.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Text(template) => template.is_constant(),
            Self::List(list) => list.iter().all(Self::is_constant),
            Self::Object(object) => object.iter().all(|(_, value)| value.is_constant()),
        }
    }

    /// Fills in the placeholders. A text that is one placeholder keeps the type of its value.
    ///
    /// # Errors
    /// A result beyond [`MAX_RENDERED`], or nested deeper than [`MAX_RENDERED_DEPTH`].
    pub fn value(&self, scope: &Scope<'_>) -> Result<Value, String> {
        let value = self.within(scope, &mut Budget::default())?;
        if depth(&value) > MAX_RENDERED_DEPTH {
            return Err(format!("the rendered value is nested deeper than {MAX_RENDERED_DEPTH}"));
        }
        Ok(value)
    }

    fn within(&self, scope: &Scope<'_>, budget: &mut Budget) -> Result<Value, String> {
        Ok(match self {
            Self::Constant(value) => {
                budget.take_value(value)?;
                value.clone()
            }
            Self::Text(template) => template.value_within(scope, budget)?,
            Self::List(list) => {
                Value::Array(list.iter().map(|item| item.within(scope, budget)).collect::<Result<_, _>>()?)
            }
            Self::Object(object) => {
                let mut rendered = serde_json::Map::new();
                for (key, value) in object {
                    budget.take(key.len())?;
                    rendered.insert(key.clone(), value.within(scope, budget)?);
                }
                Value::Object(rendered)
            }
        })
    }

    /// Fills in the placeholders of a text; another value gets its text form.
    ///
    /// # Errors
    /// A result beyond [`MAX_RENDERED`].
    pub fn text(&self, scope: &Scope<'_>) -> Result<String, String> {
        match self {
            Self::Text(template) => template.text(scope),
            other => Ok(text_of(&other.value(scope)?).into_owned()),
        }
    }

    /// True when the value is there and not null.
    ///
    /// # Errors
    /// A result beyond [`MAX_RENDERED`].
    pub fn exists(&self, scope: &Scope<'_>) -> Result<bool, String> {
        match self {
            Self::Text(template) => template.exists(scope),
            Self::Constant(value) => Ok(!value.is_null()),
            Self::List(_) | Self::Object(_) => Ok(true),
        }
    }
}

/// Text form of a value: texts as they are, null as an empty text, everything else as compact JSON.
#[must_use]
pub fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Number of nested lists and objects of a value; 0 for a scalar.
#[must_use]
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or_default(),
        Value::Object(object) => 1 + object.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Size of a value in bytes of JSON, of a text without quotes and escapes; `None` beyond `max`.
#[must_use]
pub fn size_within(value: &Value, max: usize) -> Option<usize> {
    if let Value::String(text) = value {
        return (text.len() <= max).then_some(text.len());
    }
    let mut counter = Counter { bytes: 0, max };
    serde_json::to_writer(&mut counter, value).ok()?;
    Some(counter.bytes)
}

/// Counts what is written, and fails beyond a number.
struct Counter {
    bytes: usize,
    max: usize,
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len();
        if self.bytes > self.max {
            return Err(io::Error::other("too large"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
