//! Redis keys and channels of calls.

use std::{fmt::Display, sync::LazyLock, time::Duration};

use redis::Script;
use uuid::Uuid;

use super::{FunctionCall, FunctionReply};
use foundation::redis::{PendingReply, Redis, RoundTrip};
use shared::{Error, Result};

/// Longer than any call waits or runs.
const CALL_TTL: Duration = Duration::from_secs(300);
/// Time after which a runtime without a sign of life counts as lost.
const PRESENCE_TTL: Duration = Duration::from_secs(6);
/// Maximum number of waiting calls; further ones are refused.
const MAX_WAITING: usize = 10_000;

static OFFER: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("offer.lua")));
static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("take.lua")));
static ANSWER: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("answer.lua")));
static WITHDRAW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("withdraw.lua")));

/// Both ends of the exchange. Cheap to clone.
#[derive(Clone)]
pub struct Calls {
    redis: Redis,
}

/// State of a call without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// No runtime has taken it. `runtimes` is true when a runtime is alive.
    Waiting { runtimes: bool },
    /// A live runtime has taken it.
    Running,
    /// The runtime that took it is lost; its progress is unknown.
    Lost,
}

/// Result of withdrawing a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawn {
    /// The call never ran and never will.
    Whole,
    /// A runtime has taken the call.
    Taken,
}

impl Calls {
    /// Exchange over the given Redis.
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Appends a call to the list. Returns false when too many calls wait.
    ///
    /// # Errors
    /// Redis failure. The call may be in the list then: withdraw it.
    pub async fn offer(&self, call: &FunctionCall) -> Result<bool> {
        let text = serde_json::to_string(call)?;
        let mut connection = self.redis.get().await?;
        Ok(OFFER
            .key(self.list())
            .key(self.body(call.id))
            .arg(call.id.to_string())
            .arg(text)
            .arg(MAX_WAITING)
            .arg(CALL_TTL.as_millis())
            .arg(self.redis.publish_command())
            .arg(self.offers_channel())
            .invoke_async(&mut *connection)
            .await?)
    }

    /// Takes at most `limit` calls for a runtime, oldest first. No other runtime gets them.
    ///
    /// # Errors
    /// Redis failure. Calls may have been taken that nothing runs; they count as lost when this runtime's
    /// presence expires.
    pub async fn take(&self, runtime: Uuid, limit: usize) -> Result<Vec<FunctionCall>> {
        loop {
            let ids = self.waiting(limit).await?;
            let removed = self.remove_waiting(runtime, &ids).await?;
            // Other runtimes took all that were read: later ones may wait. Each round others have taken some.
            if !removed.is_empty() || ids.is_empty() {
                let bodies = removed.iter().flatten();
                return bodies.map(|text| serde_json::from_str(text).map_err(Error::from)).collect();
            }
        }
    }

    /// Ids of the oldest waiting calls.
    async fn waiting(&self, limit: usize) -> Result<Vec<String>> {
        let last = limit.saturating_sub(1);
        let mut range = redis::cmd("LRANGE");
        range.arg(self.list()).arg(0).arg(last);
        Ok(range.query_async(&mut *self.redis.get().await?).await?)
    }

    /// Takes those of the calls that still wait; returns their bodies, `None` for one that was withdrawn or has expired.
    async fn remove_waiting(&self, runtime: Uuid, ids: &[String]) -> Result<Vec<Option<String>>> {
        let mut trip = RoundTrip::default();
        let mut pending: Vec<PendingReply<(bool, Option<String>)>> = Vec::new();
        for id in ids {
            pending.push(trip.script(&TAKE, |call| {
                call.key(self.list()).key(self.body(id)).key(self.taken(id));
                call.arg(id).arg(runtime.to_string()).arg(CALL_TTL.as_millis());
            }));
        }
        let mut answers = trip.send(&self.redis).await?;
        let taken = pending.into_iter().map(|taken| answers.take(taken)).collect::<Result<Vec<_>>>()?;
        Ok(taken.into_iter().filter_map(|(is_taken, body)| is_taken.then_some(body)).collect())
    }

    /// Stores the result of a call and announces it to the waiting caller.
    ///
    /// # Errors
    /// Redis failure; may be repeated.
    pub async fn answer(&self, call: Uuid, reply: &FunctionReply) -> Result<()> {
        let mut connection = self.redis.get().await?;
        Ok(ANSWER
            .key(self.result(call))
            .arg(serde_json::to_string(reply)?)
            .arg(CALL_TTL.as_millis())
            .arg(self.redis.publish_command())
            .arg(self.replies_channel())
            .arg(call.to_string())
            .invoke_async(&mut *connection)
            .await?)
    }

    /// Removes and returns the result of a call; `None` while there is none.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn reply(&self, call: Uuid) -> Result<Option<FunctionReply>> {
        let mut connection = self.redis.get().await?;
        let text: Option<String> =
            redis::cmd("GETDEL").arg(self.result(call)).query_async(&mut *connection).await?;
        text.map(|text| Ok(serde_json::from_str(&text)?)).transpose()
    }

    /// Returns the state of a call without a result.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn presence(&self, call: Uuid) -> Result<Presence> {
        let mut connection = self.redis.get().await?;
        let runtime: Option<String> =
            redis::cmd("GET").arg(self.taken(call)).query_async(&mut *connection).await?;
        let Some(runtime) = runtime else {
            let there: u32 =
                redis::cmd("EXISTS").arg(self.any_runtime()).query_async(&mut *connection).await?;
            return Ok(Presence::Waiting { runtimes: there > 0 });
        };
        let there: u32 =
            redis::cmd("EXISTS").arg(self.runtime(&runtime)).query_async(&mut *connection).await?;
        Ok(if there > 0 { Presence::Running } else { Presence::Lost })
    }

    /// Withdraws a call.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn withdraw(&self, call: Uuid) -> Result<Withdrawn> {
        let mut connection = self.redis.get().await?;
        let whole: bool = WITHDRAW
            .key(self.list())
            .key(self.body(call))
            .key(self.taken(call))
            .arg(call.to_string())
            .invoke_async(&mut *connection)
            .await?;
        Ok(if whole { Withdrawn::Whole } else { Withdrawn::Taken })
    }

    /// Refreshes a runtime's presence.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn announce_presence(&self, runtime: Uuid) -> Result<()> {
        let mut pipe = redis::pipe();
        for key in [self.runtime(&runtime.to_string()), self.any_runtime()] {
            pipe.cmd("SET").arg(key).arg(1).arg("PX").arg(PRESENCE_TTL.as_millis() as u64).ignore();
        }
        Ok(pipe.query_async(&mut *self.redis.get().await?).await?)
    }

    /// Channel that announces waiting calls.
    #[must_use]
    pub fn offers_channel(&self) -> String {
        self.redis.key("functions:offers")
    }

    /// Channel with the ids of calls that have a result.
    #[must_use]
    pub fn replies_channel(&self) -> String {
        self.redis.key("functions:replies")
    }

    fn list(&self) -> String {
        self.redis.key("functions:waiting")
    }

    fn body(&self, call: impl Display) -> String {
        self.redis.key(format_args!("functions:body:{call}"))
    }

    fn taken(&self, call: impl Display) -> String {
        self.redis.key(format_args!("functions:taken:{call}"))
    }

    fn result(&self, call: Uuid) -> String {
        self.redis.key(format_args!("functions:result:{call}"))
    }

    fn runtime(&self, runtime: &str) -> String {
        self.redis.key(format_args!("functions:runtime:{runtime}"))
    }

    fn any_runtime(&self) -> String {
        self.redis.key("functions:runtime")
    }
}
