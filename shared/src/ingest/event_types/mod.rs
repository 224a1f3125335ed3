//! The types of events and the keys of their payloads (specification C B12.2): the one place that emitting,
//! simulating and the published documents read them from.
//!
//! No platform tells of [`WITHOUT_SOURCE`]: these types are only emitted and simulated.

mod table;

use chrono::DateTime;
use serde_json::{Map, Value};

pub use table::EVENT_TYPES;

/// What a payload key holds. Any key may be null: platforms do not always say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// A platform's id of a person.
    UserId,
    /// The name of a person as it is shown.
    UserName,
    /// Another id of a platform.
    Id,
    Text,
    /// What somebody wrote along with it.
    Message,
    /// The level of a subscription, as the platform calls it.
    Tier,
    /// The state of a poll, a prediction or a redemption, as the platform calls it.
    Status,
    /// RFC 3339.
    Time,
    /// 0 or more.
    Count,
    /// Minor units of a currency.
    Money,
    /// Three capital letters.
    Currency,
    Flag,
    /// A list of objects in the platform's own form.
    List,
}

/// A key of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub name: &'static str,
    pub kind: KeyKind,
}

/// Where the currency of an amount stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurrencyOf {
    None,
    /// Always this one.
    Fixed(&'static str),
    /// In this key.
    Key(&'static str),
}

/// Where the amount of an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmountOf {
    Key(&'static str),
    /// In millionths of a currency's main unit.
    Micros(&'static str),
}

/// A type of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventType {
    /// `{platform}:{name}`
    pub name: &'static str,
    pub keys: &'static [Key],
    /// The keys of the id and the name of whoever did it.
    pub person: Option<(&'static str, &'static str)>,
    pub amount: Option<AmountOf>,
    pub currency: CurrencyOf,
    /// The key of the event's message.
    pub message: Option<&'static str>,
}

/// A value that its key does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("data.{key} must be {expected} or null")]
pub struct WrongValue {
    pub key: &'static str,
    pub expected: &'static str,
}

/// Types that no platform tells of (specification D §3, §4): YouTube has neither a delivery nor a chat message for a new
/// subscriber, and Kick has no event for a raid.
pub const WITHOUT_SOURCE: [&str; 2] = ["youtube:subscriber", "kick:raid"];

/// What the types of an account's own begin with.
pub const CUSTOM: &str = "custom:";
const MAX_CUSTOM_NAME_LENGTH: usize = 64;
/// The length of the longest type: no type of the catalogue is longer than those of an account's own.
pub const MAX_EVENT_TYPE_LENGTH: usize = CUSTOM.len() + MAX_CUSTOM_NAME_LENGTH;

/// Whether a text is the name behind `custom:`: 1 to 64 characters out of `a-z`, `0-9` and `_`.
#[must_use]
pub fn is_custom_name(name: &str) -> bool {
    (1..=MAX_CUSTOM_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether a text is a type of an account's own: `custom:{name}`.
#[must_use]
pub fn is_custom(event_type: &str) -> bool {
    event_type.strip_prefix(CUSTOM).is_some_and(is_custom_name)
}

impl EventType {
    /// The type of a name; `None` also for `custom:` types, whose payloads are free.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        EVENT_TYPES.iter().find(|known| known.name == name)
    }

    /// What stands before the colon.
    #[must_use]
    pub fn platform(&self) -> &'static str {
        self.name.split(':').next().unwrap_or(self.name)
    }

    /// Reads a payload: exactly the keys of the type, null where nothing was given. Other keys are left out.
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

    /// Takes out of a payload what is not of its key's kind: it is null then.
    pub fn fit(&self, payload: &mut Value) {
        for key in self.keys {
            if let Some(value) = payload.get_mut(key.name)
                && !key.kind.takes(value)
            {
                *value = Value::Null;
            }
        }
    }

    /// A payload's amount: a count, or minor units of its currency.
    #[must_use]
    pub fn amount_in(&self, payload: &Value) -> Option<i64> {
        /// A minor unit is a hundredth.
        const MICROS: i64 = 10_000;
        match self.amount? {
            AmountOf::Key(key) => payload[key].as_i64(),
            AmountOf::Micros(key) => payload[key].as_i64().map(|micros| micros / MICROS),
        }
    }

    /// The currency of a payload's amount.
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
    /// Whether a value that is not null is of the kind.
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

    /// What a value must be, in words.
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
    fn a_payload_gets_exactly_the_keys_of_its_type() {
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
    fn names_of_ones_own_are_short_and_plain() {
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
