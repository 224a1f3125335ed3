//! Patterns: regular expressions of a linear-time engine, all of an account tried in one pass.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// Bounds of one compiled pattern and of all of an account together. A pattern of 512 characters (specification C
/// B2) that stays within its own is accepted at upload.
const PATTERN_BYTES: usize = 1024 * 1024;
const SET_BYTES: usize = 32 * 1024 * 1024;
/// Sizes that most patterns stay within, in bytes.
const SMALL_PATTERNS: [usize; 3] = [8 * 1024, 32 * 1024, 128 * 1024];
/// Cache of the lazy automaton, one for each thread that matches.
const CACHE_BYTES: usize = 1024 * 1024;

/// The compiled patterns of an account.
#[derive(Debug, Default)]
pub struct Patterns {
    /// `None` when the patterns are too large together: then each is tried by itself.
    set: Option<RegexSet>,
    /// For the groups of a pattern that matched, with its position in what was given.
    patterns: Vec<(usize, Regex)>,
    /// An upper bound of what the compiled patterns take.
    bytes: usize,
}

impl Patterns {
    /// Compiles the expressions, whose positions [`Patterns::find`] answers. One that does not compile is left out
    /// and said in the log: the manifest's check has let it pass, so the two disagree.
    pub fn new<'a>(expressions: impl IntoIterator<Item = &'a str>) -> Self {
        Self::within(expressions, SET_BYTES)
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
            .dfa_size_limit(CACHE_BYTES)
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

    /// An upper bound of the memory that the compiled patterns take.
    pub const fn size_bytes(&self) -> usize {
        self.bytes
    }

    /// Whether one of the patterns matches.
    pub fn is_in(&self, text: &str) -> bool {
        match &self.set {
            Some(set) => set.is_match(text),
            None => self.patterns.iter().any(|(_, regex)| regex.is_match(text)),
        }
    }

    /// Positions of the patterns that match, each with its groups.
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

/// The compiled expression and the smallest of a few bounds that it stays within: how much it takes exactly the
/// engine does not say.
fn compile(expression: &str) -> Option<(Regex, usize)> {
    let build = |bytes| RegexBuilder::new(expression).size_limit(bytes).dfa_size_limit(CACHE_BYTES).build();
    let small = SMALL_PATTERNS.into_iter().find_map(|bytes| Some((build(bytes).ok()?, bytes)));
    small.or_else(|| {
        build(PATTERN_BYTES)
            .inspect_err(|error| tracing::warn!(%error, "a pattern of an extension cannot be compiled"))
            .ok()
            .map(|regex| (regex, PATTERN_BYTES))
    })
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
    fn patterns_that_are_too_large_together_are_tried_one_by_one() {
        let expressions = [r"(?i)hello (\w+)", "never", "w"];
        let (together, alone) = (Patterns::new(expressions), Patterns::within(expressions, 100));
        assert!(together.set.is_some() && alone.set.is_none());
        assert_eq!(alone.find("Hello world"), together.find("Hello world"));
        assert_eq!(alone.find("Hello world").len(), 2);
        assert!(alone.size_bytes() > 0 && alone.size_bytes() < together.size_bytes());
    }

    #[test]
    fn a_pattern_that_explodes_is_left_out_and_the_others_stay() {
        let patterns = Patterns::new([r"(?:\w{500}){500}", "ok"]);
        assert_eq!(patterns.find("ok").len(), 1);
    }
}
