//! Keywords: whole words in a message, whatever their case.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};

/// Finds every keyword of an account in one pass over a message.
#[derive(Debug, Default)]
pub struct Keywords {
    /// `None` without keywords.
    automaton: Option<AhoCorasick>,
    boundaries: Boundaries,
}

/// Boundaries of a keyword's occurrence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Boundaries {
    /// Not as part of a longer word.
    #[default]
    Words,
    /// Anywhere, also inside a word.
    Anywhere,
}

impl Keywords {
    /// Compiles the values; [`Keywords::find`] returns their positions. Empty values never match. When the
    /// automaton cannot be built, which takes more text than any feed holds, nothing matches.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        Self::bounded(values, Boundaries::Words)
    }

    /// Compiles keywords within these boundaries.
    pub fn bounded<'a>(values: impl IntoIterator<Item = &'a str>, boundaries: Boundaries) -> Self {
        let values: Vec<String> = values.into_iter().map(|value| value.trim().to_lowercase()).collect();
        if values.iter().all(String::is_empty) {
            return Self::default();
        }
        let built = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&values);
        Self {
            boundaries,
            automaton: built
                .inspect_err(|error| tracing::error!(%error, "the keywords cannot be compiled"))
                .ok(),
        }
    }

    /// Returns the memory of the automaton in bytes.
    pub fn size_bytes(&self) -> usize {
        self.automaton.as_ref().map_or(0, AhoCorasick::memory_usage)
    }

    /// True when one of the keywords is in `text`, which must be in lower case.
    pub fn is_in(&self, text: &str) -> bool {
        self.automaton.as_ref().is_some_and(|automaton| {
            let mut found = automaton.find_overlapping_iter(text);
            found.any(|found| !found.is_empty() && self.counts(text, found.start(), found.end()))
        })
    }

    /// Returns the positions of the keywords in `text`, which must be in lower case, in ascending order.
    pub fn find(&self, text: &str) -> BTreeSet<usize> {
        let Some(automaton) = &self.automaton else { return BTreeSet::new() };
        automaton
            .find_overlapping_iter(text)
            .filter(|found| !found.is_empty() && self.counts(text, found.start(), found.end()))
            .map(|found| found.pattern().as_usize())
            .collect()
    }

    fn counts(&self, text: &str, start: usize, end: usize) -> bool {
        self.boundaries == Boundaries::Anywhere || is_whole(text, start, end)
    }
}

/// True when the occurrence is no part of a longer word: a keyword that begins or ends with a letter or digit
/// must end there.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (before, found, after) = (&text[..start], &text[start..end], &text[end..]);
    let joined = |left: Option<char>, right: Option<char>| {
        left.is_some_and(char::is_alphanumeric) && right.is_some_and(char::is_alphanumeric)
    };
    !joined(before.chars().next_back(), found.chars().next())
        && !joined(found.chars().next_back(), after.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[&str], text: &str) -> Vec<usize> {
        Keywords::new(values.iter().copied()).find(&text.to_lowercase()).into_iter().collect()
    }

    #[test]
    fn keywords_are_whole_words_in_any_case() {
        let values = ["gg", "Good Game", "über", "c++", ":)"];
        assert_eq!(found(&values, "GG!"), [0]);
        assert_eq!(found(&values, "that was a good game, gg"), [0, 1]);
        assert_eq!(found(&values, "eggs and ggs"), [] as [usize; 0]);
        assert_eq!(found(&values, "ÜBER alles"), [2]);
        assert_eq!(found(&values, "überall"), [] as [usize; 0]);
        assert_eq!(found(&values, "I write c++ :)"), [3, 4]);
    }

    #[test]
    fn keywords_that_are_empty_match_nothing() {
        assert_eq!(found(&[], "text"), [] as [usize; 0]);
        assert_eq!(found(&["", " "], "text"), [] as [usize; 0]);
        assert_eq!(found(&["", "text"], "text"), [1]);
    }
}
