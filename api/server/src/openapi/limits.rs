//! Limits of inputs. The derives take literals only. A field therefore names the constant of its check as an
//! extension (`extensions(("maxLength" = json!(MAX_LABEL_LENGTH)))`), which becomes the keyword here.

use serde_json::{Map, Value};

const KEYWORDS: [&str; 7] = ["maxLength", "minLength", "maxItems", "maximum", "minimum", "pattern", "enum"];

/// Turns the extensions into keywords.
pub fn publish(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            lift_length(fields);
            for keyword in KEYWORDS {
                if let Some(limit) = fields.remove(&format!("x-{keyword}")) {
                    let limit = if keyword == "enum" { choices(limit, fields) } else { limit };
                    fields.insert(keyword.to_owned(), limit);
                }
            }
            fields.values_mut().for_each(publish);
        }
        Value::Array(items) => items.iter_mut().for_each(publish),
        _ => {}
    }
}

/// Moves the length of a list to the list, because the derives write the extensions of a list to its items.
fn lift_length(list: &mut Map<String, Value>) {
    let items = list.get_mut("items").and_then(Value::as_object_mut);
    if let Some(length) = items.and_then(|items| items.remove("x-maxItems")) {
        list.insert("maxItems".to_owned(), length);
    }
}

/// Adds null to the values of a nullable schema.
fn choices(mut values: Value, schema: &Map<String, Value>) -> Value {
    let mut types = schema.get("type").and_then(Value::as_array).into_iter().flatten();
    if let (true, Some(values)) = (types.any(|name| name == "null"), values.as_array_mut()) {
        values.push(Value::Null);
    }
    values
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_are_lifted_from_extensions_to_keywords() {
        let mut schemas = json!({
            "list": { "type": "array", "items": { "type": "string", "x-maxItems": 5, "x-maxLength": 30 } },
            "choice": { "type": ["string", "null"], "x-enum": ["a", "b"] },
        });
        publish(&mut schemas);
        let items = json!({ "type": "string", "maxLength": 30 });
        assert_eq!(schemas["list"], json!({ "type": "array", "maxItems": 5, "items": items }));
        assert_eq!(schemas["choice"]["enum"], json!(["a", "b", null]));
    }
}
