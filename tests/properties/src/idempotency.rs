//! Values of the header `Idempotency-Key` (reference/conventions.md#idempotency): a key is read exactly when the header
//! follows the grammar, which is stated here a second time.

use std::sync::LazyLock;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use api_core::{Result, access::key_of};
use regex::Regex;

const MAX_LENGTH: usize = 255;
const REFUSAL: &str = "Idempotency-Key must have 1 to 255 visible ASCII characters";

/// A key without quotes.
static BARE: LazyLock<Regex> = LazyLock::new(|| regex("^[!#-~][!-~]*$"));
/// A string of RFC 9651 without spaces.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| regex(r#"^"((?:[!#-\[\]-~]|\\["\\])*)"$"#));
static ESCAPED: LazyLock<Regex> = LazyLock::new(|| regex(r#"\\(["\\])"#));

/// Each line of the input is a header.
pub fn check(input: &[u8]) {
    let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let Some(read) = parsed(&lines) else { return };
    match (read, expected(&lines)) {
        (Ok(key), Some(expected)) => {
            assert_eq!(key, expected);
            is_read_in_every_form(&key);
            let twice = parsed(&[lines[0], lines[0]]);
            assert!(twice.is_some_and(|read| read.is_err()), "{key:?} is read from two headers");
        }
        (Err(refusal), None) => {
            assert_eq!((refusal.code.status().as_u16(), refusal.message.as_str()), (400, REFUSAL));
        }
        (read, expected) => panic!("{}: {read:?}, not {expected:?}", input.escape_ascii()),
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern")
}

/// Key of a request with these headers; `None` for a value that no server passes on.
fn parsed(values: &[&[u8]]) -> Option<Result<String>> {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(HeaderName::from_static("idempotency-key"), HeaderValue::from_bytes(value).ok()?);
    }
    Some(key_of(&headers))
}

fn expected(values: &[&[u8]]) -> Option<String> {
    let [only] = values else { return None };
    let text = std::str::from_utf8(only).ok()?.trim_matches([' ', '\t']);
    let key = match QUOTED.captures(text) {
        Some(quoted) => ESCAPED.replace_all(&quoted[1], "$1").into_owned(),
        None => BARE.is_match(text).then(|| text.to_owned())?,
    };
    (1..=MAX_LENGTH).contains(&key.len()).then_some(key)
}

/// A client may write a key with or without quotes, and with spaces around it.
fn is_read_in_every_form(key: &str) {
    let quoted = format!("\"{}\"", key.replace('\\', r"\\").replace('"', "\\\""));
    let mut forms = vec![format!(" {quoted}\t"), quoted];
    if !key.starts_with('"') {
        forms.push(key.to_owned());
    }
    for form in forms {
        assert_eq!(parsed(&[form.as_bytes()]), Some(Ok(key.to_owned())), "{form:?}");
    }
}
