//! Limits of developers and extensions (reference/developer-limits.md#resolution): an override of the
//! extension, else one of its developer, else the default of the platform.

mod cache;
mod key;
mod queries;

use std::collections::BTreeMap;

pub use cache::LimitCache;
pub use key::{LimitDefinition, LimitKey};
pub use queries::{
    clear_override, for_developer, for_extension, of_developer, of_extension, of_install, of_user,
    set_override,
};

/// Source of a limit's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSource {
    /// Default of the platform.
    Default,
    /// Override of the developer.
    Developer,
    /// Override of the extension.
    Extension,
}

impl LimitSource {
    /// Returns the name in answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Developer => "developer_override",
            Self::Extension => "extension_override",
        }
    }
}

/// Subject of an override.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSubject {
    /// Developer: the default of all their extensions.
    Developer(uuid::Uuid),
    /// One extension.
    Extension(uuid::Uuid),
}

/// Limits of one developer or extension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedLimits {
    overrides: BTreeMap<LimitKey, (i64, LimitSource)>,
}

impl ResolvedLimits {
    /// Returns the value in force.
    #[must_use]
    pub fn value(&self, key: LimitKey) -> i64 {
        self.overridden(key).unwrap_or(key.default_value())
    }

    /// Returns the value in force as a size or count.
    #[must_use]
    pub fn size(&self, key: LimitKey) -> usize {
        usize::try_from(self.value(key)).unwrap_or(0)
    }

    /// Returns the value of the override in force; `None` without one.
    #[must_use]
    pub fn overridden(&self, key: LimitKey) -> Option<i64> {
        self.overrides.get(&key).map(|(value, _)| *value)
    }

    /// Returns the source of the value in force.
    #[must_use]
    pub fn source(&self, key: LimitKey) -> LimitSource {
        self.overrides.get(&key).map_or(LimitSource::Default, |(_, source)| *source)
    }

    /// Adds an override. One of the extension has priority over one of the developer.
    fn add(&mut self, key: LimitKey, value: i64, source: LimitSource) {
        if source == LimitSource::Extension || !self.overrides.contains_key(&key) {
            self.overrides.insert(key, (value, source));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolved_limits_prefer_the_extension_then_the_developer_then_the_default() {
        let (key, mut limits) = (LimitKey::MaxSecrets, ResolvedLimits::default());
        assert_eq!((limits.value(key), limits.source(key)), (20, LimitSource::Default));
        limits.add(key, 3, LimitSource::Developer);
        assert_eq!((limits.value(key), limits.source(key)), (3, LimitSource::Developer));
        limits.add(key, 2, LimitSource::Extension);
        limits.add(key, 4, LimitSource::Developer);
        assert_eq!((limits.value(key), limits.source(key)), (2, LimitSource::Extension));
    }
}
