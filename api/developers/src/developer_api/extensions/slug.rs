//! Names of extensions in addresses (specification C B1.1).

use sha2::{Digest, Sha256};

const LONGEST: usize = 50;
const SHORT_ID: usize = 8;
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The slug that a name suggests: lower-case letters, digits and hyphens.
pub(super) fn of(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_end_matches('-');
    // Built-in extensions are `system-{name}` (C B4).
    match slug {
        "" => "extension".to_owned(),
        reserved if reserved.starts_with("system-") => format!("my-{reserved}"),
        slug => slug.to_owned(),
    }
}

/// A slug that nobody has, for a name that others chose before.
pub(super) fn distinguished(slug: &str, short_id: &str) -> String {
    format!("{slug}-{short_id}")
}

/// Eight characters that name an extension.
pub(super) fn short_id() -> String {
    let digest = Sha256::digest(uuid::Uuid::new_v4().as_bytes());
    digest.iter().take(SHORT_ID).map(|byte| char::from(BASE32[usize::from(byte % 32)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(of(&"x".repeat(300)).len(), LONGEST);
        assert_eq!(short_id().len(), SHORT_ID);
        assert_ne!(short_id(), short_id());
    }
}
