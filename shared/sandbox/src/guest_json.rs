use serde_json::Value;

/// Reads JSON that the guest wrote.
pub(crate) fn parse_json(mut json: Vec<u8>) -> serde_json::Result<Value> {
    replace_lone_surrogates(&mut json);
    serde_json::from_slice(&json)
}

/// Replaces half a character, as from a string that was cut in an emoji, by U+FFFD. Whole characters never
/// come as escapes of surrogates: the guest writes them unescaped.
fn replace_lone_surrogates(json: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        if let Some(escape @ [_, b'u', b'd', b'8'..=b'f', _, _]) = json.get_mut(at..at + 6) {
            escape.copy_from_slice(br"\ufffd");
        }
        // The escaped character may be a backslash itself.
        at = (at + 2).min(json.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_json_replaces_lone_surrogates() {
        for (json, text) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\udc00\udbff""#, "\u{fffd}\u{fffd}"),
            (r#""\\ud800""#, r"\ud800"),
            (r#""\\\ud800""#, "\\\u{fffd}"),
            (r#""\u0007\n""#, "\u{7}\n"),
            (r#""\\""#, "\\"),
        ] {
            assert_eq!(parse_json(json.into()).unwrap(), text, "{json}");
        }
    }
}
