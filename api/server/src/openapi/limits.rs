//! Limits of inputs. The derives take literals only, so a field names the constant that its check uses as an extension
//! (`extensions(("maxLength" = json!(MAX_LABEL_LENGTH)))`), which becomes the keyword here.

use serde_json::Value;

const KEYWORDS: [&str; 6] = ["maxLength", "minLength", "maxItems", "maximum", "minimum", "pattern"];

/// Turns the extensions into keywords.
pub fn publish(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for keyword in KEYWORDS {
                if let Some(limit) = fields.remove(&format!("x-{keyword}")) {
                    fields.insert(keyword.to_owned(), limit);
                }
            }
            fields.values_mut().for_each(publish);
        }
        Value::Array(items) => items.iter_mut().for_each(publish),
        _ => {}
    }
}
