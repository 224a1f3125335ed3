//! Reading a payload, with refusals that name the place.

use chrono::{DateTime, SubsecRound, Utc};
use serde_json::Value;

/// Why a payload cannot be read. Never holds a value of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

/// An object of a payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    value: &'a Value,
    place: &'static str,
}

impl<'a> Fields<'a> {
    pub fn of(value: &'a Value, place: &'static str) -> Result<Self, Unreadable> {
        if value.is_object() {
            return Ok(Self { value, place });
        }
        Err(Unreadable(format!("{place} is not an object")))
    }

    /// An object inside.
    pub fn object(&self, name: &'static str) -> Result<Self, Unreadable> {
        Self::of(&self.value[name], name)
    }

    /// An object inside that may be absent or null.
    pub fn optional_object(&self, name: &'static str) -> Option<Self> {
        Self::of(&self.value[name], name).ok()
    }

    /// A list of objects; absent counts as empty.
    pub fn objects(&self, name: &'static str) -> Vec<Self> {
        let items = self.value[name].as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(|item| Self::of(item, name).ok()).collect()
    }

    /// A text that must be there.
    pub fn text(&self, name: &str) -> Result<String, Unreadable> {
        self.optional_text(name).ok_or_else(|| self.lacks(name))
    }

    /// A text; absent, null and empty are the same.
    pub fn optional_text(&self, name: &str) -> Option<String> {
        self.value[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// An id that must be there: a text, or a number as Kick writes them.
    pub fn id(&self, name: &str) -> Result<String, Unreadable> {
        self.optional_id(name).ok_or_else(|| self.lacks(name))
    }

    pub fn optional_id(&self, name: &str) -> Option<String> {
        self.optional_text(name).or_else(|| self.value[name].as_u64().map(|id| id.to_string()))
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        self.value[name].as_i64()
    }

    /// A number that may be written as a text, as Google writes those of 64 bits.
    pub fn long(&self, name: &str) -> Option<i64> {
        self.number(name).or_else(|| self.value[name].as_str()?.parse().ok())
    }

    pub fn flag(&self, name: &str) -> bool {
        self.value[name].as_bool().unwrap_or_default()
    }

    /// A time in milliseconds, as everything we keep.
    pub fn time(&self, name: &str) -> Option<DateTime<Utc>> {
        let time = DateTime::parse_from_rfc3339(self.value[name].as_str()?).ok()?;
        Some(time.to_utc().trunc_subsecs(3))
    }

    /// A time as everything we tell has it: with milliseconds and `Z`; null when there is none.
    pub fn moment(&self, name: &str) -> Value {
        self.time(name).map_or(Value::Null, |at| Value::String(shared::clock::rfc3339(at)))
    }

    /// The value as it is.
    pub fn raw(&self, name: &str) -> &'a Value {
        &self.value[name]
    }

    pub fn lacks(&self, name: &str) -> Unreadable {
        Unreadable(format!("{} has no {name}", self.place))
    }
}
