//! Names of the Redis keys of a queue.

use crate::{Error, Result};

/// Consumer group of all workers of a queue.
pub(crate) const GROUP: &str = "workers";

const MAX_NAME_LENGTH: usize = 64;
const MAX_IDEMPOTENCY_KEY_LENGTH: usize = 256;

/// Keys of one queue. They share a hash tag, so that a script may use them together on Redis Cluster too.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    /// Stream of ready and running jobs.
    pub stream: String,
    /// Sorted set of delayed jobs.
    pub delayed: String,
    /// Stream of dead letters.
    pub dead: String,
    /// Sorted set of workers.
    pub workers: String,
    tag: String,
}

impl Keys {
    /// Keys of `queue` under a prefix that was checked.
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
        if key.is_empty() || key.len() > MAX_IDEMPOTENCY_KEY_LENGTH {
            let problem = format!("must have 1 to {MAX_IDEMPOTENCY_KEY_LENGTH} bytes, has {}", key.len());
            return Err(Error::invalid("idempotency key", problem));
        }
        Ok(format!("{}:i:{key}", self.tag))
    }
}

/// Checks a prefix. An empty one is allowed: then keys start with the name of the queue.
pub(crate) fn check_prefix(prefix: &str) -> Result<()> {
    if prefix.is_empty() { Ok(()) } else { check_name("prefix", prefix) }
}

/// Checks a name. Braces would end the hash tag early; the other rules keep keys readable in `redis-cli`.
pub(crate) fn check_name(field: &'static str, name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    if name.is_empty() || name.len() > MAX_NAME_LENGTH || !name.chars().all(allowed) {
        let problem = format!("must have 1 to {MAX_NAME_LENGTH} characters out of A-Z a-z 0-9 _ - . :");
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
    fn keys_refuse_names_that_break_the_hash_tag() {
        for name in ["", "a}b", "a{b", "a b", "ä", &"x".repeat(65)] {
            let error = Keys::new("lumio", name).unwrap_err().to_string();
            assert!(error.starts_with("invalid queue: must have 1 to 64 characters"), "{error}");
        }
    }

    #[test]
    fn keys_refuse_empty_and_oversized_idempotency_keys() {
        let keys = Keys::new("lumio", "mail").unwrap();
        for key in ["", &"k".repeat(257)] {
            let error = keys.idempotency(key).unwrap_err().to_string();
            assert!(error.starts_with("invalid idempotency key: must have 1 to 256 bytes"), "{error}");
        }
    }
}
