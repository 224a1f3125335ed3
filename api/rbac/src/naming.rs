//! Names, descriptions and slugs of roles (reference/permissions.md#account-roles,
//! reference/permissions.md#user-roles).

use api_core::{Patch, Result, validate};

pub(crate) const MAX_NAME_LENGTH: usize = 50;
pub(crate) const MAX_DESCRIPTION_LENGTH: usize = 500;

pub(crate) fn name(given: &str) -> Result<String> {
    validate::text("name", given, 1, MAX_NAME_LENGTH)
}

/// Checks a description. An empty one becomes `None`.
pub(crate) fn description(given: Option<&str>) -> Result<Option<String>> {
    let checked = given.map(|text| validate::long_text("description", text, 0, MAX_DESCRIPTION_LENGTH));
    Ok(checked.transpose()?.filter(|text| !text.is_empty()))
}

/// Checks the change of a description. `None`: unchanged.
pub(crate) fn description_change(given: Patch<String>) -> Result<Option<Option<String>>> {
    given.into_change().map(|change| description(change.as_deref())).transpose()
}

/// Makes a slug: the letters and digits of a name in lower case, with one hyphen for each run of other
/// characters. Empty when the name has no letters and digits.
pub(crate) fn slug_of(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slug_of_keeps_letters_and_digits() {
        for (name, slug) in [
            ("Chat helper", "chat-helper"),
            (" The  Näme & Co. 2 ", "the-näme-co-2"),
            ("役割", "役割"),
            ("***", ""),
        ] {
            assert_eq!(slug_of(name), slug);
        }
    }

    #[test]
    fn description_that_is_empty_is_none() {
        assert_eq!(description(Some("  ")), Ok(None));
        assert_eq!(description(None), Ok(None));
        assert_eq!(description_change(Patch::Absent), Ok(None));
        assert_eq!(description_change(Patch::Null), Ok(Some(None)));
        assert!(description(Some(&"x".repeat(501))).is_err());
    }
}
