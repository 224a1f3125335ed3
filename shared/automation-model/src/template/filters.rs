//! Filters of placeholders.

use std::borrow::Cow;

use chrono::{
    DateTime, Datelike, Utc,
    format::{Item, StrftimeItems},
};
use chrono_tz::Tz;
use serde_json::{Number, Value};

use super::{MAX_DATE_FORMAT_LENGTH, value::text_of};

/// Number of seconds from which a time is in milliseconds: the year 5138.
const FIRST_MILLISECONDS: i64 = 100_000_000_000;
/// Names of the filters.
const NAMES: &str = "upper, lower, default:x, number, date:fmt";

/// A filter.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// Capital letters.
    Upper,
    /// Small letters.
    Lower,
    /// Text for a missing or empty value.
    Default(String),
    /// The number that a text is; missing for another text.
    Number,
    /// Time in a format of strftime, in the time zone of the account; missing for no time.
    Date(Vec<Item<'static>>),
}

impl Filter {
    /// Parses a filter.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name.trim_end(), Some(argument.trim_start())),
            None => (text, None),
        };
        Ok(match (name, argument) {
            ("upper", None) => Self::Upper,
            ("lower", None) => Self::Lower,
            ("number", None) => Self::Number,
            ("default", Some(text)) => Self::Default(text.to_owned()),
            ("date", Some(format)) => Self::Date(items(format)?),
            _ => {
                return Err(format!(
                    "`{}` must be one of {NAMES}",
                    name.chars().take(32).collect::<String>()
                ));
            }
        })
    }

    /// Applies the filter.
    pub fn apply<'a>(&self, value: Option<Cow<'a, Value>>, timezone: Tz) -> Option<Cow<'a, Value>> {
        match self {
            Self::Upper => map_text(value, |text| text.to_uppercase()),
            Self::Lower => map_text(value, |text| text.to_lowercase()),
            Self::Default(text) => match value {
                Some(value) if !text_of(&value).is_empty() => Some(value),
                _ => Some(Cow::Owned(Value::String(text.clone()))),
            },
            Self::Number => number(value?.as_ref()).map(|number| Cow::Owned(Value::Number(number))),
            Self::Date(items) => {
                let text = format_time(time(value?.as_ref())?, items, timezone)?;
                Some(Cow::Owned(Value::String(text)))
            }
        }
    }
}

fn map_text<'a>(value: Option<Cow<'a, Value>>, map: impl Fn(&str) -> String) -> Option<Cow<'a, Value>> {
    value.map(|value| Cow::Owned(Value::String(map(&text_of(&value)))))
}

/// Reads a format. Every item must be one that a time with a zone has, because others fail in the output.
fn items(format: &str) -> Result<Vec<Item<'static>>, String> {
    if format.is_empty() || format.chars().count() > MAX_DATE_FORMAT_LENGTH {
        return Err(format!("the format of a date must have 1 to {MAX_DATE_FORMAT_LENGTH} characters"));
    }
    let items = StrftimeItems::new(format).parse_to_owned().ok();
    let items = items.filter(|items| format_time(DateTime::UNIX_EPOCH, items, Tz::UTC).is_some());
    items.ok_or_else(|| "the format of a date must be one of strftime, as %d.%m.%Y".to_owned())
}

fn format_time(time: DateTime<Utc>, items: &[Item<'static>], timezone: Tz) -> Option<String> {
    let mut text = String::new();
    // An item that cannot be written is an error here, and a panic in `to_string`.
    time.with_timezone(&timezone).format_with_items(items.iter()).write_to(&mut text).ok()?;
    Some(text)
}

/// Time that a value is: RFC 3339, or seconds or milliseconds since 1970.
fn time(value: &Value) -> Option<DateTime<Utc>> {
    let time = match value {
        Value::String(text) => match DateTime::parse_from_rfc3339(text.trim()) {
            Ok(time) => time.to_utc(),
            Err(_) => since_epoch(text.trim().parse().ok()?)?,
        },
        Value::Number(number) => since_epoch(number.as_i64()?)?,
        _ => return None,
    };
    // Beyond these years a time zone may leave the range of times.
    (1..=9999).contains(&time.year()).then_some(time)
}

fn since_epoch(number: i64) -> Option<DateTime<Utc>> {
    if number.unsigned_abs() < FIRST_MILLISECONDS.unsigned_abs() {
        DateTime::from_timestamp(number, 0)
    } else {
        DateTime::from_timestamp_millis(number)
    }
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::Bool(flag) => Some(Number::from(u8::from(*flag))),
        Value::String(text) => parse_number(text),
        _ => None,
    }
}

fn parse_number(text: &str) -> Option<Number> {
    let text = text.trim();
    match text.parse::<i64>() {
        Ok(whole) => Some(Number::from(whole)),
        Err(_) => Number::from_f64(text.parse().ok()?),
    }
}
