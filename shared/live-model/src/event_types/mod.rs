//! Types of events and the keys of their payloads (reference/events.md#catalogue). Emitting, the simulator
//! and the published documents all read them from here.
//!
//! No platform delivers [`WITHOUT_SOURCE`]: these types are only emitted and simulated.

mod table;

use chrono::DateTime;
use serde_json::{Map, Value};

pub use table::EVENT_TYPES;

use crate::money::minor_units_of_micros;

/// Kind of the value of a payload key. Any key may be null, because platforms do not always report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// Id of a person on a platform.
    UserId,
    /// Displayed name of a person.
    UserName,
    /// Another id of a platform.
    Id,
    /// Any text.
    Text,
    /// Text that a person sent with it.
    Message,
    /// Level of a subscription, in the words of the platform.
    Tier,
    /// State of a poll, a prediction or a redemption, in the words of the platform.
    Status,
    /// RFC 3339.
    Time,
    /// 0 or more.
    Count,
    /// Minor units of a currency.
    Money,
    /// Three capital letters.
    Currency,
    /// A boolean.
    Flag,
    /// A list of objects in the platform's own form.
    List,
}

/// Key of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Name of the key.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: KeyKind,
}

/// Source of the currency of an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurrencyOf {
    /// The amount has no currency.
    None,
    /// Always this one.
    Fixed(&'static str),
    /// The value of this key.
    Key(&'static str),
}

/// Source of the amount of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmountOf {
    /// The value of this key.
    Key(&'static str),
    /// The value of this key, in millionths of a currency's main unit.
    Micros(&'static str),
}

/// Type of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventType {
    /// Name as `{platform}:{name}`.
    pub name: &'static str,
    /// Keys of the payload.
    pub keys: &'static [Key],
    /// Keys of the id and the name of the person who caused it.
    pub person: Option<(&'static str, &'static str)>,
    /// Source of the amount; `None` for types without one.
    pub amount: Option<AmountOf>,
    /// Source of the currency.
    pub currency: CurrencyOf,
    /// Key of the event's message.
    pub message: Option<&'static str>,
}

/// Error for a value that its key does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("data.{key} must be {expected} or null")]
pub struct WrongValue {
    /// Name of the key.
    pub key: &'static str,
    /// Form of the value, in words.
    pub expected: &'static str,
}

/// Types that no platform delivers: YouTube has neither a delivery nor a chat message for a new subscriber,
/// and Kick has no event for a raid (reference/events.md#catalogue).
pub const WITHOUT_SOURCE: [&str; 2] = ["youtube:subscriber", "kick:raid"];

/// Prefix of the custom types of accounts.
pub const CUSTOM: &str = "custom:";
const MAX_CUSTOM_NAME_LENGTH: usize = 64;
/// Length of the longest type. No type of the catalogue is longer than a custom one.
pub const MAX_EVENT_TYPE_LENGTH: usize = CUSTOM.len() + MAX_CUSTOM_NAME_LENGTH;

/// True for a name that may follow `custom:`: 1 to 64 characters out of `a-z`, `0-9` and `_`.
#[must_use]
pub fn is_custom_name(name: &str) -> bool {
    (1..=MAX_CUSTOM_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// True for a custom type, `custom:{name}`.
#[must_use]
pub fn is_custom(event_type: &str) -> bool {
    event_type.strip_prefix(CUSTOM).is_some_and(is_custom_name)
}

impl EventType {
    /// Type with the given name; `None` also for `custom:` types, whose payloads are free.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        EVENT_TYPES.iter().find(|known| known.name == name)
    }

    /// Part of the name before the colon.
    #[must_use]
    pub fn platform(&self) -> &'static str {
        self.name.split(':').next().unwrap_or(self.name)
    }

    /// Reads a payload: exactly the keys of the type, null for those without a value. Other keys are left
    /// out.
    ///
    /// # Errors
    /// The first key whose value is not of its kind.
    pub fn read(&self, given: &Map<String, Value>) -> Result<Value, WrongValue> {
        let mut payload = Map::new();
        for key in self.keys {
            let value = given.get(key.name).cloned().unwrap_or(Value::Null);
            if !value.is_null() && !key.kind.takes(&value) {
                return Err(WrongValue { key: key.name, expected: key.kind.expected() });
            }
            payload.insert(key.name.to_owned(), value);
        }
        Ok(Value::Object(payload))
    }

    /// Sets each value of a payload that is not of its key's kind to null.
    pub fn fit(&self, payload: &mut Value) {
        for key in self.keys {
            if let Some(value) = payload.get_mut(key.name)
                && !key.kind.takes(value)
            {
                *value = Value::Null;
            }
        }
    }

    /// Amount of a payload: a count, or minor units of its currency.
    #[must_use]
    pub fn amount_in(&self, payload: &Value) -> Option<i64> {
        match self.amount? {
            AmountOf::Key(key) => payload[key].as_i64(),
            AmountOf::Micros(key) => {
                let currency = self.currency_in(payload).unwrap_or_default();
                payload[key].as_i64().map(|micros| minor_units_of_micros(micros, &currency))
            }
        }
    }

    /// Currency of a payload's amount.
    #[must_use]
    pub fn currency_in(&self, payload: &Value) -> Option<String> {
        match self.currency {
            CurrencyOf::None => None,
            CurrencyOf::Fixed(name) => Some(name.to_owned()),
            CurrencyOf::Key(key) => payload[key].as_str().map(str::to_owned),
        }
    }
}

impl KeyKind {
    /// True for a value of the kind. The value is not null.
    #[must_use]
    pub fn takes(self, value: &Value) -> bool {
        match self {
            Self::UserId
            | Self::UserName
            | Self::Id
            | Self::Text
            | Self::Message
            | Self::Tier
            | Self::Status => value.is_string(),
            Self::Time => value.as_str().is_some_and(|text| DateTime::parse_from_rfc3339(text).is_ok()),
            Self::Count | Self::Money => value.as_i64().is_some_and(|number| number >= 0),
            Self::Currency => value
                .as_str()
                .is_some_and(|text| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())),
            Self::Flag => value.is_boolean(),
            Self::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_object)),
        }
    }

    /// Form of the value, in words.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::UserId
            | Self::UserName
            | Self::Id
            | Self::Text
            | Self::Message
            | Self::Tier
            | Self::Status => "a string",
            Self::Time => "a time in RFC 3339",
            Self::Count | Self::Money => "a whole number of 0 or more",
            Self::Currency => "three capital letters",
            Self::Flag => "true or false",
            Self::List => "a list of objects",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_named_once_and_refer_to_keys_of_their_own() {
        let mut seen = HashSet::new();
        for known in EVENT_TYPES {
            assert!(seen.insert(known.name), "{} stands twice", known.name);
            let keys: Vec<&str> = known.keys.iter().map(|key| key.name).collect();
            let person = known.person.into_iter().flat_map(|(id, name)| [id, name]);
            let currency = match known.currency {
                CurrencyOf::Key(key) => Some(key),
                CurrencyOf::None | CurrencyOf::Fixed(_) => None,
            };
            let amount = known.amount.map(|(AmountOf::Key(key) | AmountOf::Micros(key))| key);
            for referred in person.chain(amount).chain(known.message).chain(currency) {
                assert!(keys.contains(&referred), "{}: {referred}", known.name);
            }
        }
    }

    #[test]
    fn event_type_reads_exactly_its_own_keys() {
        let cheer = EventType::find("twitch:cheer").unwrap();
        let given = json!({ "bits": 5, "user_name": "Ada", "more": 1 });
        assert_eq!(
            cheer.read(given.as_object().unwrap()).unwrap(),
            json!({ "user_name": "Ada", "user_id": null, "bits": 5, "message": null })
        );
        for (wrong, message) in [
            (json!({ "bits": -1 }), "data.bits must be a whole number of 0 or more or null"),
            (json!({ "bits": "5" }), "data.bits must be a whole number of 0 or more or null"),
            (json!({ "user_name": 5 }), "data.user_name must be a string or null"),
        ] {
            assert_eq!(cheer.read(wrong.as_object().unwrap()).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn is_custom_accepts_short_plain_names() {
        for name in ["custom:a", "custom:level_up2"] {
            assert!(is_custom(name), "{name}");
        }
        let long = format!("custom:{}", "a".repeat(65));
        for name in ["custom:", "custom:A", "custom:a-b", "level_up", "twitch:raid", &long] {
            assert!(!is_custom(name), "{name}");
        }
        assert!(EventType::find("custom:a").is_none());
    }
}
