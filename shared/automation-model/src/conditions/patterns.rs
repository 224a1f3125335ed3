//! Regular expressions of conditions and filters (reference/automations.md#regular-expressions).
//!
//! Anybody may write one, so each use is bounded: a graph has a number of them, a compiled one has a size, those that
//! are kept have a size together, and a step or a start has an effort. None of the bounds depends on the time that a
//! machine takes, so that a resumed run decides as before.

use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicU64, Ordering},
};

use moka::sync::Cache;
use regex_automata::{
    Input,
    meta::{BuildError, Regex},
};
use serde_json::Value;

use crate::model::Node;

/// Maximum length of a regular expression, in characters (reference/automations.md#regular-expressions).
pub const MAX_PATTERN_LENGTH: usize = 512;
/// Maximum size of a compiled regular expression, in bytes (reference/automations.md#regular-expressions).
pub const MAX_PATTERN_BYTES: usize = 256 * 1024;
/// Maximum number of regular expressions of a graph (reference/automations.md#regular-expressions).
pub const MAX_PATTERNS: usize = 50;
/// Maximum size of all compiled regular expressions of a graph, those that search backwards included, in bytes
/// (reference/automations.md#regular-expressions).
const MAX_GRAPH_PATTERN_BYTES: usize = 2 * 1024 * 1024;
/// Maximum effort of the regular expressions of a step: size of each in bytes times the length of its text in bytes
/// (reference/automations.md#regular-expressions).
const MAX_STEP_EFFORT: u64 = 16 * 1024 * 1024 * 1024;
/// Maximum effort of the regular expressions of all filters that a line or event is compared with
/// (reference/automations.md#regular-expressions).
const MAX_START_EFFORT: u64 = 2 * 1024 * 1024 * 1024;
/// Length of a text, in bytes, that takes as long as to compile the regular expression.
const COMPILATION_LENGTH: usize = 256;
/// Maximum size of the compiled regular expressions that a process keeps, in bytes.
const MAX_KEPT_BYTES: u64 = 32 * 1024 * 1024;
/// Memory of a kept regular expression beyond its text and its compiled form, in bytes.
const OVERHEAD: usize = 512;

/// Compiled regular expressions by their texts. Runs and triggers hold none, so that their number takes no memory.
static COMPILED: LazyLock<Cache<String, Arc<Compiled>>> = LazyLock::new(|| {
    Cache::builder()
        .weigher(|text: &String, compiled: &Arc<Compiled>| {
            u32::try_from(text.len() + compiled.bytes + OVERHEAD).unwrap_or(u32::MAX)
        })
        .max_capacity(MAX_KEPT_BYTES)
        .build()
});

/// Regular expression. It is compiled when it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

/// Compiled regular expression.
#[derive(Debug)]
struct Compiled {
    regex: Regex,
    bytes: usize,
}

/// Effort that regular expressions may still take.
#[derive(Debug)]
pub struct Effort {
    left: AtomicU64,
}

impl Effort {
    /// Effort of a step.
    #[must_use]
    pub const fn of_step() -> Self {
        Self { left: AtomicU64::new(MAX_STEP_EFFORT) }
    }

    /// Effort of the filters that one line or event is compared with.
    #[must_use]
    pub const fn of_start() -> Self {
        Self { left: AtomicU64::new(MAX_START_EFFORT) }
    }

    /// Takes the effort of a use. Beyond the bound nothing is left for later ones either.
    fn take(&self, bytes: usize, length: usize) -> Result<(), String> {
        let factor = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let taken = factor(bytes).saturating_mul(factor(length.saturating_add(COMPILATION_LENGTH)));
        let rest = |left: u64| Some(left.saturating_sub(taken));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        match before {
            Ok(left) if left > taken => Ok(()),
            _ => Err("the regular expressions are too large for texts of this length".to_owned()),
        }
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self::of_start()
    }
}

impl Pattern {
    /// Reads a regular expression. Whether it can be compiled is found by its use, or by the validation of a graph.
    ///
    /// # Errors
    /// A text that is empty or too long.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.chars().count() > MAX_PATTERN_LENGTH {
            return Err(format!("a regular expression must have 1 to {MAX_PATTERN_LENGTH} characters"));
        }
        Ok(Self(text.to_owned()))
    }

    /// True when it matches in a text.
    ///
    /// # Errors
    /// One that cannot be compiled, or no effort that is left.
    pub fn is_in(&self, text: &str, effort: &Effort) -> Result<bool, String> {
        // An effort of nothing fails when nothing is left, before anything is compiled.
        effort.take(0, 0)?;
        let compiled = match self.compiled() {
            Ok(compiled) => compiled,
            Err(message) => {
                effort.take(MAX_PATTERN_BYTES, 0)?;
                return Err(message);
            }
        };
        effort.take(compiled.bytes, text.len())?;
        Ok(compiled.is_in(text))
    }

    fn compiled(&self) -> Result<Arc<Compiled>, String> {
        if let Some(kept) = COMPILED.get(&self.0) {
            return Ok(kept);
        }
        let compiled = Arc::new(Compiled::of(&self.0)?);
        COMPILED.insert(self.0.clone(), Arc::clone(&compiled));
        Ok(compiled)
    }
}

impl Compiled {
    /// Compiles a regular expression. The engine is linear in the text, whatever the expression.
    fn of(text: &str) -> Result<Self, String> {
        let config = Regex::config()
            .nfa_size_limit(Some(MAX_PATTERN_BYTES))
            .hybrid_cache_capacity(MAX_PATTERN_BYTES)
            // Only groups need it, and its size has another bound.
            .onepass(false);
        let regex = Regex::builder()
            .configure(config)
            .build(text)
            .map_err(|error| format!("the regular expression cannot be used: {}", reason(&error)))?;
        let bytes = regex.memory_usage();
        Ok(Self { regex, bytes })
    }

    /// True when it matches in a text. The memory of the search is released with it; that of `Regex::is_match` is
    /// kept for each thread.
    fn is_in(&self, text: &str) -> bool {
        let mut cache = self.regex.create_cache();
        self.regex.search_half_with(&mut cache, &Input::new(text).earliest(true)).is_some()
    }
}

fn reason(error: &BuildError) -> String {
    if error.size_limit().is_some() {
        return format!("it has more than {MAX_PATTERN_BYTES} bytes when compiled");
    }
    error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Sizes that the regular expressions of a graph may still have.
#[derive(Debug)]
pub struct Budget {
    bytes: usize,
}

impl Budget {
    /// Budget of a graph.
    pub const fn of_graph() -> Self {
        Self { bytes: MAX_GRAPH_PATTERN_BYTES }
    }

    /// Takes the size of a regular expression. `Ok(false)` when the graph has too much of them.
    ///
    /// # Errors
    /// One that cannot be compiled.
    pub fn take(&mut self, pattern: &Pattern) -> Result<bool, String> {
        let left = self.bytes.checked_sub(pattern.compiled()?.bytes);
        self.bytes = left.unwrap_or_default();
        Ok(left.is_some())
    }

    /// Message for a graph that has too much of them.
    pub fn exceeded() -> String {
        let bytes = MAX_GRAPH_PATTERN_BYTES;
        format!("The regular expressions of a graph must have at most {bytes} bytes together when compiled")
    }
}

/// Checks the number of regular expressions of a graph.
///
/// # Errors
/// Too many.
pub fn check_number(number: usize) -> Result<(), String> {
    if number <= MAX_PATTERNS {
        return Ok(());
    }
    Err(format!("A graph must have at most {MAX_PATTERNS} regular expressions"))
}

/// Returns the regular expressions that a node may match with, also when its configuration is not valid.
pub fn of_node(node: &Node) -> Vec<&str> {
    let mut found = Vec::new();
    if ["condition", "event"].contains(&node.r#type.as_str()) {
        collect(&node.config, &mut found);
    }
    found
}

fn collect<'a>(config: &'a Value, found: &mut Vec<&'a str>) {
    match config {
        Value::Object(object) => {
            if object.get("op").and_then(Value::as_str) == Some("matches") {
                // The right side of a comparison, and that of a filter.
                let sides = ["right", "value"].into_iter().filter_map(|side| object.get(side)?.as_str());
                found.extend(sides);
            }
            for value in object.values() {
                collect(value, found);
            }
        }
        Value::Array(list) => {
            for value in list {
                collect(value, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Position;

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).unwrap()
    }

    #[test]
    fn patterns_match_as_regular_expressions_do() {
        let effort = Effort::of_step();
        let is_in = |text: &str, of: &str| pattern(of).is_in(text, &effort).unwrap();
        for (text, of) in [
            ("hello", "^h(el)+lo$"),
            ("say HELLO", "(?i)hello"),
            ("Grüße", r"^\w+$"),
            ("a\nb", "(?m)^b$"),
            ("anything", "x*"),
            ("ends with this", "this$"),
            ("a b", r"\bb\b"),
            ("ü b", r"\b{start}b"),
        ] {
            assert!(is_in(text, of), "{of} in {text}");
            assert!(is_in(text, of), "also when it is compiled already");
        }
        assert!(!is_in("hello", "^ello") && !is_in("", "a") && !is_in("ab", r"\bb"));
    }

    #[test]
    fn patterns_that_are_too_large_or_malformed_are_named() {
        let message = |of: &str| pattern(of).is_in("a", &Effort::of_step()).unwrap_err();
        assert!(message(r"(\w{200}){200}").ends_with("it has more than 262144 bytes when compiled"));
        assert!(message("(a").contains("unclosed group"), "{}", message("(a"));
        assert!(Pattern::parse("").is_err() && Pattern::parse(&"a".repeat(513)).is_err());
    }

    #[test]
    fn patterns_take_an_effort_by_size_and_text() {
        let (large, text) = (pattern(r"\w\w"), "a".repeat(4 * 1024));
        let effort = Effort::of_step();
        assert_eq!(large.is_in("aa", &effort), Ok(true));
        let uses = (0..1_000).take_while(|_| large.is_in(&text, &effort).is_ok()).count();
        assert!((1..100).contains(&uses), "{uses}");
        assert!(large.is_in("aa", &effort).is_err(), "nothing is left");
        assert!(pattern("a").is_in("a", &effort).is_err(), "for another one neither");
        let small = Effort::of_step();
        assert!((0..1_000).all(|_| pattern("a+b").is_in(&"a".repeat(500), &small).is_ok()));
    }

    #[test]
    fn patterns_that_cannot_be_compiled_take_effort_too() {
        let (effort, refused) = (Effort::of_start(), pattern(r"(\w{200}){200}"));
        let last = (0..100).map(|_| refused.is_in("a", &effort).unwrap_err()).last();
        assert!(last.unwrap().contains("too large for texts"));
    }

    #[test]
    fn patterns_of_a_node_are_found_in_groups_and_filters() {
        let node = |r#type: &str, config: Value| Node {
            id: uuid::Uuid::nil(),
            r#type: r#type.to_owned(),
            label: None,
            config,
            position: Position::default(),
            install_id: None,
        };
        let compare = |right: Value| json!({ "left": "a", "op": "matches", "right": right });
        let group = json!({ "any": [compare(json!("a")), compare(json!(5))] });
        let nested = json!({ "all": [group, compare(json!("b"))] });
        assert_eq!(of_node(&node("condition", nested.clone())), ["a", "b"]);
        let filter = |op: &str| json!({ "path": "message", "op": op, "value": "c" });
        let filters = json!({ "event_types": [], "filters": [filter("matches"), filter("eq")] });
        assert_eq!(of_node(&node("event", filters)), ["c"]);
        assert!(of_node(&node("send_chat", nested)).is_empty());
    }
}
