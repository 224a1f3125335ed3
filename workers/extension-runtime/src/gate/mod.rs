//! Admission of an install's handlers: invocations per minute (reference/handlers.md#invocations) and the
//! circuit breaker (reference/handlers.md#circuit-breaker), counted in Redis for all workers together, and in
//! this process while Redis is away.

mod local;

use std::time::Duration;

use chrono::{DateTime, Utc};
use extension_model::limits::{LimitKey, ResolvedLimits};
use foundation::{
    breaker::{Breaker, Policy, Recovery},
    limits::FixedWindow,
    redis::Redis,
};
use shared::clock::Clock;
use uuid::Uuid;

use local::LocalGate;

/// Number of failures in a row that pause an install's triggers.
pub const BREAKER_FAILURES: usize = 20;
/// Time within which these failures must follow each other.
pub const BREAKER_WINDOW: Duration = Duration::from_secs(300);
/// Time for which the triggers are paused.
pub const BREAKER_COOLDOWN: Duration = extension_model::feeds::CIRCUIT_COOLDOWN;

const MINUTE_SECONDS: i64 = 60;
/// Prefix of the names of a minute's counts.
const INVOCATIONS: &str = "runtime:invocations";
/// Maximum wait for a command of the gate, which must not delay a chat line.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

const BREAKER: Policy = Policy {
    max_failures: BREAKER_FAILURES,
    window: BREAKER_WINDOW,
    pause: BREAKER_COOLDOWN,
    recovery: Recovery::Pause,
};

/// Decision of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The handler may run. `recovering` is true when the last invocation failed, so that a success must be
    /// recorded.
    Admitted { recovering: bool },
    /// The install has used up this minute's invocations. `first` is true once per minute.
    RateLimited { first: bool },
    /// The install's triggers are paused.
    Paused,
}

/// Gate of every install. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
    redis: Redis,
    clock: Clock,
    local: LocalGate,
    local_tests: LocalGate,
    per_minute: u32,
}

impl Gate {
    /// Returns a gate that admits `per_minute` invocations of an install per minute, unless its extension has
    /// another limit.
    pub fn new(redis: Redis, clock: Clock, per_minute: u32) -> Self {
        let (local, local_tests) = (LocalGate::new(), LocalGate::new());
        Self { redis, clock, local, local_tests, per_minute }
    }

    /// Returns the number of invocations of an install per minute.
    pub fn per_minute(&self, limits: &ResolvedLimits) -> u32 {
        let own = limits.overridden(LimitKey::InvocationsPerMinute);
        own.map_or(self.per_minute, |own| u32::try_from(own).unwrap_or(u32::MAX))
    }

    /// Counts an invocation and decides whether it may run: `per_minute` in a minute may.
    pub async fn admit(&self, install_id: Uuid, per_minute: u32) -> Admission {
        let now = self.clock.now();
        match self.within_time(self.admit_in_redis(install_id, per_minute, now)).await {
            Some(admission) => admission,
            None => self.local.admit(install_id, per_minute, now),
        }
    }

    /// Counts a test, apart from real events; false when the install has used up this minute's tests.
    pub async fn admit_test(&self, install_id: Uuid, per_minute: u32) -> bool {
        let now = self.clock.now();
        match self.within_time(self.window("test_runs", install_id, now).count(&self.redis)).await {
            Some(count) => count <= per_minute,
            None => {
                let admission = self.local_tests.admit(install_id, per_minute, now);
                !matches!(admission, Admission::RateLimited { .. })
            }
        }
    }

    /// Counts an invocation that a caller waits for; false when the install has used up this minute's. The
    /// circuit breaker pauses triggers only.
    pub async fn count(&self, install_id: Uuid, per_minute: u32) -> bool {
        let now = self.clock.now();
        match self.within_time(self.window(INVOCATIONS, install_id, now).count(&self.redis)).await {
            Some(count) => count <= per_minute,
            None => !matches!(self.local.admit(install_id, per_minute, now), Admission::RateLimited { .. }),
        }
    }

    /// Returns the count of an install in the minute of `now`.
    fn window(&self, what: &str, install_id: Uuid, now: DateTime<Utc>) -> FixedWindow {
        let minute = now.timestamp().div_euclid(MINUTE_SECONDS);
        let key = self.redis.key(format_args!("{what}:{install_id}:{minute}"));
        FixedWindow { key, ttl_secs: 2 * MINUTE_SECONDS }
    }

    /// Resets the failures in a row.
    pub async fn succeeded(&self, install_id: Uuid) {
        self.local.succeeded(install_id);
        let forgotten = self.within_time(async { self.breaker(install_id).succeed().await }).await;
        if forgotten.is_none() {
            tracing::debug!(%install_id, "the failures of an install were not reset; they expire");
        }
    }

    /// Counts a failure; true when it is the one that pauses the install's triggers.
    pub async fn failed(&self, install_id: Uuid) -> bool {
        let now = self.clock.now();
        match self.within_time(async { self.breaker(install_id).fail(now).await }).await {
            Some(opened) => opened,
            None => self.local.failed(install_id, now),
        }
    }

    async fn admit_in_redis(
        &self,
        install_id: Uuid,
        per_minute: u32,
        now: DateTime<Utc>,
    ) -> shared::Result<Admission> {
        let window = self.window(INVOCATIONS, install_id, now);
        Ok(match self.breaker(install_id).admit(now, Some(&window)).await? {
            Some(admitted) => decide(false, admitted.count, per_minute, admitted.is_recovering),
            None => Admission::Paused,
        })
    }

    /// Runs a command; `None` when Redis fails or is slow.
    async fn within_time<T>(&self, work: impl Future<Output = shared::Result<T>>) -> Option<T> {
        match tokio::time::timeout(REDIS_TIMEOUT, work).await {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                tracing::debug!(%error, "invocations are counted in this process");
                None
            }
            Err(_elapsed) => {
                tracing::debug!("invocations are counted in this process: Redis is slow");
                None
            }
        }
    }

    fn breaker(&self, install_id: Uuid) -> Breaker<'_> {
        let pause = self.redis.key(format_args!("runtime:paused:{install_id}"));
        let failures = self.redis.key(format_args!("runtime:failures:{install_id}"));
        Breaker::new(&self.redis, BREAKER, pause, failures)
    }
}

/// Decides for both ways of counting; `count` includes this invocation.
fn decide(paused: bool, count: u32, limit: u32, recovering: bool) -> Admission {
    if paused {
        Admission::Paused
    } else if count > limit {
        Admission::RateLimited { first: count == limit.saturating_add(1) }
    } else {
        Admission::Admitted { recovering }
    }
}
