//! Checks of values without templates.

use serde_json::{Map, Number, Value};
use shared::platform::Platform;
use uuid::Uuid;

use crate::{
    node_types::{Key, MAX_HEADERS, MAX_PLATFORMS, MAX_URL_LENGTH, Shape},
    template::text_of,
};

/// Checks a value and brings it into the form of its shape. `None` for an optional key without a value.
pub fn accept(key: &Key, value: Value) -> Result<Option<Value>, String> {
    let is_empty =
        matches!(&value, Value::Null) || matches!(&value, Value::String(text) if text.trim().is_empty());
    if is_empty && !matches!(key.shape, Shape::Any) {
        return if key.is_required { Err(format!("{} must not be empty", key.name)) } else { Ok(None) };
    }
    let name = key.name;
    Ok(Some(match key.shape {
        Shape::Id => id(name, &value)?,
        Shape::Whole(min, max) => whole(name, &value, min, max)?,
        Shape::Number(min, max) => float(name, &value, min, max)?,
        Shape::Choice(values) => choice(name, value, values)?,
        Shape::Url => url(name, value)?,
        Shape::Platform => platform(name, &value)?,
        Shape::Platforms => platforms(name, value)?,
        Shape::Flag => flag(name, value, false)?,
        Shape::Toggle => flag(name, value, true)?,
        Shape::Object if !value.is_object() => return Err(format!("{name} must be an object")),
        Shape::Headers => headers(name, value)?,
        _ => value,
    }))
}

fn id(name: &str, value: &Value) -> Result<Value, String> {
    let id = value.as_str().and_then(|text| Uuid::parse_str(text.trim()).ok());
    Ok(Value::String(id.ok_or_else(|| format!("{name} must be an id"))?.to_string()))
}

fn whole(name: &str, value: &Value, min: i64, max: i64) -> Result<Value, String> {
    let number = match value {
        Value::Number(number) => number.as_i64().or_else(|| integral(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok().or_else(|| integral(text.trim().parse().ok()?)),
        _ => None,
    };
    let number = number.filter(|number| (min..=max).contains(number));
    Ok(Value::from(number.ok_or_else(|| format!("{name} must be a whole number between {min} and {max}"))?))
}

/// Whole number that a float is, within the digits of a float.
fn integral(float: f64) -> Option<i64> {
    const MAX: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "the float is whole and small enough")]
    let whole = float as i64;
    (float.fract() == 0.0 && float.abs() <= MAX).then_some(whole)
}

fn float(name: &str, value: &Value, min: f64, max: f64) -> Result<Value, String> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let number = number.filter(|number| (min..=max).contains(number)).and_then(Number::from_f64);
    Ok(Value::Number(number.ok_or_else(|| format!("{name} must be a number between {min} and {max}"))?))
}

fn choice(name: &str, value: Value, values: &[&str]) -> Result<Value, String> {
    let is_known = value.as_str().is_some_and(|text| values.contains(&text));
    if is_known { Ok(value) } else { Err(format!("{name} must be one of {}", values.join(", "))) }
}

fn url(name: &str, value: Value) -> Result<Value, String> {
    let is_url = value
        .as_str()
        .is_some_and(|text| text.starts_with("https://") && text.chars().count() <= MAX_URL_LENGTH);
    if is_url {
        return Ok(value);
    }
    Err(format!("{name} must begin with https:// and have at most {MAX_URL_LENGTH} characters"))
}

fn platform(name: &str, value: &Value) -> Result<Value, String> {
    let platform = value.as_str().and_then(|text| text.trim().parse::<Platform>().ok());
    let platform = platform
        .ok_or_else(|| format!("{name} must be one of {}", Platform::ALL.map(Platform::slug).join(", ")))?;
    Ok(Value::String(platform.slug().to_owned()))
}

/// A list of platforms, or the name of one. An entry without a value is an error, because an empty list means
/// every platform.
fn platforms(name: &str, value: Value) -> Result<Value, String> {
    let list = match value {
        Value::Array(list) => list,
        other => vec![other],
    };
    if list.len() > MAX_PLATFORMS {
        return Err(format!("{name} must have at most {MAX_PLATFORMS} entries"));
    }
    Ok(Value::Array(list.iter().map(|entry| platform(name, entry)).collect::<Result<_, _>>()?))
}

fn flag(name: &str, value: Value, may_toggle: bool) -> Result<Value, String> {
    let text = text_of(&value).trim().to_owned();
    match text.as_str() {
        "true" => Ok(Value::Bool(true)),
        "false" => Ok(Value::Bool(false)),
        "toggle" if may_toggle => Ok(Value::String(text)),
        _ if may_toggle => Err(format!("{name} must be true, false or toggle")),
        _ => Err(format!("{name} must be true or false")),
    }
}

fn headers(name: &str, value: Value) -> Result<Value, String> {
    let headers = match value {
        Value::Object(headers) if headers.len() <= MAX_HEADERS => headers,
        _ => return Err(format!("{name} must be an object of at most {MAX_HEADERS} texts")),
    };
    let texts: Map<String, Value> = headers
        .into_iter()
        .map(|(header, value)| (header, Value::String(text_of(&value).into_owned())))
        .collect();
    Ok(Value::Object(texts))
}
