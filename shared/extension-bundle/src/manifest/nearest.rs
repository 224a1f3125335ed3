//! Suggestion of the known name nearest to an unknown one.

/// Maximum number of compared characters of an unknown name.
const MAX_CHARS: usize = 64;

/// Nearest of the known names, without case and `_`; `None` when all are too different.
pub(super) fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let unknown = plain(unknown);
    let farthest = (unknown.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(&unknown, &plain(name)), name))
        .filter(|(distance, _)| *distance <= farthest)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// `; did you mean X?`, or an empty text.
pub(super) fn suggestion<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(unknown, known).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

fn plain(name: &str) -> String {
    let shown = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).take(MAX_CHARS);
    shown.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn nearest_finds_a_close_name_and_no_distant_one() {
        let known = ["permissions", "config_schema", "allowHosts", "allowPorts", "server"];
        for (unknown, meant) in [
            ("permisions", Some("permissions")),
            ("configSchema", Some("config_schema")),
            ("allow_hosts", Some("allowHosts")),
            ("allowPort", Some("allowPorts")),
            ("sevrer", Some("server")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(unknown, known), meant, "{unknown}");
        }
        assert_eq!(nearest(&"x".repeat(1_000_000), known), None);
    }
}
