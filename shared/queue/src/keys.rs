//! Names of the Redis keys of a queue.

use crate::{Error, Result};

/// The consumer group that all workers of a queue read through.
pub(crate) const GROUP: &str = "workers";

const MAX_NAME: usize = 64;
const MAX_IDEMPOTENCY_KEY: usize = 256;

/// Keys of one queue. They share a hash tag, so that a script may use them together on Redis Cluster too.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    pub stream: String,
    pub delayed: String,
    pub dead: String,
    pub workers: String,
    tag: String,
}

impl Keys {
    /// Keys of `queue` for a prefix that was checked.
    pub fn new(prefix: &str, queue: &str) -> Result<Self> {
        check_name("queue", queue)?;
        let tag = if prefix.is_empty() { format!("{{{queue}}}") } else { format!("{{{prefix}:{queue}}}") };
        Ok(Self {
            stream: format!("{tag}:s"),
            delayed: format!("{tag}:delayed"),
            dead: format!("{tag}:dead"),
            workers: format!("{tag}:workers"),
            tag,
        })
    }

    /// Key that remembers that a job with this idempotency key was added.
    pub fn idempotency(&self, key: &str) -> Result<String> {
        if key.is_empty() || key.len() > MAX_IDEMPOTENCY_KEY {
            let problem = format!("must have 1 to {MAX_IDEMPOTENCY_KEY} bytes, has {}", key.len());
            return Err(Error::invalid("idempotency key", problem));
        }
        Ok(format!("{}:i:{key}", self.tag))
    }
}

/// Accepts an empty prefix: then keys start with the name of the queue.
pub(crate) fn check_prefix(prefix: &str) -> Result<()> {
    if prefix.is_empty() { Ok(()) } else { check_name("prefix", prefix) }
}

/// Braces would end the hash tag early, and the rest keeps keys readable in `redis-cli`.
pub(crate) fn check_name(field: &'static str, name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(allowed) {
        let problem = format!("must have 1 to {MAX_NAME} characters out of A-Z a-z 0-9 _ - . :");
        return Err(Error::invalid(field, problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_queue_share_one_hash_tag() {
        let keys = Keys::new("lumio", "mail").unwrap();
        let idempotency = keys.idempotency("welcome-7").unwrap();
        assert_eq!(keys.stream, "{lumio:mail}:s");
        for key in [&keys.delayed, &keys.dead, &keys.workers, &idempotency] {
            assert!(key.starts_with("{lumio:mail}:"), "{key}");
        }
    }

    #[test]
    fn keys_without_prefix_start_with_the_queue() {
        assert_eq!(Keys::new("", "mail").unwrap().stream, "{mail}:s");
    }

    #[test]
    fn names_that_break_the_hash_tag_are_refused() {
        for name in ["", "a}b", "a{b", "a b", "ä", &"x".repeat(65)] {
            let error = Keys::new("lumio", name).unwrap_err().to_string();
            assert!(error.starts_with("invalid queue: must have 1 to 64 characters"), "{error}");
        }
    }

    #[test]
    fn empty_and_oversized_idempotency_keys_are_refused() {
        let keys = Keys::new("lumio", "mail").unwrap();
        for key in ["", &"k".repeat(257)] {
            let error = keys.idempotency(key).unwrap_err().to_string();
            assert!(error.starts_with("invalid idempotency key: must have 1 to 256 bytes"), "{error}");
        }
    }
}
