//! Requests per minute (specification A §8, C §2.4): fixed windows, shared through Redis.
//!
//! A process counts by itself and exchanges counts with Redis a few times a second, so that a request waits for
//! Redis only the first time that its principal is seen in a window. Without Redis the own count is the limit.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use dashmap::DashMap;
use prometheus::IntCounterVec;
use shared::{clock::Clock, config::RateLimitsConfig, redis::Redis, telemetry::Metrics};

use crate::{ApiError, Code, access::Principal};
use shared::token::TokenKind;

const WINDOW_SECONDS: i64 = 60;
/// How long a request may wait for the counts of other processes.
const COUNTS_TIMEOUT: Duration = Duration::from_millis(100);
/// Windows that a process keeps. Those who come later share one window for each tier until others end.
const BOUND: usize = 200_000;
const OVERFLOW: &str = "overflow";

/// Who is limited together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    Anonymous,
    Session,
    ApiKey,
    ServiceKey,
    Popout,
    Overlay,
    Surface,
    AuthExchange,
    /// Opaque credentials that do not exist, by address (specification E, 4).
    UnknownCredential,
}

impl Tier {
    /// The tier of a credential; `None` for system keys, which are not limited.
    #[must_use]
    pub const fn of(principal: &Principal) -> Option<Self> {
        match principal {
            Principal::Anonymous { .. } => Some(Self::Anonymous),
            Principal::Session { .. } => Some(Self::Session),
            Principal::PersonalKey { .. } => Some(Self::ApiKey),
            Principal::ServiceKey { .. } => Some(Self::ServiceKey),
            Principal::Popout { .. } => Some(Self::Popout),
            Principal::Surface { kind: TokenKind::Overlay | TokenKind::Share, .. } => Some(Self::Overlay),
            Principal::Surface { .. } => Some(Self::Surface),
            Principal::SystemKey { .. } => None,
        }
    }

    /// The configured limit.
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

    const fn as_str(self) -> &'static str {
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

/// What an address is counted by: IPv4 as it is, IPv6 by its /64, because that is what one customer is given.
#[must_use]
pub fn rate_key(ip: Option<IpAddr>) -> String {
    match ip.map(|ip| ip.to_canonical()) {
        None => "unknown".to_owned(),
        Some(IpAddr::V4(ip)) => ip.to_string(),
        Some(IpAddr::V6(ip)) => {
            let [a, b, c, d, ..] = ip.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// A limit and the time for which it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// For example the tier.
    pub name: &'static str,
    pub limit: u32,
    pub seconds: i64,
}

/// What came of counting a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    pub policy: Policy,
    pub remaining: u32,
    /// Unix seconds at which the window ends.
    pub reset: i64,
    /// Seconds until then.
    pub wait: u64,
    pub retry_after: Option<u64>,
}

impl Verdict {
    fn of(used: u64, policy: Policy, now: i64, ends: i64) -> Self {
        let (limit, wait) = (u64::from(policy.limit), u64::try_from(ends - now).unwrap_or(1).max(1));
        Self {
            policy,
            remaining: u32::try_from(limit.saturating_sub(used)).unwrap_or(0),
            reset: ends,
            wait,
            retry_after: (used > limit).then_some(wait),
        }
    }

    /// The error when the limit was passed.
    #[must_use]
    pub fn refusal(&self) -> Option<ApiError> {
        let seconds = self.retry_after?;
        Some(ApiError::new(Code::RateLimitExceeded, "Rate limit exceeded").with_retry_after(seconds))
    }

    /// Writes `X-RateLimit-Limit`, `-Remaining` and `-Reset` (C §1), and the same as `RateLimit-Policy` and `RateLimit`
    /// of the IETF's draft.
    pub fn write(&self, headers: &mut HeaderMap) {
        let Policy { name, limit, seconds } = self.policy;
        headers.insert(HeaderName::from_static("x-ratelimit-limit"), HeaderValue::from(limit));
        headers.insert(HeaderName::from_static("x-ratelimit-remaining"), HeaderValue::from(self.remaining));
        headers.insert(HeaderName::from_static("x-ratelimit-reset"), HeaderValue::from(self.reset));
        let policy = format!("\"{name}\";q={limit};w={seconds}");
        let state = format!("\"{name}\";r={};t={}", self.remaining, self.wait);
        for (header, text) in [("ratelimit-policy", policy), ("ratelimit", state)] {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(HeaderName::from_static(header), value);
            }
        }
    }
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

/// One principal in one minute.
#[derive(Default)]
struct Window {
    /// Requests that this process counted.
    own: AtomicU64,
    /// Of those, what Redis knows of.
    told: AtomicU64,
    /// What other processes counted, as far as known.
    others: AtomicU64,
    ends: i64,
}

impl RateLimiter {
    /// # Errors
    /// When its metric cannot be registered.
    pub fn new(redis: Redis, clock: Clock, metrics: &Metrics) -> shared::Result<Self> {
        Self::bounded(redis, clock, metrics, BOUND)
    }

    fn bounded(redis: Redis, clock: Clock, metrics: &Metrics, bound: usize) -> shared::Result<Self> {
        let failures = metrics.counters(
            "rate_limit_redis_failures_total",
            "Times that request counts could not be exchanged and only the local bucket applied.",
            &[],
        )?;
        Ok(Self { parts: Arc::new(Parts { redis, clock, windows: DashMap::new(), failures, bound }) })
    }

    /// Counts a request of a principal in a tier, against a limit per minute.
    pub async fn check(&self, tier: Tier, principal: &str, limit: u32) -> Verdict {
        self.count(tier.as_str(), principal, limit, WINDOW_SECONDS).await
    }

    /// Counts against a limit in windows of `seconds`, for limits of single routes.
    pub async fn count(&self, name: &'static str, principal: &str, limit: u32, seconds: i64) -> Verdict {
        let now = self.parts.clock.now().timestamp();
        let ends = (now / seconds + 1) * seconds;
        let window = self.window(name, principal, now / seconds, ends).await;
        let used = window.own.fetch_add(1, Ordering::SeqCst) + 1 + window.others.load(Ordering::SeqCst);
        Verdict::of(used, Policy { name, limit, seconds }, now, ends)
    }

    /// The refusal that the next request of a principal would meet, without counting one; `None` while it has
    /// requests left or is not known here. As [`RateLimiter::count`] counts.
    #[must_use]
    pub fn used_up(&self, name: &'static str, principal: &str, limit: u32, seconds: i64) -> Option<Verdict> {
        let now = self.parts.clock.now().timestamp();
        let window = self.known(&window_key(name, principal, now / seconds))?;
        let used = window.own.load(Ordering::SeqCst) + window.others.load(Ordering::SeqCst);
        let policy = Policy { name, limit, seconds };
        let verdict = Verdict::of(used.saturating_add(1), policy, now, window.ends);
        verdict.retry_after.is_some().then_some(verdict)
    }

    async fn window(&self, name: &str, principal: &str, number: i64, ends: i64) -> Arc<Window> {
        let key = window_key(name, principal, number);
        if let Some(window) = self.known(&key) {
            return window;
        }
        if self.parts.windows.len() < self.parts.bound {
            return self.begin(&key, ends).await;
        }
        let shared = window_key(name, OVERFLOW, number);
        match self.known(&shared) {
            Some(window) => window,
            None => self.begin(&shared, ends).await,
        }
    }

    fn known(&self, key: &str) -> Option<Arc<Window>> {
        self.parts.windows.get(key).map(|window| Arc::clone(&window))
    }

    async fn begin(&self, key: &str, ends: i64) -> Arc<Window> {
        let window = Arc::new(Window { ends, ..Window::default() });
        // What others counted before this process saw the principal: after a restart, or behind a balancer.
        match tokio::time::timeout(COUNTS_TIMEOUT, self.counted(key)).await {
            Ok(Ok(count)) => window.others.store(count, Ordering::SeqCst),
            Ok(Err(_)) | Err(_) => self.parts.failures.with_label_values::<&str>(&[]).inc(),
        }
        Arc::clone(&self.parts.windows.entry(key.to_owned()).or_insert(window))
    }

    async fn counted(&self, key: &str) -> shared::Result<u64> {
        let mut connection = self.parts.redis.get().await?;
        let count: Option<u64> =
            redis::cmd("GET").arg(self.parts.redis.key(key)).query_async(&mut *connection).await?;
        Ok(count.unwrap_or(0))
    }

    /// Tells Redis what was counted since the last time and learns what others counted. Call it a few times a second.
    pub async fn exchange(&self) {
        let mut pending: HashMap<String, (Arc<Window>, u64)> = HashMap::new();
        for entry in &self.parts.windows {
            let (own, told) = (entry.own.load(Ordering::SeqCst), entry.told.load(Ordering::SeqCst));
            if own > told {
                pending.insert(entry.key().clone(), (Arc::clone(entry.value()), own));
            }
        }
        if let Err(error) = self.tell(&pending).await {
            tracing::debug!(%error, "request counts were not exchanged");
            self.parts.failures.with_label_values::<&str>(&[]).inc();
        }
        self.forget_ended();
    }

    async fn tell(&self, pending: &HashMap<String, (Arc<Window>, u64)>) -> shared::Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        let mut pipe = redis::pipe();
        for (key, (window, own)) in pending {
            let key = self.parts.redis.key(key);
            let delta = own - window.told.load(Ordering::SeqCst);
            pipe.cmd("INCRBY").arg(&key).arg(delta).cmd("EXPIREAT").arg(&key).arg(window.ends + 5).ignore();
        }
        let totals: Vec<u64> = pipe.query_async(&mut *self.parts.redis.get().await?).await?;
        for ((window, own), total) in pending.values().zip(totals) {
            window.told.store(*own, Ordering::SeqCst);
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
    use shared::{
        config::{Environment, RedisConfig},
        secret::Secret,
    };

    use super::*;

    /// Without Redis: the own count is the limit.
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

    #[test]
    fn addresses_of_one_network_count_together() {
        let key = |ip: &str| rate_key(Some(ip.parse().unwrap()));
        assert_eq!(key("203.0.113.7"), "203.0.113.7");
        assert_eq!(key("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_eq!(rate_key(None), "unknown");
    }

    #[tokio::test]
    async fn newcomers_beyond_the_bound_share_one_window_for_each_tier() {
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
    async fn a_used_up_window_is_known_without_counting() {
        let limiter = limiter(10);
        assert!(limiter.used_up("wrong", "a", 1, 60).is_none());
        limiter.count("wrong", "a", 2, 60).await;
        assert!(limiter.used_up("wrong", "a", 2, 60).is_none());
        assert!(limiter.used_up("wrong", "a", 2, 60).is_none(), "asking counts nothing");
        limiter.count("wrong", "a", 2, 60).await;
        assert!(limiter.used_up("wrong", "a", 2, 60).unwrap().refusal().is_some());
    }

    #[tokio::test]
    async fn both_families_of_headers_tell_the_same() {
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
