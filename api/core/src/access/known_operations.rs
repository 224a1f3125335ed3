//! Published operations by name. Only the server knows every domain: it stores them in the state at its start.

use std::collections::BTreeMap;

use super::rule::Rule;

/// Rules by the names of their operations.
pub type RulesByName = BTreeMap<&'static str, &'static Rule>;

/// Operations of the published documents. Empty until the server has stored them.
pub struct KnownOperations(fn() -> &'static RulesByName);

impl KnownOperations {
    /// Operations that a function returns. It is called at the first use, because the documents are built then.
    #[must_use]
    pub const fn new(rules: fn() -> &'static RulesByName) -> Self {
        Self(rules)
    }

    /// Rule of an operation; `None` for an unknown name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static Rule> {
        (self.0)().get(name).copied()
    }

    /// Names of all operations, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        (self.0)().keys().copied()
    }
}

impl Default for KnownOperations {
    fn default() -> Self {
        const fn none() -> &'static RulesByName {
            static NONE: RulesByName = BTreeMap::new();
            &NONE
        }
        Self(none)
    }
}
