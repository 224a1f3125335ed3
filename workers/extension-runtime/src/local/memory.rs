//! Storage and cache of a local install.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{cache::Cache, store::Store};

/// Storage, cache and counts of an install. Cheap to clone; clones share the content, so that it outlives a
/// reload of the code.
#[derive(Debug, Clone, Default)]
pub struct LocalMemory(Arc<Mutex<Memory>>);

#[derive(Debug, Default)]
pub(super) struct Memory {
    pub store: Store,
    pub cache: Cache,
    /// Second of the last push, and the pushes in it.
    pub pushes: (i64, u32),
}

impl LocalMemory {
    /// Locks the content. Nothing waits while it is locked.
    pub(super) fn lock(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
