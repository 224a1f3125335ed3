//! Counts of an erasure in Redis.

use std::collections::BTreeSet;

use uuid::Uuid;

/// Counts of erased data.
#[derive(Debug, Default)]
pub(super) struct ErasedKeys {
    /// Number of keys, and of entries of shared keys.
    pub keys: i64,
    /// Accounts whose event logs lost entries.
    pub accounts: BTreeSet<Uuid>,
}
