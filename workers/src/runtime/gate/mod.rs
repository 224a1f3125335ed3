//! Whether a handler of an install may run now: invocations per minute and the circuit breaker (specification C
//! B3.2), counted in Redis for all workers together, and in this process while Redis is away.

mod local;

use std::{sync::LazyLock, time::Duration};

use chrono::{DateTime, Utc};
use redis::Script;
use shared::{clock::Clock, redis::Redis};
use uuid::Uuid;

use local::LocalGate;

/// Failures in a row, within this time, that pause an install's triggers, and for how long.
pub const BREAKER_FAILURES: usize = 20;
pub const BREAKER_WINDOW: Duration = Duration::from_secs(300);
pub const BREAKER_COOLDOWN: Duration = shared::feeds::CIRCUIT_COOLDOWN;

const MINUTE_SECONDS: i64 = 60;
/// The names of the counts of a minute begin with this.
const INVOCATIONS: &str = "runtime:invocations";
/// Commands of a gate must not hold up a chat line.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

static ADMIT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("admit.lua")));
static FAIL: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("fail.lua")));

/// What the gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// Go on. `recovering` says that the last invocation failed, so a success is news.
    Admitted { recovering: bool },
    /// The install has used up this minute's invocations. `first` is true once per minute.
    RateLimited { first: bool },
    /// The install's triggers are paused.
    Paused,
}

/// The gate of every install. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
    redis: Redis,
    clock: Clock,
    local: LocalGate,
    local_tests: LocalGate,
    per_minute: u32,
}

impl Gate {
    /// A gate that lets so many invocations of an install pass per minute.
    pub fn new(redis: Redis, clock: Clock, per_minute: u32) -> Self {
        let (local, local_tests) = (LocalGate::new(per_minute), LocalGate::new(per_minute));
        Self { redis, clock, local, local_tests, per_minute }
    }

    /// Invocations of an install per minute.
    pub const fn per_minute(&self) -> u32 {
        self.per_minute
    }

    /// Counts an invocation and says whether it may happen.
    pub async fn admit(&self, install_id: Uuid) -> Admission {
        let now = self.clock.now();
        match self.within_time(self.admit_in_redis(install_id, now)).await {
            Some(admission) => admission,
            None => self.local.admit(install_id, now),
        }
    }

    /// Counts a test, apart from what happens; false when the install has used up this minute's tests.
    pub async fn admit_test(&self, install_id: Uuid) -> bool {
        let now = self.clock.now();
        match self.within_time(self.count_in_redis("test_runs", install_id, now)).await {
            Some(count) => count <= self.per_minute,
            None => !matches!(self.local_tests.admit(install_id, now), Admission::RateLimited { .. }),
        }
    }

    /// Counts an invocation that a caller waits for; false when the install has used up this minute's. The circuit
    /// breaker pauses triggers only (C B3.2).
    pub async fn count(&self, install_id: Uuid) -> bool {
        let now = self.clock.now();
        match self.within_time(self.count_in_redis(INVOCATIONS, install_id, now)).await {
            Some(count) => count <= self.per_minute,
            None => !matches!(self.local.admit(install_id, now), Admission::RateLimited { .. }),
        }
    }

    async fn count_in_redis(&self, what: &str, install_id: Uuid, now: DateTime<Utc>) -> shared::Result<u32> {
        let minute = now.timestamp().div_euclid(MINUTE_SECONDS);
        let invocations = self.redis.key(format_args!("{what}:{install_id}:{minute}"));
        let mut connection = self.redis.get().await?;
        let (count,): (u32,) = redis::pipe()
            .atomic()
            .cmd("INCR")
            .arg(&invocations)
            .cmd("EXPIRE")
            .arg(&invocations)
            .arg(2 * MINUTE_SECONDS)
            .ignore()
            .query_async(&mut *connection)
            .await?;
        Ok(count)
    }

    /// Takes back the failures in a row.
    pub async fn succeeded(&self, install_id: Uuid) {
        self.local.succeeded(install_id);
        let forgotten = self
            .within_time(async {
                let mut connection = self.redis.get().await?;
                Ok(redis::cmd("DEL")
                    .arg(self.failures_key(install_id))
                    .query_async::<()>(&mut *connection)
                    .await?)
            })
            .await;
        if forgotten.is_none() {
            tracing::debug!(%install_id, "the failures of an install expire by themselves");
        }
    }

    /// Counts a failure; true when it was the one that pauses the install's triggers.
    pub async fn failed(&self, install_id: Uuid) -> bool {
        let now = self.clock.now();
        match self.within_time(self.fail_in_redis(install_id, now)).await {
            Some(opened) => opened,
            None => self.local.failed(install_id, now),
        }
    }

    async fn admit_in_redis(&self, install_id: Uuid, now: DateTime<Utc>) -> shared::Result<Admission> {
        let minute = now.timestamp().div_euclid(MINUTE_SECONDS);
        let invocations = self.redis.key(format_args!("{INVOCATIONS}:{install_id}:{minute}"));
        let mut connection = self.redis.get().await?;
        let (paused, count, failures): (bool, u32, u32) = ADMIT
            .key(self.pause_key(install_id))
            .key(invocations)
            .key(self.failures_key(install_id))
            .arg(2 * MINUTE_SECONDS)
            .invoke_async(&mut *connection)
            .await?;
        Ok(decide(paused, count, self.per_minute, failures > 0))
    }

    async fn fail_in_redis(&self, install_id: Uuid, now: DateTime<Utc>) -> shared::Result<bool> {
        let mut connection = self.redis.get().await?;
        Ok(FAIL
            .key(self.failures_key(install_id))
            .key(self.pause_key(install_id))
            .arg(now.timestamp_millis())
            .arg(BREAKER_FAILURES)
            .arg(u64::try_from(BREAKER_WINDOW.as_millis()).unwrap_or(u64::MAX))
            .arg(u64::try_from(BREAKER_COOLDOWN.as_millis()).unwrap_or(u64::MAX))
            .invoke_async(&mut *connection)
            .await?)
    }

    /// `None` when Redis fails or is slow.
    async fn within_time<T>(&self, work: impl Future<Output = shared::Result<T>>) -> Option<T> {
        match tokio::time::timeout(REDIS_TIMEOUT, work).await {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                tracing::debug!(%error, "counting in this process");
                None
            }
            Err(_elapsed) => {
                tracing::debug!("counting in this process: Redis is slow");
                None
            }
        }
    }

    fn failures_key(&self, install_id: Uuid) -> String {
        self.redis.key(format_args!("runtime:failures:{install_id}"))
    }

    fn pause_key(&self, install_id: Uuid) -> String {
        self.redis.key(format_args!("runtime:paused:{install_id}"))
    }
}

/// One rule for both ways of counting; `count` includes this invocation.
fn decide(paused: bool, count: u32, limit: u32, recovering: bool) -> Admission {
    if paused {
        Admission::Paused
    } else if count > limit {
        Admission::RateLimited { first: count == limit.saturating_add(1) }
    } else {
        Admission::Admitted { recovering }
    }
}
