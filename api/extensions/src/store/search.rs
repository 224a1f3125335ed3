//! Text of the store's search.

use api_core::{Result, validate};

const MAX_LENGTH: usize = 100;

/// A parsed search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Search {
    /// No text: every extension is listed.
    Everything,
    /// A text without a word: nothing is found.
    Nothing,
    /// Words in the syntax of PostgreSQL's text search.
    Words(String),
}

impl Search {
    /// Parses the text of a search.
    ///
    /// # Errors
    /// 400 for a text of more than 100 characters.
    pub(super) fn parse(text: Option<&str>) -> Result<Self> {
        let text = validate::text("search", text.unwrap_or_default(), 0, MAX_LENGTH)?;
        if text.is_empty() {
            return Ok(Self::Everything);
        }
        // Letters and digits only, so that the text holds no operator.
        let words =
            text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(|word| format!("{}:*", word.to_lowercase())).collect();
        Ok(if words.is_empty() { Self::Nothing } else { Self::Words(words.join(" & ")) })
    }

    pub(super) fn words(&self) -> Option<&str> {
        match self {
            Self::Words(words) => Some(words),
            Self::Everything | Self::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_beginnings_of_words_and_nothing_is_an_operator() {
        for (text, search) in [
            (None, Search::Everything),
            (Some("  "), Search::Everything),
            (Some("!&|()"), Search::Nothing),
            (Some("Chat bo"), Search::Words("chat:* & bo:*".into())),
            (Some("a'b:* | c"), Search::Words("a:* & b:* & c:*".into())),
        ] {
            assert_eq!(Search::parse(text).unwrap(), search, "{text:?}");
        }
        assert!(Search::parse(Some(&"x".repeat(101))).is_err());
    }
}
