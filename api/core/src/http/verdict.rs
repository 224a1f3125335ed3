//! Result of counting a request, for answers and headers (reference/limits.md#rate-limit-headers).

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::{ApiError, Code};

/// Limit and the window for which it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Name in the headers, for example of the tier.
    pub name: &'static str,
    /// Requests in one window.
    pub limit: u32,
    /// Length of the window, in seconds.
    pub seconds: i64,
}

/// Result of counting a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Limit that was checked.
    pub policy: Policy,
    /// Requests that are left in the window.
    pub remaining: u32,
    /// Unix seconds at which the window ends.
    pub reset: i64,
    /// Seconds until the window ends.
    pub wait: u64,
    /// Seconds of `Retry-After`; `None` within the limit.
    pub retry_after: Option<u64>,
}

impl Verdict {
    pub(super) fn of(used: u64, policy: Policy, now: i64, ends: i64) -> Self {
        let (limit, wait) = (u64::from(policy.limit), u64::try_from(ends - now).unwrap_or(1).max(1));
        Self {
            policy,
            remaining: u32::try_from(limit.saturating_sub(used)).unwrap_or(0),
            reset: ends,
            wait,
            retry_after: (used > limit).then_some(wait),
        }
    }

    /// Error when the limit was exceeded; `None` within it.
    #[must_use]
    pub fn refusal(&self) -> Option<ApiError> {
        let seconds = self.retry_after?;
        Some(ApiError::new(Code::RateLimitExceeded, "Rate limit exceeded").with_retry_after(seconds))
    }

    /// Writes `X-RateLimit-Limit`, `-Remaining` and `-Reset`, and the same as `RateLimit-Policy` and
    /// `RateLimit` of the IETF draft (reference/limits.md#rate-limit-headers).
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
