//! Values as they are stored: bounded, and without characters that the database refuses.

use serde_json::{Value, json};

/// Maximum size of the input and the output of a step as readers get them, in bytes of JSON
/// (reference/automations.md#execution).
pub const MAX_EXCERPT_BYTES: usize = 16 * 1024;
/// Maximum size of the output of a step for templates, in bytes of JSON; a larger one is null
/// (reference/automations.md#execution).
pub const MAX_RESULT_BYTES: usize = 128 * 1024;
/// Maximum size of all outputs of a run for templates, in bytes of JSON; further ones are null
/// (reference/automations.md#execution).
pub const MAX_RESULTS_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a value that an excerpt begins with. As a text they may take twice as many.
const EXCERPT_TEXT_BYTES: usize = MAX_EXCERPT_BYTES / 2 - 64;

/// Size of the outputs of a run that templates can read.
#[derive(Default)]
pub(super) struct Outputs(usize);

impl Outputs {
    /// Counts an output; null in its place when the run's outputs have used up their size.
    pub fn counted(&mut self, output: Value) -> Value {
        if output.is_null() {
            return output;
        }
        let bytes = output.to_string().len();
        if self.0 + bytes > MAX_RESULTS_BYTES {
            return Value::Null;
        }
        self.0 += bytes;
        output
    }
}

/// Value as it is, or `{ truncated, text }` with the beginning of its JSON.
pub(super) fn excerpt(value: &Value) -> Value {
    let text = value.to_string();
    if text.len() <= MAX_EXCERPT_BYTES {
        return value.clone();
    }
    json!({ "truncated": true, "text": &text[..text.floor_char_boundary(EXCERPT_TEXT_BYTES)] })
}

/// Output as it is stored and as templates read it, so that a resumed run reads the same.
pub(super) fn storable(output: Value) -> Value {
    let text = output.to_string();
    if text.len() > MAX_RESULT_BYTES {
        return Value::Null;
    }
    // The only character that `jsonb` refuses.
    if text.contains("\\u0000") { without_nul(output) } else { output }
}

fn without_nul(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace('\0', "")),
        Value::Array(items) => Value::Array(items.into_iter().map(without_nul).collect()),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(fields.map(|(name, value)| (name.replace('\0', ""), without_nul(value))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_of_a_large_value_fits() {
        let small = json!({ "text": "a".repeat(16_000) });
        assert_eq!(excerpt(&small), small);
        for large in
            [json!("\"".repeat(20_000)), json!({ "text": "ä".repeat(10_000) }), json!(vec!["\\"; 9_000])]
        {
            let cut = excerpt(&large);
            assert_eq!(cut["truncated"], true);
            assert!(cut.to_string().len() <= MAX_EXCERPT_BYTES, "{}", cut.to_string().len());
        }
    }

    #[test]
    fn storable_value_has_no_nul() {
        assert_eq!(storable(json!({ "a\0": ["b\0", 1] })), json!({ "a": ["b", 1] }));
        assert_eq!(storable(json!("\\u0000")), json!("\\u0000"), "a text that names it stays");
        assert_eq!(storable(json!("a".repeat(200_000))), Value::Null);
    }
}
