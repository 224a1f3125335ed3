//! Slugs of extensions (reference/developers.md#slug).

use sha2::{Digest, Sha256};

const MIN_LENGTH: usize = 3;
pub(crate) const MAX_LENGTH: usize = 50;
/// Prefix of built-in extensions: `system-{name}`.
const RESERVED: &str = "system-";
const SHORT_ID: usize = 8;
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Slug derived from a name: lower-case letters, digits and hyphens.
pub(super) fn of(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(MAX_LENGTH);
    let slug = slug.trim_end_matches('-');
    match slug {
        "" => "extension".to_owned(),
        reserved if reserved.starts_with(RESERVED) => format!("my-{reserved}"),
        slug => slug.to_owned(),
    }
}

/// Checks a slug that a developer chose: the rule of all slugs, and no name of a built-in extension.
///
/// # Errors
/// The broken rule.
pub(super) fn check(slug: &str) -> Result<(), &'static str> {
    if !(MIN_LENGTH..=MAX_LENGTH).contains(&slug.len()) {
        return Err("Slug must be between 3 and 50 characters");
    }
    if !slug.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Err("Slug must start with a lowercase letter");
    }
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !slug.bytes().all(is_plain) {
        return Err("Slug must contain only lowercase letters, digits, and hyphens");
    }
    if slug.starts_with(RESERVED) {
        return Err("Slug must not start with system-");
    }
    Ok(())
}

/// Slug for a name whose own slug is taken.
pub(super) fn distinguished(slug: &str, short_id: &str) -> String {
    format!("{slug}-{short_id}")
}

/// Random short id of eight characters.
pub(super) fn short_id() -> String {
    let digest = Sha256::digest(uuid::Uuid::new_v4().as_bytes());
    digest.iter().take(SHORT_ID).map(|byte| char::from(BASE32[usize::from(byte % 32)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_applies_the_slug_rule_to_chosen_slugs() {
        for good in ["abc", "a-1", &"x".repeat(50)] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (wrong, why) in [
            ("ab", "Slug must be between 3 and 50 characters"),
            (&"x".repeat(51), "Slug must be between 3 and 50 characters"),
            ("1abc", "Slug must start with a lowercase letter"),
            ("-abc", "Slug must start with a lowercase letter"),
            ("aBc", "Slug must contain only lowercase letters, digits, and hyphens"),
            ("a_c", "Slug must contain only lowercase letters, digits, and hyphens"),
            ("system-timer", "Slug must not start with system-"),
        ] {
            assert_eq!(check(wrong), Err(why), "{wrong}");
        }
    }

    #[test]
    fn slugs_are_letters_digits_and_single_hyphens() {
        for (name, slug) in [
            ("My Extension!", "my-extension"),
            ("  --A  B--  ", "a-b"),
            ("Ünïcode 9", "n-code-9"),
            ("日本", "extension"),
            ("System: Timer", "my-system-timer"),
        ] {
            assert_eq!(of(name), slug);
        }
        assert_eq!(of(&"x".repeat(300)).len(), MAX_LENGTH);
        assert_eq!(short_id().len(), SHORT_ID);
        assert_ne!(short_id(), short_id());
    }
}
