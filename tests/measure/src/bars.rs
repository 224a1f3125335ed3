//! Bars of the measures and the few names that a checkout has to give.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};
use serde::Deserialize;

/// `tests/measure/bars.toml`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    /// Highest value of each row; a row without one is only shown.
    pub bars: BTreeMap<String, usize>,
    /// Folders whose packages are no part of the product.
    pub tests: Vec<String>,
    pub access: Access,
    #[serde(default)]
    pub names: Names,
    #[serde(default)]
    pub vocabulary: Vocabulary,
}

/// Reach of the access layer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Folder of the operations.
    pub folder: String,
    /// Folders in it that may open databases.
    pub may_connect: Vec<String>,
    /// Folders in it that may make account ids; files and folders named `db` may too.
    pub may_make_ids: Vec<String>,
}

/// Names of tests.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// Beginnings of test names beside operations and modules.
    #[serde(default)]
    pub subjects: Vec<String>,
}

/// Exceptions from the vocabulary.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vocabulary {
    /// Identifiers that are names of the wire or of another project.
    #[serde(default)]
    pub allowed: Vec<String>,
}

impl Bars {
    /// Reads the bars.
    ///
    /// # Errors
    /// A file that is missing or malformed.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is wrong", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_of_the_repository_are_readable() {
        let bars = Bars::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("bars.toml")).unwrap();
        assert_eq!(bars.bars.get("crate-lines"), Some(&14000));
    }
}
