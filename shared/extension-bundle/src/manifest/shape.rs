//! Shape of `lumio.config.json`: its keys, the required ones, and the type of each.
//!
//! One pass finds all errors of the shape. An invalid value is replaced by a valid one, so that the rules
//! beyond the shape can be checked in the same upload.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Errors, MANIFEST, nearest::suggestion, shortened};

/// Type of a value.
#[derive(Debug)]
pub(super) enum Shape {
    /// Any value; other rules check it.
    Any,
    Text,
    Id,
    Flag,
    /// A whole number from 0.
    Whole {
        max: u64,
    },
    Number,
    OneOf(&'static [&'static str]),
    List(&'static Self),
    /// Entries with names of the developer's choice.
    Map(&'static Self),
    Object(&'static [Key]),
    TextOr(&'static [Key]),
    /// A shape with a constraint that the rules check. The published schema has it too.
    Refined(&'static Self, Constraint),
}

/// Constraint of a shape, for the published schema.
#[derive(Debug)]
pub(super) enum Constraint {
    /// Characters of a text.
    Length(usize, usize),
    /// Bounds of a number.
    Range(u64, u64),
    /// Regular expression of a text.
    Pattern(&'static str),
    /// Values of a text.
    Values(&'static [&'static str]),
    /// Maximum number of entries of a list.
    Entries(usize),
    /// Maximum number of entries of a list, which differ from each other.
    Distinct(usize),
    /// Maximum number of entries of a map, and regular expression of their names.
    Names(usize, &'static str),
    /// A type of the event catalogue, or a custom one.
    EventType,
}

/// A key of an object.
#[derive(Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub presence: Presence,
    pub shape: Shape,
    /// Text of the published schema.
    pub description: &'static str,
}

/// Presence of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
    /// Optional; null is allowed too.
    Nullable,
}

/// Fields that were invalid and hold a replacement.
#[derive(Debug, Default)]
pub(super) struct Replaced(Vec<String>);

impl Replaced {
    /// True when an error of a field may be caused by a replacement: the field is one, or is beside or below
    /// one.
    pub(super) fn concerns(&self, field: &str) -> bool {
        let below = |parent: &str| {
            field.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        self.0.iter().any(|replaced| {
            below(replaced) || replaced.rsplit_once('.').is_some_and(|(parent, _)| below(parent))
        })
    }
}

/// Compares a value with a shape and replaces its invalid parts.
pub(super) fn conform(value: &mut Value, shape: &Shape, errors: &mut Errors) -> Replaced {
    let mut walk = Walk { errors, replaced: Replaced::default() };
    walk.value("", value, shape);
    walk.replaced
}

struct Walk<'a> {
    errors: &'a mut Errors,
    replaced: Replaced,
}

impl Walk<'_> {
    fn value(&mut self, at: &str, value: &mut Value, shape: &Shape) {
        if self.errors.is_full() {
            return;
        }
        match (shape, &mut *value) {
            (Shape::Any, _) => {}
            (Shape::Refined(inner, _), value) => self.value(at, value, inner),
            (Shape::Text | Shape::TextOr(_), Value::String(_))
            | (Shape::Flag, Value::Bool(_))
            | (Shape::Number, Value::Number(_)) => {}
            (Shape::Id, Value::String(text)) if Uuid::parse_str(text).is_ok() => {}
            (Shape::Whole { max }, Value::Number(number)) if number.as_u64().is_some_and(|n| n <= *max) => {}
            (Shape::OneOf(allowed), Value::String(text)) if allowed.contains(&text.as_str()) => {}
            (Shape::OneOf(allowed), Value::String(text)) => {
                let near = suggestion(text, allowed.iter().copied());
                self.replace(at, value, shape, &format!("{}{near}", rule(shape)));
            }
            (Shape::List(entry), Value::Array(entries)) => {
                for (index, value) in entries.iter_mut().enumerate() {
                    self.value(&format!("{at}[{index}]"), value, entry);
                }
            }
            (Shape::Map(entry), Value::Object(fields)) => {
                for (name, value) in fields.iter_mut() {
                    self.value(&below(at, name), value, entry);
                }
            }
            (Shape::Object(keys) | Shape::TextOr(keys), Value::Object(fields)) => {
                self.object(at, fields, keys);
            }
            _ => self.replace(at, value, shape, &rule(shape)),
        }
    }

    fn object(&mut self, at: &str, fields: &mut Map<String, Value>, keys: &[Key]) {
        for unknown in fields.keys().filter(|name| !keys.iter().any(|key| key.name == **name)) {
            self.unknown(at, unknown, keys);
        }
        for key in keys {
            let at = below(at, key.name);
            match (fields.get_mut(key.name), key.presence) {
                (Some(Value::Null), Presence::Nullable) | (None, Presence::Optional | Presence::Nullable) => {
                }
                (Some(value), _) => self.value(&at, value, &key.shape),
                (None, Presence::Required) => {
                    let mut value = Value::Null;
                    self.replace(
                        &at,
                        &mut value,
                        &key.shape,
                        &format!("is required and {}", rule(&key.shape)),
                    );
                    fields.insert(key.name.to_owned(), value);
                }
            }
        }
    }

    /// Adds an error with the nearest known key, or with all of them.
    fn unknown(&mut self, at: &str, unknown: &str, keys: &[Key]) {
        let names = || keys.iter().map(|key| key.name);
        let near = suggestion(unknown, names());
        let allowed = if near.is_empty() {
            format!("; the keys are {}", names().collect::<Vec<_>>().join(", "))
        } else {
            near
        };
        let place = if at.is_empty() { MANIFEST } else { at };
        let message = format!("{} is not a key of {}{allowed}", shortened(unknown), shortened(place));
        self.errors.add(&below(at, unknown), message);
    }

    fn replace(&mut self, at: &str, value: &mut Value, shape: &Shape, rule: &str) {
        let at = if at.is_empty() { MANIFEST } else { at };
        self.errors.require(false, at, rule);
        *value = placeholder(shape);
        self.replaced.0.push(at.to_owned());
    }
}

fn below(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn rule(shape: &Shape) -> String {
    match shape {
        Shape::Any => "may hold anything".to_owned(),
        Shape::Text => "must be a text".to_owned(),
        Shape::Id => "must be a UUID".to_owned(),
        Shape::Flag => "must be true or false".to_owned(),
        Shape::Whole { max } => format!("must be a whole number between 0 and {max}"),
        Shape::Number => "must be a number".to_owned(),
        Shape::OneOf(allowed) => format!("must be one of {}", allowed.join(", ")),
        Shape::List(_) => "must be a list".to_owned(),
        Shape::Map(_) | Shape::Object(_) => "must be an object".to_owned(),
        Shape::TextOr(_) => "must be a text or an object".to_owned(),
        Shape::Refined(inner, _) => rule(inner),
    }
}

fn placeholder(shape: &Shape) -> Value {
    match shape {
        Shape::Any => Value::Null,
        Shape::Text | Shape::TextOr(_) => "x".into(),
        Shape::Id => Uuid::nil().to_string().into(),
        Shape::Flag => false.into(),
        Shape::Whole { .. } | Shape::Number => 0.into(),
        // The last one requires no further key.
        Shape::OneOf(allowed) => allowed.last().copied().into(),
        Shape::List(_) => Value::Array(Vec::new()),
        Shape::Map(_) => Value::Object(Map::new()),
        Shape::Object(keys) => {
            let required = keys.iter().filter(|key| key.presence == Presence::Required);
            Value::Object(required.map(|key| (key.name.to_owned(), placeholder(&key.shape))).collect())
        }
        Shape::Refined(inner, _) => placeholder(inner),
    }
}
