//! Comparison of what a fixture expects with what happened.

use serde_json::Value;

/// Returns the differences, each with its place. An expected object may leave keys out; a list has the same length.
pub(crate) fn differences(at: &str, expected: &Value, found: &Value) -> Vec<String> {
    let mut differences = Vec::new();
    compare(at, expected, found, &mut differences);
    differences
}

fn compare(at: &str, expected: &Value, found: &Value, differences: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (name, value) in expected {
                let at = format!("{at}.{name}");
                match found.get(name) {
                    Some(found) => compare(&at, value, found, differences),
                    // A null that is expected may be left out.
                    None if value.is_null() => {}
                    None => differences.push(format!("{at}: expected {value}, found nothing")),
                }
            }
        }
        (Value::Array(expected), Value::Array(entries)) if expected.len() == entries.len() => {
            for (index, (expected, found)) in expected.iter().zip(entries).enumerate() {
                compare(&format!("{at}[{index}]"), expected, found, differences);
            }
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {}
        _ if expected == found => {}
        _ => differences.push(format!("{at}: expected {expected}, found {found}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_name_places_and_ignore_keys_that_are_not_expected() {
        let found = json!([{ "action": "chat:send", "payload": { "message": "hi", "platform": "twitch" } }]);
        assert!(differences("effects", &json!([{ "payload": { "message": "hi" } }]), &found).is_empty());
        assert!(differences("effects", &json!([{ "payload": { "reply_to": null } }]), &found).is_empty());
        let wrong = json!([{ "action": "chat:ban", "payload": { "message": "ho", "user": 1 } }]);
        assert_eq!(
            differences("effects", &wrong, &found),
            [
                r#"effects[0].action: expected "chat:ban", found "chat:send""#,
                r#"effects[0].payload.message: expected "ho", found "hi""#,
                "effects[0].payload.user: expected 1, found nothing",
            ]
        );
        assert_eq!(differences("effects", &json!([]), &found).len(), 1);
        assert!(differences("n", &json!(1), &json!(1.0)).is_empty());
    }
}
