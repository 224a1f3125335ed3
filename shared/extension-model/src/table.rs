//! Tables of an extension's own storage (reference/extensions.md#manifest).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A table of the extension's own storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Owner of the rows.
    #[serde(default)]
    pub scope: TableScope,
    /// Columns by name: a type name, or an object with `type` and `optional`.
    pub columns: BTreeMap<String, Value>,
}

/// Owner of a table's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableScope {
    /// The install.
    #[default]
    Instance,
    /// The account, for all its installs of the extension.
    Account,
}
