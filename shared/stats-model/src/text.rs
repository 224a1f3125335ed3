//! Texts of platforms in a form that PostgreSQL stores.

use std::borrow::Cow;

/// Maximum length of a stored text in characters.
const MAX_LENGTH: usize = 1_000;
/// Maximum length of a stored name in characters. An entry of an index holds a name twice, and has 2,700 bytes.
const MAX_NAME_LENGTH: usize = 200;
/// Maximum length of a stored id in characters. An entry of an index holds up to two ids beside a name.
const MAX_ID_LENGTH: usize = 128;

/// Text without NUL characters, cut to the maximum length.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    cut(text, MAX_LENGTH)
}

/// [`storable`] of a name, which lists are ordered by and searched for.
pub(crate) fn storable_name(name: &str) -> Cow<'_, str> {
    cut(name, MAX_NAME_LENGTH)
}

/// [`storable`] of an id, which is part of keys.
pub(crate) fn storable_id(id: &str) -> Cow<'_, str> {
    cut(id, MAX_ID_LENGTH)
}

fn cut(text: &str, length: usize) -> Cow<'_, str> {
    let is_short = text.len() <= length || text.chars().nth(length).is_none();
    if is_short && !text.contains('\0') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|character| *character != '\0').take(length).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storable_drops_nul_and_cuts() {
        assert!(matches!(storable("plain"), Cow::Borrowed("plain")));
        assert_eq!(storable("a\0b"), "ab");
        assert_eq!(storable(&"é".repeat(MAX_LENGTH + 1)).chars().count(), MAX_LENGTH);
        assert!(matches!(storable(&"é".repeat(MAX_LENGTH)), Cow::Borrowed(_)));
    }
}
