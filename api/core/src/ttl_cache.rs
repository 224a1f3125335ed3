//! Short-lived cache of texts of other hosts, so that repeated requests rarely reach them. It is bounded by
//! size, because callers choose the names.

use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use moka::sync::Cache;
use shared::clock::Clock;

/// Size of all names and texts, in bytes.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Texts by name, each with its end.
pub struct TtlCache {
    texts: Cache<String, (Arc<str>, DateTime<Utc>)>,
    clock: Clock,
}

impl TtlCache {
    /// An empty cache.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        let weight = |name: &String, (text, _): &(Arc<str>, DateTime<Utc>)| {
            u32::try_from(name.len() + text.len()).unwrap_or(u32::MAX)
        };
        Self { texts: Cache::builder().max_capacity(MAX_BYTES).weigher(weight).build(), clock }
    }

    /// Text of a name; `None` when it is unknown or has expired.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<str>> {
        let (text, until) = self.texts.get(name)?;
        (until > self.clock.now()).then_some(text)
    }

    /// Stores a text for `lifetime`.
    pub fn put(&self, name: &str, text: &str, lifetime: Duration) {
        self.texts.insert(name.to_owned(), (Arc::from(text), self.clock.now() + lifetime));
    }
}
