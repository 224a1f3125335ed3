//! Rules that distinguish ids of persons from other numbers and words in data of extension handlers
//! (reference/privacy.md#ids-in-texts).

use std::sync::LazyLock;

use regex::Regex;

/// Characters from which an id counts anywhere in a text. A shorter one has other meanings as well, in every
/// account: it counts only beside the name of its platform, or in a field for ids.
pub const MIN_ID_LENGTH: usize = 6;

/// Regular expression of the names of fields for ids: `id`, `viewer_ids`, `x-user-id`, `userId`, `userIDs`;
/// not `paid`, `said` or `grid`. It means the same to PostgreSQL (`like_regex`, without a flag).
pub const FIELD_FOR_IDS: &str = "(^|[^A-Za-z0-9])[Ii][Dd][Ss]?$|I[Dd]s?$";

/// Regular expression of the names of fields for names of people: `user_name`, `username`, `displayName`,
/// `login`, `viewer`; not `name` alone, which things have as well.
const FIELD_FOR_NAMES: &str = "(?i)(user|display|chatter|viewer|author|nick|login|sender|target)[_ -]?names?$|(^|[^a-z0-9])(user|login|nick|viewer|chatter|author|sender)s?$";

#[expect(clippy::expect_used, reason = "a literal of this file; its test reads it")]
static NAME_FIELD: LazyLock<Regex> = LazyLock::new(|| Regex::new(FIELD_FOR_NAMES).expect("an expression"));

/// True for the name of a field that holds names of people, and for any text that ends with such a name.
#[must_use]
pub fn is_field_for_names(name: &str) -> bool {
    NAME_FIELD.is_match(name)
}

#[expect(clippy::expect_used, reason = "a literal of this file; its test reads it")]
static FIELD: LazyLock<Regex> = LazyLock::new(|| Regex::new(FIELD_FOR_IDS).expect("an expression"));

/// True for the name of a field that holds ids, and for any text that ends with such a name.
#[must_use]
pub fn is_field_for_ids(name: &str) -> bool {
    FIELD.is_match(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_field_for_names_needs_a_person_in_the_name() {
        for name in [
            "user_name",
            "userName",
            "username",
            "DISPLAY_NAME",
            "x displayName",
            "login",
            "viewer",
            "authorName",
        ] {
            assert!(is_field_for_names(name), "{name}");
        }
        for name in ["", "name", "reward_name", "file", "superuser_id", "reviewer", "filename"] {
            assert!(!is_field_for_names(name), "{name}");
        }
    }

    #[test]
    fn is_field_for_ids_needs_id_as_the_last_word() {
        for name in [
            "id",
            "ids",
            "Id",
            "ID",
            "IDs",
            "user_id",
            "viewer_ids",
            "VIEWER_IDS",
            "x-user-id",
            "userId",
            "userID",
            "viewerIds",
            "viewerIDs",
            "{\"last user id",
        ] {
            assert!(is_field_for_ids(name), "{name}");
        }
        for name in
            ["", "paid", "Paid", "said", "valid", "raid", "grid", "bids", "kids", "idle", "user_id_2", "i_d"]
        {
            assert!(!is_field_for_ids(name), "{name}");
        }
    }
}
