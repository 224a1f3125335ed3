//! Requests per minute (reference/limits.md#rate-limits): fixed windows, shared through Redis.
//!
//! A process counts by itself and exchanges counts with Redis a few times a second, so that a request waits
//! for Redis only the first time that its holder is seen in a window. Without Redis the count of the process
//! is the limit.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use foundation::{
    limits::{self, Addition},
    redis::Redis,
    telemetry::Metrics,
};
use prometheus::IntCounterVec;
use shared::{clock::Clock, config::RateLimitsConfig};

use super::verdict::{Policy, Verdict};

/// Length of the windows of tiers, in seconds.
pub const WINDOW_SECS: i64 = 60;
/// Longest wait of a request for the counts of other processes.
const COUNTS_TIMEOUT: Duration = Duration::from_millis(100);
/// Windows that a process keeps. Further holders share one window for each tier until others end.
const MAX_WINDOWS: usize = 200_000;
const OVERFLOW: &str = "overflow";

/// Group of requests with one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Requests without a valid credential, by address.
    Anonymous,
    /// Sessions, by person.
    Session,
    /// Personal API keys, by key.
    ApiKey,
    /// Service keys, by key.
    ServiceKey,
    /// Popout tokens and their sessions, by token.
    Popout,
    /// Overlay and share tokens, by token.
    Overlay,
    /// Widget and extension tokens, by token.
    Surface,
    /// Attempts to sign in, by address (reference/limits.md#sign-in-attempts).
    AuthExchange,
    /// Opaque credentials that do not exist, by address (reference/limits.md#unknown-credentials).
    UnknownCredential,
}

impl Tier {
    /// Configured limit, in requests per minute.
    #[must_use]
    pub const fn limit(self, config: &RateLimitsConfig) -> u32 {
        match self {
            Self::Anonymous => config.anonymous,
            Self::Session => config.session,
            Self::ApiKey => config.api_key,
            Self::ServiceKey => config.service_key,
            Self::Popout => config.popout,
            Self::Overlay => config.overlay,
            Self::Surface => config.surface,
            Self::AuthExchange => config.auth_exchange,
            Self::UnknownCredential => config.unknown_credential,
        }
    }

    /// Name in headers and lists.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::Session => "session",
            Self::ApiKey => "api_key",
            Self::ServiceKey => "service_key",
            Self::Popout => "popout",
            Self::Overlay => "overlay",
            Self::Surface => "surface",
            Self::AuthExchange => "auth_exchange",
            Self::UnknownCredential => "unknown_credential",
        }
    }
}

/// Present count of a holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Present {
    /// Requests in the window.
    pub used: u64,
    /// Unix seconds at which the window ends.
    pub ends: i64,
}

/// Counts requests.
#[derive(Clone)]
pub struct RateLimiter {
    parts: Arc<Parts>,
}

struct Parts {
    redis: Redis,
    clock: Clock,
    windows: DashMap<String, Arc<Window>>,
    failures: IntCounterVec,
    bound: usize,
}

/// Counts of one holder in one window.
#[derive(Default)]
struct Window {
    /// Requests that this process counted.
    own: AtomicU64,
    /// Requests of those that Redis has counted.
    published: AtomicU64,
    /// Requests that other processes counted, as far as known.
    others: AtomicU64,
    ends: i64,
}

impl RateLimiter {
    /// Registers the metric of failures.
    ///
    /// # Errors
    /// An internal error when a metric of the same name is registered.
    pub fn new(redis: Redis, clock: Clock, metrics: &Metrics) -> shared::Result<Self> {
        Self::bounded(redis, clock, metrics, MAX_WINDOWS)
    }

    fn bounded(redis: Redis, clock: Clock, metrics: &Metrics, bound: usize) -> shared::Result<Self> {
        let failures = metrics.counters(
            "rate_limit_redis_failures_total",
            "Times that request counts could not be exchanged and only the local bucket applied.",
            &[],
        )?;
        Ok(Self { parts: Arc::new(Parts { redis, clock, windows: DashMap::new(), failures, bound }) })
    }

    /// Counts a request of a holder in a tier, against a limit per minute.
    pub async fn check(&self, tier: Tier, principal: &str, limit: u32) -> Verdict {
        self.count(tier.as_str(), principal, limit, WINDOW_SECS).await
    }

    /// Counts against a limit in windows of `seconds`, for limits of single routes.
    pub async fn count(&self, name: &'static str, principal: &str, limit: u32, seconds: i64) -> Verdict {
        self.count_many(name, principal, limit, seconds, 1).await
    }

    /// Counts several units at once, as [`RateLimiter::count`] counts one.
    pub async fn count_many(
        &self,
        name: &'static str,
        principal: &str,
        limit: u32,
        seconds: i64,
        number: u64,
    ) -> Verdict {
        let now = self.parts.clock.now().timestamp();
        let ends = (now / seconds + 1) * seconds;
        let window = self.window(name, principal, now / seconds, ends).await;
        let own = window.own.fetch_add(number, Ordering::SeqCst).saturating_add(number);
        let used = own.saturating_add(window.others.load(Ordering::SeqCst));
        Verdict::of(used, Policy { name, limit, seconds }, now, ends)
    }

    /// Verdict that would refuse the next request of a holder, without counting one; `None` while it has
    /// requests left or is not known to this process. Counts as [`RateLimiter::count`] does.
    #[must_use]
    pub fn used_up(&self, name: &'static str, principal: &str, limit: u32, seconds: i64) -> Option<Verdict> {
        let now = self.parts.clock.now().timestamp();
        let window = self.known(&window_key(name, principal, now / seconds))?;
        let used = window.own.load(Ordering::SeqCst) + window.others.load(Ordering::SeqCst);
        let policy = Policy { name, limit, seconds };
        let verdict = Verdict::of(used.saturating_add(1), policy, now, window.ends);
        verdict.retry_after.is_some().then_some(verdict)
    }

    /// Requests of a holder in the present window and the end of the window, without counting one. A window that
    /// this process does not know is read from Redis; without Redis it is empty.
    pub async fn present(&self, name: &str, principal: &str, seconds: i64) -> Present {
        let number = self.parts.clock.now().timestamp() / seconds;
        let (key, ends) = (window_key(name, principal, number), (number + 1) * seconds);
        if let Some(window) = self.known(&key) {
            let used = window.own.load(Ordering::SeqCst) + window.others.load(Ordering::SeqCst);
            return Present { used, ends };
        }
        let Parts { redis, .. } = &*self.parts;
        let name = redis.key(&key);
        let counted = tokio::time::timeout(COUNTS_TIMEOUT, limits::counted(redis, &name)).await;
        Present { used: counted.ok().and_then(Result::ok).unwrap_or(0), ends }
    }

    async fn window(&self, name: &str, principal: &str, number: i64, ends: i64) -> Arc<Window> {
        let key = window_key(name, principal, number);
        if let Some(window) = self.known(&key) {
            return window;
        }
        if self.parts.windows.len() < self.parts.bound {
            // Boxed, so that requests of known holders pay nothing for the size of the future.
            return Box::pin(self.begin(&key, ends)).await;
        }
        let shared = window_key(name, OVERFLOW, number);
        match self.known(&shared) {
            Some(window) => window,
            None => Box::pin(self.begin(&shared, ends)).await,
        }
    }

    fn known(&self, key: &str) -> Option<Arc<Window>> {
        self.parts.windows.get(key).map(|window| Arc::clone(&window))
    }

    async fn begin(&self, key: &str, ends: i64) -> Arc<Window> {
        let window = Arc::new(Window { ends, ..Window::default() });
        // Counts of others before this process saw the holder: after a restart, or behind a balancer.
        let Parts { redis, .. } = &*self.parts;
        let name = redis.key(key);
        match tokio::time::timeout(COUNTS_TIMEOUT, limits::counted(redis, &name)).await {
            Ok(Ok(count)) => window.others.store(count, Ordering::SeqCst),
            Ok(Err(_)) | Err(_) => self.parts.failures.with_label_values::<&str>(&[]).inc(),
        }
        Arc::clone(&self.parts.windows.entry(key.to_owned()).or_insert(window))
    }

    /// Sends the counts since the last exchange to Redis and reads those of other processes. Call it a few
    /// times a second.
    pub async fn exchange(&self) {
        let mut pending: HashMap<String, (Arc<Window>, u64)> = HashMap::new();
        for entry in &self.parts.windows {
            let (own, published) = (entry.own.load(Ordering::SeqCst), entry.published.load(Ordering::SeqCst));
            if own > published {
                pending.insert(entry.key().clone(), (Arc::clone(entry.value()), own));
            }
        }
        if let Err(error) = self.publish_counts(&pending).await {
            tracing::debug!(%error, "request counts were not exchanged");
            self.parts.failures.with_label_values::<&str>(&[]).inc();
        }
        self.forget_ended();
    }

    async fn publish_counts(&self, pending: &HashMap<String, (Arc<Window>, u64)>) -> shared::Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        let Parts { redis, .. } = &*self.parts;
        let additions: Vec<Addition> = pending
            .iter()
            .map(|(key, (window, own))| Addition {
                key: redis.key(key),
                number: own - window.published.load(Ordering::SeqCst),
                expires_at: window.ends + 5,
            })
            .collect();
        let totals = limits::add(redis, &additions).await?;
        for ((window, own), total) in pending.values().zip(totals) {
            window.published.store(*own, Ordering::SeqCst);
            window.others.store(total.saturating_sub(*own), Ordering::SeqCst);
        }
        Ok(())
    }

    fn forget_ended(&self) {
        let now = self.parts.clock.now().timestamp();
        self.parts.windows.retain(|_, window| window.ends > now);
    }
}

fn window_key(name: &str, principal: &str, number: i64) -> String {
    format!("rl:{name}:{principal}:{number}")
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderMap;
    use shared::{
        config::{Environment, RedisConfig},
        secret::Secret,
    };

    use super::*;

    /// Without Redis the count of the process is the limit.
    fn limiter(bound: usize) -> RateLimiter {
        let config = RedisConfig {
            url: Secret::new("redis://127.0.0.1:1"),
            prefix: "t".into(),
            pool_size: 1,
            pool_timeout: Duration::from_millis(500),
        };
        let metrics = Metrics::new("t", Environment::Development).unwrap();
        let clock = Clock::default();
        // Windows begin with a minute: none ends while a test counts.
        clock.advance(chrono::Duration::seconds(60 - clock.now().timestamp() % 60));
        RateLimiter::bounded(Redis::new(&config).unwrap(), clock, &metrics, bound).unwrap()
    }

    #[tokio::test]
    async fn rate_limiter_shares_one_window_a_tier_above_its_bound() {
        let limiter = limiter(2);
        let check = async |tier, principal: &str| limiter.check(tier, principal, 2).await.refusal().is_some();
        for principal in ["a", "b"] {
            assert!(!check(Tier::Anonymous, principal).await);
        }
        assert!(!check(Tier::Anonymous, "c").await);
        assert!(!check(Tier::Anonymous, "d").await);
        assert!(check(Tier::Anonymous, "e").await, "the third newcomer of two");
        assert!(!check(Tier::Session, "f").await, "another tier has its own");
        assert!(!check(Tier::Anonymous, "a").await, "whoever was counted before keeps the own window");
        assert_eq!(limiter.parts.windows.len(), 4);
    }

    #[tokio::test]
    async fn rate_limiter_knows_a_used_up_window_without_counting() {
        let limiter = limiter(10);
        assert!(limiter.used_up("wrong", "a", 1, 60).is_none());
        limiter.count("wrong", "a", 2, 60).await;
        assert!(limiter.used_up("wrong", "a", 2, 60).is_none());
        assert!(limiter.used_up("wrong", "a", 2, 60).is_none(), "asking counts nothing");
        limiter.count("wrong", "a", 2, 60).await;
        assert!(limiter.used_up("wrong", "a", 2, 60).unwrap().refusal().is_some());
    }

    #[tokio::test]
    async fn rate_limiter_writes_both_families_of_headers_alike() {
        let limiter = limiter(10);
        let mut headers = HeaderMap::new();
        limiter.check(Tier::ServiceKey, "a", 1200).await.write(&mut headers);
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap().to_owned();
        assert_eq!(text("ratelimit-policy"), "\"service_key\";q=1200;w=60");
        let (state, reset) = (text("ratelimit"), text("x-ratelimit-reset").parse::<i64>().unwrap());
        assert!(state.starts_with("\"service_key\";r=1199;t="), "{state}");
        let wait: i64 = state.rsplit_once('=').unwrap().1.parse().unwrap();
        assert!((1..=60).contains(&wait) && reset % 60 == 0, "{state} {reset}");
        assert_eq!(
            (text("x-ratelimit-limit"), text("x-ratelimit-remaining")),
            ("1200".into(), "1199".into())
        );
    }
}
