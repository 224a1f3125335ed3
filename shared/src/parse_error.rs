//! Messages for values that serde cannot read: the field and the allowed values
//! (reference/errors.md#field-errors).

/// Returns the message. `path` is the position of the value, `reason` the message of serde, and `whole` names
/// everything that is read.
#[must_use]
pub fn message(path: &str, reason: &str, whole: &str) -> String {
    let is_whole = path == "." || path.is_empty();
    if let Some(field) = quoted(reason.strip_prefix("missing field ")) {
        let field = if is_whole { field.to_owned() } else { format!("{path}.{field}") };
        return format!("Missing field: {field}");
    }
    if reason.contains("UUID") {
        return format!("Invalid UUID: {path}");
    }
    let field = if is_whole { whole } else { path };
    let words = allowed(reason).map_or_else(|| reason.to_owned(), |allowed| format!("must be {allowed}"));
    format!("Invalid {field}: {words}")
}

/// Removes ` at line … column …`, which serde_json appends and which says nothing about a value.
#[must_use]
pub fn without_position(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(reason, _)| reason)
}

fn allowed(reason: &str) -> Option<String> {
    match reason {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            return Some("a whole number".to_owned());
        }
        "number too large to fit in target type" => return Some("a smaller whole number".to_owned()),
        "number too small to fit in target type" => return Some("a larger whole number".to_owned()),
        "provided string was not `true` or `false`" => return Some("true or false".to_owned()),
        _ => {}
    }
    let (problem, expected) = reason.split_once(", expected ")?;
    if problem.starts_with("unknown variant ") {
        let values = expected.replace('`', "");
        return Some(values);
    }
    (problem.starts_with("invalid type: ") || problem.starts_with("invalid value: "))
        .then(|| type_name(expected))?
        .map(str::to_owned)
}

fn type_name(expected: &str) -> Option<&'static str> {
    Some(match expected {
        "a string" | "a borrowed string" | "a character" => "a string",
        "a boolean" => "true or false",
        "i8" => "a whole number between -128 and 127",
        "i16" => "a whole number between -32768 and 32767",
        "i32" => "a whole number between -2147483648 and 2147483647",
        "i64" | "isize" => "a whole number of at most 64 bits",
        "u8" => "a whole number between 0 and 255",
        "u16" => "a whole number between 0 and 65535",
        "u32" => "a whole number between 0 and 4294967295",
        "u64" | "usize" => "a whole number that is not negative",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        "unit" => "null",
        other if other.starts_with("struct ") => "an object",
        _ => return None,
    })
}

fn quoted(text: Option<&str>) -> Option<&str> {
    text?.strip_prefix('`')?.strip_suffix('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_error_names_the_field_and_the_allowed_values() {
        let message_of = |path, reason| message(path, reason, "body");
        assert_eq!(message_of(".", "missing field `label`"), "Missing field: label");
        assert_eq!(message_of("rules[0]", "missing field `op`"), "Missing field: rules[0].op");
        assert_eq!(
            message_of("locale", "unknown variant `fr`, expected `en` or `de`"),
            "Invalid locale: must be en or de"
        );
        assert_eq!(
            message_of("scope", "unknown variant `x`, expected one of `a`, `b`, `c`"),
            "Invalid scope: must be one of a, b, c"
        );
        assert_eq!(
            message_of("name", "invalid type: integer `1`, expected a string"),
            "Invalid name: must be a string"
        );
        assert_eq!(
            message_of("count", "invalid value: integer `-1`, expected u32"),
            "Invalid count: must be a whole number between 0 and 4294967295"
        );
        assert_eq!(
            message_of(".", "invalid type: sequence, expected struct Input"),
            "Invalid body: must be an object"
        );
        assert_eq!(message_of("at", "premature end of input"), "Invalid at: premature end of input");
    }
}
