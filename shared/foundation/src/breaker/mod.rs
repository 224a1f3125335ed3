//! Circuit breakers: after some failures calls are refused for a time. All processes share their state in
//! Redis. They differ in their [`Recovery`].

use std::{sync::LazyLock, time::Duration};

use crate::{
    limits::FixedWindow,
    redis::{Redis, milliseconds},
};
use chrono::{DateTime, Utc};
use redis::Script;
use shared::Result;

static ADMIT_TRIAL: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("check_trial.lua"), include_str!("count.lua"))));
static ADMIT_UNPAUSED: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("check_pause.lua"), include_str!("count.lua"))));
static FAIL_TRIAL: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("fail_trial.lua")));
static FAIL_PAUSE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("fail_pause.lua")));

/// Way from an open breaker back to a closed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// After the pause one trial call at a time is admitted. A success closes the breaker; a failure opens it
    /// for another pause. The pause is measured by the clock of the caller.
    Trial {
        /// Time after which a trial ends whose process died.
        timeout: Duration,
    },
    /// After the pause the breaker is closed, without failures. A success does not shorten the pause. The
    /// pause is measured by Redis.
    Pause,
}

/// Rule by which a breaker opens and closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Number of failures without a success in between that open the breaker.
    pub max_failures: usize,
    /// Time within which these failures must follow each other.
    pub window: Duration,
    /// Time for which calls are refused.
    pub pause: Duration,
    /// Way back.
    pub recovery: Recovery,
}

/// Breaker of one subject.
pub struct Breaker<'a> {
    redis: &'a Redis,
    policy: Policy,
    /// Full names of the keys of the state and of the failures.
    state: String,
    failures: String,
}

/// Admitted call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admitted {
    /// Count of the window with this call; 0 without a window.
    pub count: u32,
    /// True when failures are known that a success erases: with [`Recovery::Pause`] after any failure, with
    /// [`Recovery::Trial`] only for the trial of an open breaker. A caller with trials records each success.
    pub is_recovering: bool,
}

impl<'a> Breaker<'a> {
    /// Returns the breaker with these keys.
    #[must_use]
    pub const fn new(redis: &'a Redis, policy: Policy, state: String, failures: String) -> Self {
        Self { redis, policy, state, failures }
    }

    /// Admits a call; `None` while calls are refused. Counts an admitted call in `window`, in the same
    /// command.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn admit(&self, now: DateTime<Utc>, window: Option<&FixedWindow>) -> Result<Option<Admitted>> {
        let (script, trial) = match self.policy.recovery {
            Recovery::Trial { timeout } => (&*ADMIT_TRIAL, timeout),
            Recovery::Pause => (&*ADMIT_UNPAUSED, Duration::ZERO),
        };
        let mut call = script.key(&self.state);
        call.key(&self.failures)
            .arg(now.timestamp_millis())
            .arg(milliseconds(self.policy.pause))
            .arg(milliseconds(trial));
        if let Some(window) = window {
            call.key(&window.key).arg(window.ttl_secs);
        }
        let mut connection = self.redis.get().await?;
        let (is_admitted, count, failures): (bool, u32, u32) = call.invoke_async(&mut *connection).await?;
        Ok(is_admitted.then_some(Admitted { count, is_recovering: failures > 0 }))
    }

    /// Records a success: forgets the failures, and closes a breaker that recovers by trials.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn succeed(&self) -> Result<()> {
        let mut call = redis::cmd("DEL");
        if matches!(self.policy.recovery, Recovery::Trial { .. }) {
            call.arg(&self.state);
        }
        call.arg(&self.failures).query_async::<()>(&mut *self.redis.get().await?).await?;
        Ok(())
    }

    /// Counts a failure; true when it is one that opens the breaker.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn fail(&self, now: DateTime<Utc>) -> Result<bool> {
        let script = match self.policy.recovery {
            Recovery::Trial { .. } => &*FAIL_TRIAL,
            Recovery::Pause => &*FAIL_PAUSE,
        };
        let mut connection = self.redis.get().await?;
        Ok(script
            .key(&self.state)
            .key(&self.failures)
            .arg(now.timestamp_millis())
            .arg(self.policy.max_failures)
            .arg(milliseconds(self.policy.window))
            .arg(milliseconds(self.policy.pause))
            .arg(shared::id::new().to_string())
            .invoke_async(&mut *connection)
            .await?)
    }
}
