//! Texts of platforms in a form that PostgreSQL stores.

use std::borrow::Cow;

/// Maximum length of a stored text in characters.
const MAX_LENGTH: usize = 1_000;

/// Text without NUL characters, cut to the maximum length.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    let is_short = text.len() <= MAX_LENGTH || text.chars().nth(MAX_LENGTH).is_none();
    if is_short && !text.contains('\0') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|character| *character != '\0').take(MAX_LENGTH).collect())
}

/// [`storable`] of a text that may be absent.
pub(crate) fn storable_option(text: Option<&String>) -> Option<Cow<'_, str>> {
    text.map(|text| storable(text))
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
