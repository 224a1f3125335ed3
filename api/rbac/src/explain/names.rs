//! Suggestion of the operation nearest to an unknown name.

/// Maximum number of compared characters of an unknown name.
const MAX_CHARS: usize = 64;

/// `; did you mean X?`, or an empty text when every name is too different.
pub(super) fn suggestion<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let unknown = plain(unknown);
    let max_distance = (unknown.chars().count() / 3).max(1);
    let distances = known.into_iter().map(|name| (strsim::osa_distance(&unknown, &plain(name)), name));
    let nearest =
        distances.filter(|(distance, _)| *distance <= max_distance).min_by_key(|(distance, _)| *distance);
    nearest.map_or_else(String::new, |(_, name)| format!("; did you mean {name}?"))
}

/// Text without case and separators: `create_role` is written for `createRole`.
fn plain(name: &str) -> String {
    let shown = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).take(MAX_CHARS);
    shown.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn suggestion_names_a_close_operation_and_no_distant_one() {
        let known = ["createRole", "deleteRole", "roles"];
        assert_eq!(suggestion("create_role", known), "; did you mean createRole?");
        assert_eq!(suggestion("delteRole", known), "; did you mean deleteRole?");
        for distant in ["", "simulate", &"x".repeat(100_000)] {
            assert_eq!(suggestion(distant, known), "", "{distant:.20}");
        }
    }
}
