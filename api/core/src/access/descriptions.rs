//! Descriptions of operations: the documentation of their functions, which `#[operation]` hands over at the start of
//! the process.

use std::{collections::HashMap, sync::LazyLock};

pub use inventory::submit;

/// Documentation of one function.
pub struct Description {
    /// Name of the function, in snake case.
    pub function: &'static str,
    /// Text in Markdown as it is written above the function.
    pub text: &'static str,
}

inventory::collect!(Description);

/// Published form of a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// First sentence, on one line.
    pub summary: String,
    /// Effects, limits of the effects and errors in Markdown; empty when the summary says all.
    pub details: String,
}

impl Published {
    /// Summary and details.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.summary, self.details).trim_end().to_owned()
    }

    /// Statuses that the list of errors names.
    pub fn statuses(&self) -> impl Iterator<Item = &str> {
        let errors = self.details.split_once("**Errors**").map_or("", |(_, errors)| errors);
        clauses(errors).into_iter().flat_map(leading_statuses)
    }
}

/// Description of the operation of a name in camel case, when its function has one.
#[must_use]
pub fn of_operation(name: &str) -> Option<&'static Published> {
    static BY_NAME: LazyLock<HashMap<String, Published>> = LazyLock::new(|| {
        let all = inventory::iter::<Description>.into_iter();
        all.map(|description| (camel_case(description.function), published(description.text))).collect()
    });
    BY_NAME.get(name)
}

/// Entries of a list of errors, or parts of a sentence of them: `Refusals of the access rule; 404 without one`.
fn clauses(errors: &str) -> Vec<&str> {
    let entries: Vec<&str> = errors.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    if entries.is_empty() { errors.split(';').map(str::trim_start).collect() } else { entries }
}

/// Statuses at the beginning of an entry: `401 or 403 by the access rule`.
fn leading_statuses(entry: &str) -> impl Iterator<Item = &str> {
    let words = entry.split([' ', ':', '\n']);
    words.take_while(|word| *word == "or" || is_status(word)).filter(|word| is_status(word))
}

fn is_status(word: &str) -> bool {
    word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn published(text: &str) -> Published {
    let (summary, details) = text.split_once("\n\n").unwrap_or((text, ""));
    let details = details.replace("# Errors", "**Errors**").replace("(reference/", "(docs/reference/");
    Published { summary: summary.replace('\n', " "), details }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut joined = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        joined.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        joined.push_str(letters.as_str());
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camel_case_joins_words() {
        assert_eq!(camel_case("create_user_api_key"), "createUserApiKey");
        assert_eq!(camel_case("me"), "me");
    }

    #[test]
    fn published_text_names_errors_and_leads_to_the_reference() {
        let published = published(
            "Ends a\nsession.\n\nKeys live on (reference/users.md#own-sessions).\n\n# Errors\n\n- 404",
        );
        assert_eq!(published.summary, "Ends a session.");
        assert_eq!(
            published.details,
            "Keys live on (docs/reference/users.md#own-sessions).\n\n**Errors**\n\n- 404"
        );
        assert!(published.text().starts_with("Ends a session.\n\nKeys"));
        assert_eq!(published.statuses().collect::<Vec<_>>(), ["404"]);
    }

    #[test]
    fn statuses_are_those_at_the_beginning_of_an_entry() {
        let published = published("Does it.\n\n# Errors\n- 401 or 403 by the rule.\n- 404: one of 500 rows.");
        assert_eq!(published.statuses().collect::<Vec<_>>(), ["401", "403", "404"]);
    }

    #[test]
    fn statuses_are_those_at_the_beginning_of_a_part_of_a_sentence() {
        let text =
            "Does it.\n\n# Errors\nRefusals of the access rule; 404 without\none of 500 rows;\n409 else.";
        assert_eq!(published(text).statuses().collect::<Vec<_>>(), ["404", "409"]);
    }
}
