//! Patterns: regular expressions of a linear-time engine, all of an account tried in one pass.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// Bounds of one compiled pattern and of all of an account together. A pattern of 512 characters (specification C
/// B2) that stays within its own is accepted at upload.
const PATTERN_BYTES: usize = 1024 * 1024;
const SET_BYTES: usize = 32 * 1024 * 1024;
/// Cache of the lazy automaton, one for each thread that matches.
const CACHE_BYTES: usize = 1024 * 1024;

/// The compiled patterns of an account.
#[derive(Debug, Default)]
pub struct Patterns {
    set: RegexSet,
    /// For the groups of a pattern that matched, with its position in what was given.
    patterns: Vec<(usize, Regex)>,
}

impl Patterns {
    /// Compiles the expressions, whose positions [`Patterns::find`] answers. One that does not compile is left out
    /// and said in the log: the manifest's check has let it pass, so the two disagree.
    pub fn new<'a>(expressions: impl IntoIterator<Item = &'a str>) -> Self {
        let patterns: Vec<(usize, Regex)> = expressions
            .into_iter()
            .enumerate()
            .filter_map(|(position, expression)| Some((position, compile(expression)?)))
            .collect();
        let set = RegexSetBuilder::new(patterns.iter().map(|(_, regex)| regex.as_str()))
            .size_limit(SET_BYTES)
            .dfa_size_limit(CACHE_BYTES)
            .build();
        match set {
            Ok(set) => Self { set, patterns },
            Err(error) => {
                tracing::error!(%error, patterns = patterns.len(), "the patterns of an account are too large");
                Self::default()
            }
        }
    }

    /// Positions of the patterns that match, each with its groups.
    pub fn find(&self, text: &str) -> Vec<(usize, Vec<Option<String>>)> {
        if self.patterns.is_empty() {
            return Vec::new();
        }
        self.set
            .matches(text)
            .into_iter()
            .filter_map(|index| {
                let (position, regex) = self.patterns.get(index)?;
                Some((*position, groups(regex, text)?))
            })
            .collect()
    }
}

fn compile(expression: &str) -> Option<Regex> {
    RegexBuilder::new(expression)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(CACHE_BYTES)
        .build()
        .inspect_err(|error| tracing::warn!(%error, "a pattern of an extension cannot be compiled"))
        .ok()
}

/// The whole match, then each group; null where a group took no part.
fn groups(regex: &Regex, text: &str) -> Option<Vec<Option<String>>> {
    let captures = regex.captures(text)?;
    Some(captures.iter().map(|group| group.map(|group| group.as_str().to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_match_comes_with_its_groups() {
        let patterns = Patterns::new(["(unclosed", r"(?i)hello (\w+)(!)?", "never", r"w"]);
        assert_eq!(
            patterns.find("Hello world"),
            [
                (1, vec![Some("Hello world".to_owned()), Some("world".to_owned()), None]),
                (3, vec![Some("w".to_owned())]),
            ]
        );
    }

    #[test]
    fn a_pattern_that_explodes_is_left_out_and_the_others_stay() {
        let patterns = Patterns::new([r"(?:\w{500}){500}", "ok"]);
        assert_eq!(patterns.find("ok").len(), 1);
    }
}
