//! Patterns: regular expressions of a linear-time engine, all of an account tried in one pass.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// Maximum size of one compiled pattern, in bytes. Larger than the bound at upload
/// (reference/extensions.md#bot-module).
const MAX_PATTERN_BYTES: usize = 1024 * 1024;
/// Maximum size of all patterns of an account in one set, in bytes.
const MAX_SET_BYTES: usize = 32 * 1024 * 1024;
/// Sizes that most patterns stay within, in bytes.
const SMALL_PATTERNS: [usize; 3] = [8 * 1024, 32 * 1024, 128 * 1024];
/// Cache of the lazy automaton, one for each thread that matches, in bytes.
const LAZY_DFA_CACHE_BYTES: usize = 1024 * 1024;

/// Compiled patterns of an account.
#[derive(Debug, Default)]
pub struct Patterns {
    /// `None` when the patterns are too large together: then each is tried by itself.
    set: Option<RegexSet>,
    /// For the groups of a matching pattern, with its position in the input.
    patterns: Vec<(usize, Regex)>,
    /// Upper bound of the compiled patterns' memory.
    bytes: usize,
}

impl Patterns {
    /// Compiles the expressions; [`Patterns::find`] returns their positions. One that does not compile is
    /// skipped and logged: the manifest's check has accepted it, so the two disagree.
    pub fn new<'a>(expressions: impl IntoIterator<Item = &'a str>) -> Self {
        Self::within(expressions, MAX_SET_BYTES)
    }

    fn within<'a>(expressions: impl IntoIterator<Item = &'a str>, set_bytes: usize) -> Self {
        let (mut patterns, mut bytes) = (Vec::new(), 0);
        for (position, expression) in expressions.into_iter().enumerate() {
            if let Some((regex, size)) = compile(expression) {
                patterns.push((position, regex));
                bytes += size;
            }
        }
        let set = RegexSetBuilder::new(patterns.iter().map(|(_, regex)| regex.as_str()))
            .size_limit(set_bytes)
            .dfa_size_limit(LAZY_DFA_CACHE_BYTES)
            .build()
            .inspect_err(|error| {
                let patterns = patterns.len();
                tracing::warn!(%error, patterns, "patterns of an account are matched one by one");
            })
            .ok();
        if set.is_some() {
            // The set holds every pattern once more.
            bytes += bytes.min(set_bytes);
        }
        Self { set, patterns, bytes }
    }

    /// Returns an upper bound of the compiled patterns' memory in bytes.
    pub const fn size_bytes(&self) -> usize {
        self.bytes
    }

    /// True when one of the patterns matches.
    pub fn is_in(&self, text: &str) -> bool {
        match &self.set {
            Some(set) => set.is_match(text),
            None => self.patterns.iter().any(|(_, regex)| regex.is_match(text)),
        }
    }

    /// Returns the positions of the matching patterns, each with its groups.
    pub fn find(&self, text: &str) -> Vec<(usize, Vec<Option<String>>)> {
        if self.patterns.is_empty() {
            return Vec::new();
        }
        let found = |(position, regex): &(usize, Regex)| Some((*position, groups(regex, text)?));
        match &self.set {
            Some(set) => {
                set.matches(text).into_iter().filter_map(|index| found(self.patterns.get(index)?)).collect()
            }
            None => self.patterns.iter().filter_map(found).collect(),
        }
    }
}

/// Returns the compiled expression and the smallest of a few bounds that it stays within: the engine does not
/// report its exact size.
fn compile(expression: &str) -> Option<(Regex, usize)> {
    let build =
        |bytes| RegexBuilder::new(expression).size_limit(bytes).dfa_size_limit(LAZY_DFA_CACHE_BYTES).build();
    let small = SMALL_PATTERNS.into_iter().find_map(|bytes| Some((build(bytes).ok()?, bytes)));
    small.or_else(|| {
        build(MAX_PATTERN_BYTES)
            .inspect_err(|error| tracing::warn!(%error, "a pattern of an extension cannot be compiled"))
            .ok()
            .map(|regex| (regex, MAX_PATTERN_BYTES))
    })
}

/// Returns the whole match, then each group; null for a group that took no part.
fn groups(regex: &Regex, text: &str) -> Option<Vec<Option<String>>> {
    let captures = regex.captures(text)?;
    Some(captures.iter().map(|group| group.map(|group| group.as_str().to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_return_matches_with_their_groups() {
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
    fn patterns_that_are_too_large_together_are_tried_one_by_one() {
        let expressions = [r"(?i)hello (\w+)", "never", "w"];
        let (together, alone) = (Patterns::new(expressions), Patterns::within(expressions, 100));
        assert!(together.set.is_some() && alone.set.is_none());
        assert_eq!(alone.find("Hello world"), together.find("Hello world"));
        assert_eq!(alone.find("Hello world").len(), 2);
        assert!(alone.size_bytes() > 0 && alone.size_bytes() < together.size_bytes());
    }

    #[test]
    fn patterns_above_the_size_limit_are_skipped() {
        let patterns = Patterns::new([r"(?:\w{500}){500}", "ok"]);
        assert_eq!(patterns.find("ok").len(), 1);
    }
}
