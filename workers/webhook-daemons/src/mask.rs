//! Secrets in answers of receivers (reference/webhooks.md#requests).

use shared::secret::Secret;

/// Text in the place of a secret that a receiver has sent back.
const HIDDEN: &[u8] = b"[secret]";

/// Returns the first `max_bytes` of an answer as text, without the secrets that begin in them. They are found in the
/// whole answer, so none is cut in two.
pub(crate) fn masked(answer: &[u8], secrets: &[Secret], max_bytes: usize) -> String {
    let mut text = Vec::with_capacity(answer.len().min(max_bytes));
    let mut rest = answer;
    while let Some((first, others)) = rest.split_first()
        && answer.len() - rest.len() < max_bytes
    {
        match secrets.iter().find_map(|secret| behind(rest, secret.expose())) {
            Some(left) => {
                text.extend_from_slice(HIDDEN);
                rest = left;
            }
            None => {
                text.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Text behind a secret at its begin, which is there as it is or escaped as in JSON. `None` without it.
fn behind<'a>(text: &'a [u8], secret: &str) -> Option<&'a [u8]> {
    let left = secret.bytes().try_fold(text, behind_byte)?;
    (left.len() < text.len()).then_some(left)
}

/// Text behind a character at its begin: as it is, `\/`, or `\u` with its number.
fn behind_byte(text: &[u8], byte: u8) -> Option<&[u8]> {
    match text {
        [first, left @ ..] if *first == byte => Some(left),
        [b'\\', b'/', left @ ..] if byte == b'/' => Some(left),
        [b'\\', b'u', b'0', b'0', high, low, left @ ..] if number(*high, *low) == Some(byte.into()) => {
            Some(left)
        }
        _ => None,
    }
}

/// Number of two hexadecimal digits.
fn number(high: u8, low: u8) -> Option<u32> {
    Some(char::from(high).to_digit(16)? * 16 + char::from(low).to_digit(16)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_hides_secrets_in_every_form() {
        let secrets = [Secret::new("whsec_a/b+c="), Secret::new("whsec_other")];
        for (answer, expected) in [
            ("", ""),
            ("ok", "ok"),
            ("whsec_a/b+c=", "[secret]"),
            ("a whsec_other b whsec_a/b+c= c", "a [secret] b [secret] c"),
            (r#"{"key":"whsec_a\/b+c="}"#, r#"{"key":"[secret]"}"#),
            (r#"{"key":"whsec_a\u002fb\u002Bc\u003D"}"#, r#"{"key":"[secret]"}"#),
            ("whsec_a/b+c", "whsec_a/b+c"),
            (r"\u00", r"\u00"),
        ] {
            assert_eq!(masked(answer.as_bytes(), &secrets, 100), expected, "{answer}");
        }
    }

    #[test]
    fn masked_cuts_no_secret_in_two() {
        let (secrets, answer) = ([Secret::new("whsec_other")], b"0123 whsec_other 4567");
        for (max_bytes, expected) in
            [(0, ""), (5, "0123 "), (6, "0123 [secret]"), (15, "0123 [secret]"), (17, "0123 [secret] ")]
        {
            assert_eq!(masked(answer, &secrets, max_bytes), expected, "{max_bytes}");
        }
    }
}
