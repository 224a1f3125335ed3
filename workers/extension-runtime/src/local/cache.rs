//! `ctx.cache` in memory, with the rules of the one in Redis (reference/handlers.md#cache).

use std::collections::BTreeMap;

use sandbox::{CacheIncrement, CacheSet, HostError, HostRequest};
use serde_json::{Value, json};

use crate::cache::{
    MAX_BYTES, MAX_KEYS, MAX_NUMBER, MAX_TTL_SECS, amount, checked, full, life, text_of, uncountable,
};

/// Cached values by key.
#[derive(Debug, Default)]
pub(super) struct Cache(BTreeMap<String, Entry>);

#[derive(Debug)]
struct Entry {
    text: String,
    /// Time of its expiry, in seconds.
    expires_at: i64,
    /// Bytes that count against the size of the namespace; numbers do not count.
    bytes: usize,
}

impl Cache {
    /// Performs a request of a handler at a time in seconds.
    ///
    /// # Errors
    /// Errors for the handler to read.
    pub fn perform(&mut self, request: &HostRequest, now: i64) -> Result<Value, HostError> {
        self.0.retain(|_, entry| entry.expires_at > now);
        match request {
            HostRequest::CacheGet(get) => {
                checked("ctx.cache.get", &get.key)?;
                let entry = self.0.get(&get.key);
                Ok(entry.and_then(|entry| serde_json::from_str(&entry.text).ok()).unwrap_or_default())
            }
            HostRequest::CacheSet(set) => self.set(set, now),
            HostRequest::CacheDelete(delete) => {
                checked("ctx.cache.delete", &delete.key)?;
                Ok(json!(self.0.remove(&delete.key).is_some()))
            }
            HostRequest::CacheIncrement(increment) => self.increment(increment, now),
            _ => Err(HostError::internal("this is no request of the cache")),
        }
    }

    fn set(&mut self, set: &CacheSet, now: i64) -> Result<Value, HostError> {
        let what = "ctx.cache.set";
        checked(what, &set.key)?;
        let life = life(what, set.ttl_secs.as_ref())?.unwrap_or(MAX_TTL_SECS);
        let text = text_of(what, &set.value)?;
        let before = self.0.get(&set.key);
        let total = self.0.values().map(|entry| entry.bytes).sum::<usize>() + text.len();
        let is_one_more = before.is_none() && self.0.len() >= MAX_KEYS;
        if is_one_more || total - before.map_or(0, |entry| entry.bytes) > MAX_BYTES {
            return Err(full(what));
        }
        let bytes = text.len();
        self.0.insert(set.key.clone(), Entry { text, expires_at: now + life, bytes });
        Ok(Value::Null)
    }

    fn increment(&mut self, increment: &CacheIncrement, now: i64) -> Result<Value, HostError> {
        let what = "ctx.cache.incr";
        checked(what, &increment.key)?;
        let by = amount(what, increment.by.as_ref())?;
        let life = life(what, increment.ttl_secs.as_ref())?.unwrap_or(MAX_TTL_SECS);
        if let Some(entry) = self.0.get_mut(&increment.key) {
            let sum = entry.text.parse::<i64>().ok().and_then(|number| number.checked_add(by));
            let sum = sum.filter(|sum| sum.abs() <= MAX_NUMBER).ok_or_else(|| uncountable(what))?;
            entry.text = sum.to_string();
            return Ok(json!(sum));
        }
        if self.0.len() >= MAX_KEYS {
            return Err(full(what));
        }
        let entry = Entry { text: by.to_string(), expires_at: now + life, bytes: 0 };
        self.0.insert(increment.key.clone(), entry);
        Ok(json!(by))
    }
}

#[cfg(test)]
mod tests {
    use sandbox::CacheKey;

    use super::*;

    fn set(key: &str, value: Value, ttl_secs: Option<i64>) -> HostRequest {
        let ttl_secs = ttl_secs.map(Value::from);
        HostRequest::CacheSet(CacheSet { key: key.to_owned(), value, ttl_secs })
    }

    fn get(key: &str) -> HostRequest {
        HostRequest::CacheGet(CacheKey { key: key.to_owned() })
    }

    fn increment(key: &str, by: i64) -> HostRequest {
        let by = Some(json!(by));
        HostRequest::CacheIncrement(CacheIncrement { key: key.to_owned(), by, ttl_secs: None })
    }

    #[test]
    fn cache_forgets_values_after_their_lifetime() {
        let mut cache = Cache::default();
        assert_eq!(cache.perform(&set("a", json!([1]), Some(10)), 100), Ok(Value::Null));
        assert_eq!(cache.perform(&get("a"), 109), Ok(json!([1])));
        assert_eq!(cache.perform(&get("a"), 110), Ok(Value::Null));
    }

    #[test]
    fn cache_counts_whole_numbers_only() {
        let mut cache = Cache::default();
        assert_eq!(cache.perform(&increment("n", 2), 0), Ok(json!(2)));
        assert_eq!(cache.perform(&increment("n", -3), 0), Ok(json!(-1)));
        cache.perform(&set("text", json!("x"), None), 0).unwrap();
        assert!(cache.perform(&increment("text", 1), 0).unwrap_err().message.contains("no whole number"));
        assert!(cache.perform(&increment("n", MAX_NUMBER + 1), 0).is_err());
    }

    #[test]
    fn cache_is_bounded_in_keys_and_bytes() {
        let mut cache = Cache::default();
        for n in 0..MAX_KEYS {
            cache.perform(&set(&n.to_string(), json!(1), None), 0).unwrap();
        }
        for request in [set("more", json!(1), None), increment("more", 1)] {
            assert!(cache.perform(&request, 0).unwrap_err().message.contains("as much as it may"));
        }
        let large = json!("x".repeat(60_000));
        let mut cache = Cache::default();
        let stored =
            (0..200).take_while(|n| cache.perform(&set(&n.to_string(), large.clone(), None), 0).is_ok());
        assert_eq!(stored.count(), MAX_BYTES / 60_002);
        assert!(cache.perform(&set("a", json!("x".repeat(65_537)), None), 0).is_err());
    }
}
