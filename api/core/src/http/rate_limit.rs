//! Requests per minute (specification A §8, C §2.4): fixed windows, shared through Redis.
//!
//! A process counts by itself and exchanges counts with Redis a few times a second, so that a request waits for
//! Redis only the first time that its principal is seen in a window. Without Redis the own count is the limit.

use std::{
    collections::HashMap,
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
const PATIENCE: Duration = Duration::from_millis(100);
const BOUND: usize = 200_000;

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
        }
    }
}

/// What came of counting a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    pub limit: u32,
    pub remaining: u32,
    /// Unix seconds at which the window ends.
    pub reset: i64,
    pub retry_after: Option<u64>,
}

impl Verdict {
    /// The error when the limit was passed.
    #[must_use]
    pub fn refusal(&self) -> Option<ApiError> {
        let seconds = self.retry_after?;
        Some(ApiError::new(Code::RateLimitExceeded, "Rate limit exceeded").with_retry_after(seconds))
    }

    /// Writes `X-RateLimit-Limit`, `-Remaining` and `-Reset`.
    pub fn write(&self, headers: &mut HeaderMap) {
        headers.insert(HeaderName::from_static("x-ratelimit-limit"), HeaderValue::from(self.limit));
        headers.insert(HeaderName::from_static("x-ratelimit-remaining"), HeaderValue::from(self.remaining));
        headers.insert(HeaderName::from_static("x-ratelimit-reset"), HeaderValue::from(self.reset));
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
        let failures = metrics.counters(
            "rate_limit_redis_failures_total",
            "Times that request counts could not be exchanged and only the local bucket applied.",
            &[],
        )?;
        Ok(Self { parts: Arc::new(Parts { redis, clock, windows: DashMap::new(), failures }) })
    }

    /// Counts a request of a principal in a tier, against a limit per minute.
    pub async fn check(&self, tier: Tier, principal: &str, limit: u32) -> Verdict {
        self.count(tier.as_str(), principal, limit, WINDOW_SECONDS).await
    }

    /// Counts against a limit in windows of `seconds`, for limits of single routes.
    pub async fn count(&self, name: &str, principal: &str, limit: u32, seconds: i64) -> Verdict {
        let now = self.parts.clock.now().timestamp();
        let ends = (now / seconds + 1) * seconds;
        let key = format!("rl:{name}:{principal}:{}", now / seconds);
        let window = self.window(&key, ends).await;
        let used = window.own.fetch_add(1, Ordering::SeqCst) + 1 + window.others.load(Ordering::SeqCst);
        let limit_reached = used > u64::from(limit);
        Verdict {
            limit,
            remaining: u32::try_from(u64::from(limit).saturating_sub(used)).unwrap_or(0),
            reset: ends,
            retry_after: limit_reached.then(|| u64::try_from(ends - now).unwrap_or(1).max(1)),
        }
    }

    async fn window(&self, key: &str, ends: i64) -> Arc<Window> {
        if let Some(window) = self.parts.windows.get(key) {
            return Arc::clone(&window);
        }
        let window = Arc::new(Window { ends, ..Window::default() });
        // What others counted before this process saw the principal: after a restart, or behind a balancer.
        match tokio::time::timeout(PATIENCE, self.counted(key)).await {
            Ok(Ok(count)) => window.others.store(count, Ordering::SeqCst),
            Ok(Err(_)) | Err(_) => self.parts.failures.with_label_values::<&str>(&[]).inc(),
        }
        if self.parts.windows.len() >= BOUND {
            self.forget_ended();
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
