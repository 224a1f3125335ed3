//! What a process remembers for a moment of things that belong to nobody here, so that asking for them often asks others
//! seldom. Bounded by size: callers think of as many names as they like.

use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use moka::sync::Cache;
use shared::clock::Clock;

/// All of it together.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Texts by name, each until a moment.
pub struct Briefly {
    texts: Cache<String, (Arc<str>, DateTime<Utc>)>,
    clock: Clock,
}

impl Briefly {
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        let weight = |name: &String, (text, _): &(Arc<str>, DateTime<Utc>)| {
            u32::try_from(name.len() + text.len()).unwrap_or(u32::MAX)
        };
        Self { texts: Cache::builder().max_capacity(MAX_BYTES).weigher(weight).build(), clock }
    }

    /// The text of a name, unless its time is over.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<str>> {
        let (text, until) = self.texts.get(name)?;
        (until > self.clock.now()).then_some(text)
    }

    /// Remembers a text for so long.
    pub fn put(&self, name: &str, text: &str, lifetime: Duration) {
        self.texts.insert(name.to_owned(), (Arc::from(text), self.clock.now() + lifetime));
    }
}
