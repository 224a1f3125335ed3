//! Settings of an install, as the manifest declares them (reference/extensions.md#configuration-schema).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum size of the configuration of one install, as JSON text.
const MAX_CONFIG_BYTES: usize = 64 * 1024;
const MAX_STRING_LENGTH: usize = 1000;
const MAX_TEXT_LENGTH: usize = 10_000;
const MAX_ROWS: usize = 200;

/// Declared settings by key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConfigSchema {
    /// Settings by key.
    pub fields: BTreeMap<String, ConfigField>,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfigField {
    /// Type of the value.
    #[serde(rename = "type")]
    pub kind: ConfigKind,
    /// Label in forms.
    pub label: String,
    /// Default, or null.
    #[serde(default)]
    pub default: Option<Value>,
    /// True when a value is required.
    #[serde(default)]
    pub required: bool,
    /// Help text, or null.
    #[serde(default)]
    pub help: Option<String>,
    /// Choices of a `select`.
    #[serde(default)]
    pub options: Vec<ConfigOption>,
    /// Minimum of a number, or of the count of characters or entries.
    #[serde(default)]
    pub min: Option<f64>,
    /// Maximum of a number, or of the count of characters or entries.
    #[serde(default)]
    pub max: Option<f64>,
    /// True when the value is encrypted at rest and never returned; for `string` and `text`.
    #[serde(default)]
    pub secret: bool,
}

/// Type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfigKind {
    /// One line of text.
    String,
    /// Number.
    Number,
    /// Boolean.
    Boolean,
    /// One of the options.
    Select,
    /// Colour in hexadecimal notation.
    Color,
    /// Text of several lines.
    Text,
    /// Key or address of a sound.
    Sound,
    /// Address of an image.
    Image,
    /// List of strings.
    StringList,
    /// List of objects, for built-in extensions only. Their content is checked by [`system`](crate::system).
    ObjectList,
}

/// One choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ConfigOption {
    /// Value only.
    Plain(String),
    /// Value with a label.
    Labelled { value: String, label: String },
}

/// Refusal of a configuration: the key and the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Key of the setting; empty for the configuration as a whole.
    pub key: String,
    /// Rule that the value breaks.
    pub message: String,
}

impl ConfigOption {
    /// Value that is stored when this choice is made.
    #[must_use]
    pub fn value(&self) -> &str {
        match self {
            Self::Plain(value) | Self::Labelled { value, .. } => value,
        }
    }
}

impl ConfigSchema {
    /// Checks a configuration as an account sent it.
    ///
    /// # Errors
    /// The first key that is unknown, missing or invalid.
    pub fn check(&self, config: &Map<String, Value>) -> Result<(), ConfigError> {
        if let Some(unknown) = config.keys().find(|key| !self.fields.contains_key(*key)) {
            return Err(refuse(unknown, "is not a setting of this extension"));
        }
        for (key, field) in &self.fields {
            match config.get(key).filter(|value| !value.is_null()) {
                Some(value) => field.check(key, value)?,
                None if field.required && field.default.is_none() => return Err(refuse(key, "is required")),
                None => {}
            }
        }
        if serde_json::to_string(config).map_or(true, |text| text.len() > MAX_CONFIG_BYTES) {
            return Err(refuse("", "must not be larger than 64 KiB"));
        }
        Ok(())
    }

    /// Returns the configuration that handlers see. A default replaces a missing value and a value that a
    /// later version's schema no longer allows.
    #[must_use]
    pub fn with_defaults(&self, mut config: Map<String, Value>) -> Map<String, Value> {
        config.retain(|key, value| {
            !value.is_null() && self.fields.get(key).is_some_and(|field| field.check(key, value).is_ok())
        });
        for (key, field) in &self.fields {
            if let Some(default) = field.default.as_ref().filter(|_| !config.contains_key(key)) {
                config.insert(key.clone(), default.clone());
            }
        }
        config
    }

    /// Returns the schema without some keys.
    #[must_use]
    pub fn without<'a>(&self, keys: impl Iterator<Item = &'a String>) -> Self {
        let mut fields = self.fields.clone();
        keys.for_each(|key| drop(fields.remove(key)));
        Self { fields }
    }

    /// True when a key holds a secret.
    #[must_use]
    pub fn is_secret(&self, key: &str) -> bool {
        self.fields.get(key).is_some_and(|field| field.secret)
    }
}

impl ConfigField {
    /// Checks a value.
    ///
    /// # Errors
    /// The rule that the value breaks.
    pub fn check(&self, key: &str, value: &Value) -> Result<(), ConfigError> {
        match (self.kind, value) {
            (ConfigKind::Boolean, Value::Bool(_)) => Ok(()),
            (ConfigKind::Boolean, _) => Err(refuse(key, "must be true or false")),
            (ConfigKind::Number, Value::Number(number)) => {
                self.in_range(key, number.as_f64().unwrap_or(f64::NAN), "must be")
            }
            (ConfigKind::Number, _) => Err(refuse(key, "must be a number")),
            (ConfigKind::StringList, Value::Array(entries)) => self.check_list(key, entries),
            (ConfigKind::StringList, _) => Err(refuse(key, "must be a list of strings")),
            (ConfigKind::ObjectList, Value::Array(entries)) if entries.iter().all(Value::is_object) => {
                self.in_range(key, entries.len() as f64, "must have a number of entries")
            }
            (ConfigKind::ObjectList, _) => Err(refuse(key, "must be a list of objects")),
            (_, Value::String(text)) => self.check_text(key, text),
            (_, _) => Err(refuse(key, "must be a string")),
        }
    }

    fn check_list(&self, key: &str, entries: &[Value]) -> Result<(), ConfigError> {
        if entries.len() > MAX_ROWS {
            return Err(refuse(key, format!("must have at most {MAX_ROWS} entries")));
        }
        let short = |entry: &Value| {
            entry.as_str().is_some_and(|text| is_clean(text) && text.chars().count() <= MAX_STRING_LENGTH)
        };
        if !entries.iter().all(short) {
            return Err(refuse(
                key,
                format!("must be a list of strings of at most {MAX_STRING_LENGTH} characters"),
            ));
        }
        self.in_range(key, entries.len() as f64, "must have a number of entries")
    }

    fn check_text(&self, key: &str, text: &str) -> Result<(), ConfigError> {
        if !is_clean(text) {
            return Err(refuse(key, "must not contain control characters"));
        }
        match self.kind {
            ConfigKind::Select if !self.options.iter().any(|option| option.value() == text) => {
                let allowed: Vec<&str> = self.options.iter().map(ConfigOption::value).collect();
                Err(refuse(key, format!("must be one of {}", allowed.join(", "))))
            }
            ConfigKind::Color if !is_color(text) => Err(refuse(key, "must be a colour such as #1a2b3c")),
            ConfigKind::Select | ConfigKind::Color => Ok(()),
            _ => {
                let max_length =
                    if self.kind == ConfigKind::Text { MAX_TEXT_LENGTH } else { MAX_STRING_LENGTH };
                let length = text.chars().count();
                if length > max_length {
                    return Err(refuse(key, format!("must have at most {max_length} characters")));
                }
                self.in_range(key, length as f64, "must have a number of characters")
            }
        }
    }

    fn in_range(&self, key: &str, value: f64, what: &str) -> Result<(), ConfigError> {
        let allowed = match (self.min, self.max) {
            (Some(min), Some(max)) if !(min..=max).contains(&value) => {
                format!("{what} between {min} and {max}")
            }
            (Some(min), None) if value < min => format!("{what} of at least {min}"),
            (None, Some(max)) if value > max => format!("{what} of at most {max}"),
            _ => return Ok(()),
        };
        Err(refuse(key, allowed))
    }
}

/// True when the text has no control characters that PostgreSQL refuses or terminals interpret.
fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6 | 8) && digits.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

fn refuse(key: &str, message: impl Into<String>) -> ConfigError {
    ConfigError { key: key.to_owned(), message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> ConfigSchema {
        serde_json::from_value(json!({
            "greeting": { "type": "string", "label": "Greeting", "default": "Hello", "max": 20 },
            "times": { "type": "number", "label": "Times", "required": true, "min": 1, "max": 5 },
            "loud": { "type": "boolean", "label": "Loud" },
            "mode": { "type": "select", "label": "Mode", "options": ["a", { "value": "b", "label": "B" }] },
            "tint": { "type": "color", "label": "Tint" },
            "words": { "type": "string_list", "label": "Words", "max": 2 },
        }))
        .unwrap()
    }

    fn refusal(config: Value) -> String {
        let Value::Object(config) = config else { unreachable!() };
        let error = schema().check(&config).unwrap_err();
        format!("{} {}", error.key, error.message)
    }

    #[test]
    fn config_schema_errors_name_the_key_and_the_allowed_values() {
        for (config, message) in [
            (json!({}), "times is required"),
            (json!({ "times": null }), "times is required"),
            (json!({ "times": 6 }), "times must be between 1 and 5"),
            (json!({ "times": "2" }), "times must be a number"),
            (json!({ "times": 2, "other": 1 }), "other is not a setting of this extension"),
            (json!({ "times": 2, "loud": 1 }), "loud must be true or false"),
            (json!({ "times": 2, "mode": "c" }), "mode must be one of a, b"),
            (json!({ "times": 2, "tint": "red" }), "tint must be a colour such as #1a2b3c"),
            (
                json!({ "times": 2, "words": ["a", 1] }),
                "words must be a list of strings of at most 1000 characters",
            ),
            (
                json!({ "times": 2, "words": ["a", "b", "c"] }),
                "words must have a number of entries of at most 2",
            ),
            (json!({ "times": 2, "greeting": "x\u{0}" }), "greeting must not contain control characters"),
            (
                json!({ "times": 2, "greeting": "x".repeat(21) }),
                "greeting must have a number of characters of at most 20",
            ),
        ] {
            assert_eq!(refusal(config), message);
        }
    }

    #[test]
    fn config_schema_adds_defaults_and_drops_unknown_keys() {
        let config = json!({ "times": 2, "gone": true, "loud": null });
        let Value::Object(config) = config else { unreachable!() };
        assert_eq!(Value::Object(schema().with_defaults(config)), json!({ "times": 2, "greeting": "Hello" }));
    }

    #[test]
    fn config_schema_replaces_values_that_it_no_longer_allows() {
        let config =
            json!({ "greeting": "longer than twenty characters", "times": "2", "mode": "c", "words": ["a"] });
        let Value::Object(config) = config else { unreachable!() };
        assert_eq!(
            Value::Object(schema().with_defaults(config)),
            json!({ "greeting": "Hello", "words": ["a"] })
        );
    }
}
