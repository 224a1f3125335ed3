//! Messages of errors with their codes.

use super::{Index, code, markdown_table};
use crate::{
    source::{Source, messages::Text},
    text::names::screaming,
};

/// Codes whose messages are replaced by a general one.
const CLOSED: [&str; 3] = ["Code::InternalServerError", "Code::DatabaseError", "Code::RedisError"];

/// A message that callers can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub path: String,
    pub line: usize,
    pub code: String,
    pub text: String,
}

/// Returns the messages of the product.
#[must_use]
pub fn all(index: &Index<'_>) -> Vec<Known> {
    index.product.iter().flat_map(|source| of_source(index, source)).collect()
}

/// Returns the table of the messages of sources.
#[must_use]
pub fn table(index: &Index<'_>, sources: &[&Source]) -> String {
    let messages = sources.iter().flat_map(|source| of_source(index, source));
    let mut rows: Vec<Vec<String>> =
        messages.map(|message| vec![code(&message.code), code(&flat(&message.text))]).collect();
    rows.sort();
    rows.dedup();
    markdown_table(&["Code", "Message"], &rows)
}

/// Joins the lines of a message.
#[must_use]
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn of_source(index: &Index<'_>, source: &Source) -> Vec<Known> {
    let known = source.facts.messages.iter().filter_map(|message| {
        let text = match &message.text {
            Text::Literal(text) => text,
            Text::Constant(name) => index.constant(source, name)?,
            Text::Constructor(_) | Text::Forwarded(..) => return None,
        };
        let variant = index.variant(source, &message.code)?;
        let is_shown = !text.is_empty() && !CLOSED.contains(&variant);
        is_shown.then(|| Known {
            path: source.path.clone(),
            line: message.line,
            code: code_text(index, variant),
            text: text.to_owned(),
        })
    });
    known.collect()
}

/// Text of a code, as its enum gives it.
fn code_text(index: &Index<'_>, variant: &str) -> String {
    let (owner, name) = variant.split_once("::").unwrap_or(("", variant));
    index.text(owner, name).map_or_else(|| screaming(name), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_joins_lines() {
        assert_eq!(flat("a\n  b"), "a b");
    }
}
