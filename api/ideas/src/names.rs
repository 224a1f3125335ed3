//! Names of categories and tags (reference/ideas.md#names).

use api_core::{ApiError, Result};

/// Length of the shortest name, in characters (reference/ideas.md#names).
const MIN_NAME_LENGTH: usize = 2;
/// Length of the longest name, in characters (reference/ideas.md#names).
pub(crate) const MAX_NAME_LENGTH: usize = 30;

/// Checks a name and returns it in lower case.
///
/// # Errors
/// 400 that names the field.
pub(crate) fn checked(text: &str) -> Result<String> {
    let name = text.trim().to_ascii_lowercase();
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.chars().all(is_allowed) && (MIN_NAME_LENGTH..=MAX_NAME_LENGTH).contains(&name.len()) {
        return Ok(name);
    }
    Err(ApiError::invalid("name must match ^[a-z0-9-]{2,30}$"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_names_are_in_lower_case() {
        assert_eq!(checked(" Chat-Bot2 ").as_deref(), Ok("chat-bot2"));
        let long = "x".repeat(MAX_NAME_LENGTH + 1);
        for wrong in ["", "a", "a b", "a_b", "ä-b", "a/b", long.as_str()] {
            let message = "name must match ^[a-z0-9-]{2,30}$";
            assert_eq!(checked(wrong), Err(ApiError::invalid(message)), "{wrong}");
        }
    }
}
