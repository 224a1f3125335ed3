//! Facts of the sources that no chapter of the reference holds.

use crate::{
    checkout::Checkout,
    reference::{Index, catalogue, messages},
    row::{Place, Row},
};

/// Returns operations, event types, messages, limits and close codes that occur in no chapter.
#[must_use]
pub fn row(checkout: &Checkout, index: &Index<'_>) -> Row {
    let chapters = checkout.documents.iter().filter(|(path, _)| path.starts_with("docs/reference/"));
    let text = chapters.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n").replace("\\|", "|");
    let mut places = Vec::new();
    let mut expect = |path: &str, line: usize, kind: &str, fact: &str, is_word: bool| {
        let is_known = if is_word { has_word(&text, fact) } else { text.contains(fact) };
        if !is_known {
            places.push(Place::new(path, line, format!("{kind} {fact}")));
        }
    };
    for source in &index.product {
        for operation in &source.facts.operations {
            expect(&source.path, operation.line, "operation", &operation.name, true);
        }
        for constant in source.facts.constants.iter().filter(|constant| constant.is_limit()) {
            expect(&source.path, constant.line, "limit", &constant.name, true);
        }
        for list in &source.facts.enums.lists {
            for entry in &list.entries {
                expect(&source.path, entry.line, "event type", &entry.texts[0], true);
            }
        }
        for code in catalogue::close_codes(source) {
            expect(&source.path, code.line, "close code", &code.value, true);
        }
    }
    for message in messages::all(index) {
        expect(&message.path, message.line, "message", &messages::flat(&message.text), false);
    }
    Row::of("facts", "facts that no chapter holds", places)
}

/// True when the text holds the word, not within a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_word_compares_whole_words() {
        assert!(
            has_word("| `MAX_A` |", "MAX_A") && !has_word("MAX_AB", "MAX_A") && !has_word("XMAX_A", "MAX_A")
        );
    }
}
