//! `ctx.cache`: values in Redis with a lifetime, in one namespace for each extension and account
//! (reference/handlers.md#cache). Bounded, because Redis evicts nothing to make room.

use std::{sync::LazyLock, time::Duration};

use foundation::redis::Redis;
use redis::Script;
use sandbox::{CacheIncrement, CacheKey, CacheSet, HostError, HostRequest};
use serde_json::{Value, json};
use shared::clock::Clock;
use uuid::Uuid;

static SET: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("set.lua")));
static INCREMENT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("increment.lua")));
static DELETE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("delete.lua")));

/// Maximum size of a value, in bytes of JSON.
pub(crate) const MAX_VALUE_BYTES: usize = 64 * 1024;
/// Maximum and default lifetime of a value, in seconds.
pub(crate) const MAX_TTL_SECS: i64 = 86_400;
/// Maximum length of a key, in bytes.
const MAX_KEY_LENGTH: usize = 255;
/// Maximum number of keys of one namespace.
pub(crate) const MAX_KEYS: usize = 1000;
/// Maximum size of one namespace, in bytes.
pub(crate) const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Largest whole number that JSON and JavaScript share.
pub(crate) const MAX_NUMBER: i64 = 9_007_199_254_740_991;
/// Maximum wait for a command.
const REDIS_TIMEOUT: Duration = Duration::from_secs(2);

/// Caches of every extension. Cheap to clone.
#[derive(Clone)]
pub struct Caches {
    redis: Redis,
    clock: Clock,
}

/// Cache of one invocation.
pub struct Namespace {
    caches: Caches,
    /// Prefix of the namespace's keys.
    name: String,
}

impl Caches {
    /// Returns the caches in a Redis.
    pub const fn new(redis: Redis, clock: Clock) -> Self {
        Self { redis, clock }
    }

    /// Returns the namespace of an extension in an account.
    pub fn of(&self, extension_id: Uuid, account_id: Uuid) -> Namespace {
        let name = self.redis.key(format_args!("ext_cache:{extension_id}:{account_id}"));
        Namespace { caches: self.clone(), name }
    }
}

impl Namespace {
    /// Performs a request of a handler.
    ///
    /// # Errors
    /// Errors for the handler to read.
    pub async fn perform(&self, request: &HostRequest) -> Result<Value, HostError> {
        let work = async {
            match request {
                HostRequest::CacheGet(CacheKey { key }) => self.get(key).await,
                HostRequest::CacheSet(set) => self.set(set).await,
                HostRequest::CacheDelete(CacheKey { key }) => self.delete(key).await,
                HostRequest::CacheIncrement(increment) => self.increment(increment).await,
                _ => Err(Problem::Refused(HostError::internal("this is no request of the cache"))),
            }
        };
        match tokio::time::timeout(REDIS_TIMEOUT, work).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(Problem::Refused(error))) => Err(error),
            Ok(Err(Problem::Failed(error))) => {
                tracing::warn!(%error, "the cache of an extension cannot be reached");
                Err(HostError::internal("ctx.cache: the cache cannot be reached now"))
            }
            Err(_elapsed) => Err(HostError::internal("ctx.cache: the cache cannot be reached now")),
        }
    }

    async fn get(&self, key: &str) -> Result<Value, Problem> {
        checked("ctx.cache.get", key)?;
        let mut redis = self.caches.redis.get().await?;
        let text: Option<String> = redis::cmd("GET").arg(self.value(key)).query_async(&mut *redis).await?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null))
    }

    async fn set(&self, set: &CacheSet) -> Result<Value, Problem> {
        let what = "ctx.cache.set";
        checked(what, &set.key)?;
        let life = life(what, set.ttl_secs.as_ref())?;
        let text = text_of(what, &set.value)?;
        let mut redis = self.caches.redis.get().await?;
        let fits: bool = SET
            .key(self.value(&set.key))
            .key(self.index())
            .key(self.sizes())
            .arg(&set.key)
            .arg(&text)
            .arg(life.unwrap_or(MAX_TTL_SECS))
            .arg(self.caches.clock.now().timestamp())
            .arg(MAX_KEYS)
            .arg(MAX_BYTES)
            .arg(MAX_TTL_SECS)
            .invoke_async(&mut *redis)
            .await?;
        if fits { Ok(Value::Null) } else { Err(full(what).into()) }
    }

    async fn delete(&self, key: &str) -> Result<Value, Problem> {
        checked("ctx.cache.delete", key)?;
        let mut redis = self.caches.redis.get().await?;
        let deleted: bool = DELETE
            .key(self.value(key))
            .key(self.index())
            .key(self.sizes())
            .arg(key)
            .invoke_async(&mut *redis)
            .await?;
        Ok(json!(deleted))
    }

    /// Adds to a number. The lifetime is set when the key is created.
    async fn increment(&self, increment: &CacheIncrement) -> Result<Value, Problem> {
        let what = "ctx.cache.incr";
        checked(what, &increment.key)?;
        let by = amount(what, increment.by.as_ref())?;
        let life = life(what, increment.ttl_secs.as_ref())?;
        let mut redis = self.caches.redis.get().await?;
        let (state, value): (String, i64) = INCREMENT
            .key(self.value(&increment.key))
            .key(self.index())
            .key(self.sizes())
            .arg(&increment.key)
            .arg(by)
            .arg(life.unwrap_or(MAX_TTL_SECS))
            .arg(self.caches.clock.now().timestamp())
            .arg(MAX_KEYS)
            .arg(MAX_NUMBER)
            .arg(MAX_TTL_SECS)
            .invoke_async(&mut *redis)
            .await?;
        match state.as_str() {
            "ok" => Ok(json!(value)),
            "full" => Err(full(what).into()),
            _ => Err(uncountable(what).into()),
        }
    }

    fn value(&self, key: &str) -> String {
        format!("{}:v:{key}", self.name)
    }

    /// Returns the key of the index of expiry times.
    fn index(&self) -> String {
        format!("{}:index", self.name)
    }

    fn sizes(&self) -> String {
        format!("{}:sizes", self.name)
    }
}

enum Problem {
    Refused(HostError),
    Failed(shared::Error),
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Self {
        Self::Refused(error)
    }
}

impl From<shared::Error> for Problem {
    fn from(error: shared::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<redis::RedisError> for Problem {
    fn from(error: redis::RedisError) -> Self {
        Self::Failed(error.into())
    }
}

/// Checks a key.
///
/// # Errors
/// A key that is empty or too long.
pub(crate) fn checked(what: &str, key: &str) -> Result<(), HostError> {
    if (1..=MAX_KEY_LENGTH).contains(&key.len()) {
        return Ok(());
    }
    Err(HostError::argument(format!("{what}: the key must have 1 to {MAX_KEY_LENGTH} bytes")))
}

/// Returns the text of a value as it is stored.
///
/// # Errors
/// A value that is too large.
pub(crate) fn text_of(what: &str, value: &Value) -> Result<String, HostError> {
    let text = value.to_string();
    if text.len() > MAX_VALUE_BYTES {
        let message =
            format!("{what}: the value is {} bytes of JSON; the limit is {MAX_VALUE_BYTES}", text.len());
        return Err(HostError::limit(message));
    }
    Ok(text)
}

/// Returns the amount that an increment adds; 1 when none is given.
///
/// # Errors
/// Anything but a whole number.
pub(crate) fn amount(what: &str, given: Option<&Value>) -> Result<i64, HostError> {
    let Some(by) = given.filter(|by| !by.is_null()) else { return Ok(1) };
    whole(by)
        .filter(|by| by.abs() <= MAX_NUMBER)
        .ok_or_else(|| HostError::argument(format!("{what}: the second argument must be a whole number")))
}

/// Returns the refusal to add to a value that is no number, or to exceed the largest one.
pub(crate) fn uncountable(what: &str) -> HostError {
    HostError::argument(format!("{what}: the value is no whole number that can be counted on"))
}

/// Returns a lifetime in seconds; `None` when none is given.
///
/// # Errors
/// Anything but a whole number within the bounds.
pub(crate) fn life(what: &str, given: Option<&Value>) -> Result<Option<i64>, HostError> {
    let Some(given) = given.filter(|given| !given.is_null()) else { return Ok(None) };
    let seconds = whole(given).filter(|seconds| (1..=MAX_TTL_SECS).contains(seconds));
    seconds.map(Some).ok_or_else(|| {
        HostError::argument(format!("{what}: ttlSecs must be a whole number between 1 and {MAX_TTL_SECS}"))
    })
}

fn whole(value: &Value) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
    value.as_i64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() < 1e15)
            .map(|number| number as i64)
    })
}

/// Returns the refusal of a full namespace.
pub(crate) fn full(what: &str) -> HostError {
    let megabytes = MAX_BYTES / (1024 * 1024);
    HostError::limit(format!("{what}: the cache holds as much as it may: {MAX_KEYS} keys, {megabytes} MB"))
}
