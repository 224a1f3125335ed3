//! Reader of payloads, with refusals that name the place.

use chrono::{DateTime, SubsecRound, Utc};
use serde_json::Value;

/// Reason why a payload cannot be read. Never holds a value of the payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

/// Object of a payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    value: &'a Value,
    place: &'static str,
}

impl<'a> Fields<'a> {
    /// Reads `value` as an object.
    ///
    /// # Errors
    /// No object at `place`.
    pub fn of(value: &'a Value, place: &'static str) -> Result<Self, Unreadable> {
        if value.is_object() {
            return Ok(Self { value, place });
        }
        Err(Unreadable(format!("{place} is not an object")))
    }

    /// Returns a nested object.
    ///
    /// # Errors
    /// No object under the name.
    pub fn object(&self, name: &'static str) -> Result<Self, Unreadable> {
        Self::of(&self.value[name], name)
    }

    /// Returns a nested object; `None` when it is absent or null.
    pub fn optional_object(&self, name: &'static str) -> Option<Self> {
        Self::of(&self.value[name], name).ok()
    }

    /// Returns a list of objects; absent counts as empty.
    pub fn objects(&self, name: &'static str) -> Vec<Self> {
        let items = self.value[name].as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(|item| Self::of(item, name).ok()).collect()
    }

    /// Returns a required text.
    ///
    /// # Errors
    /// No text under the name.
    pub fn text(&self, name: &str) -> Result<String, Unreadable> {
        self.optional_text(name).ok_or_else(|| self.lacks(name))
    }

    /// Returns a text; absent, null and empty are the same.
    pub fn optional_text(&self, name: &str) -> Option<String> {
        self.value[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Returns a required id: a text, or a number as Kick writes them.
    ///
    /// # Errors
    /// No id under the name.
    pub fn id(&self, name: &str) -> Result<String, Unreadable> {
        self.optional_id(name).ok_or_else(|| self.lacks(name))
    }

    /// Returns an id; `None` when it is absent.
    pub fn optional_id(&self, name: &str) -> Option<String> {
        self.optional_text(name).or_else(|| self.value[name].as_u64().map(|id| id.to_string()))
    }

    /// Returns a whole number; `None` when there is none.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.value[name].as_i64()
    }

    /// Returns a number that may be written as a text, as Google writes 64-bit numbers.
    pub fn long(&self, name: &str) -> Option<i64> {
        self.number(name).or_else(|| self.value[name].as_str()?.parse().ok())
    }

    /// Returns a flag; absent counts as false.
    pub fn flag(&self, name: &str) -> bool {
        self.value[name].as_bool().unwrap_or_default()
    }

    /// Returns a time in milliseconds, like all stored times.
    pub fn time(&self, name: &str) -> Option<DateTime<Utc>> {
        let time = DateTime::parse_from_rfc3339(self.value[name].as_str()?).ok()?;
        Some(time.to_utc().trunc_subsecs(3))
    }

    /// Returns a time as JSON in the published form: with milliseconds and `Z`; null when there is none.
    pub fn moment(&self, name: &str) -> Value {
        self.time(name).map_or(Value::Null, |at| Value::String(shared::clock::rfc3339(at)))
    }

    /// Returns the value unchanged.
    pub fn raw(&self, name: &str) -> &'a Value {
        &self.value[name]
    }

    /// Returns the refusal of a missing or wrong field.
    pub fn lacks(&self, name: &str) -> Unreadable {
        Unreadable(format!("{} has no {name}", self.place))
    }
}
