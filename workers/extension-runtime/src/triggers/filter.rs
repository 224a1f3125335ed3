//! Filter of an export that moderates messages (reference/extensions.md#bot-module).

use extension_model::feeds::MessageFilter;

use super::{
    keywords::{Boundaries, Keywords},
    patterns::Patterns,
};

/// Finds messages that hold one of the words or patterns.
#[derive(Debug)]
pub(super) struct Filter {
    words: Keywords,
    patterns: Patterns,
}

impl Filter {
    /// Compiles the words and patterns of a feed.
    pub fn new(filter: &MessageFilter) -> Self {
        let boundaries = if filter.whole_words { Boundaries::Words } else { Boundaries::Anywhere };
        Self {
            words: Keywords::bounded(filter.words.iter().map(String::as_str), boundaries),
            patterns: Patterns::new(filter.patterns.iter().map(String::as_str)),
        }
    }

    /// True when the text matches; `lowered` is the text in lower case.
    pub fn finds(&self, text: &str, lowered: &str) -> bool {
        self.words.is_in(lowered) || self.patterns.is_in(text)
    }

    /// Returns the approximate memory in bytes.
    pub fn size_bytes(&self) -> usize {
        self.words.size_bytes() + self.patterns.size_bytes()
    }
}
