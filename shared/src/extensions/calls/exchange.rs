//! The list, the notes and the announcements in Redis.

use std::{sync::LazyLock, time::Duration};

use redis::Script;
use uuid::Uuid;

use super::{FunctionCall, FunctionReply};
use crate::{Error, Result, redis::Redis};

/// Longer than any call waits or runs.
const RETENTION: Duration = Duration::from_secs(300);
/// A runtime that does not say that it is there for this long is lost.
const PRESENCE: Duration = Duration::from_secs(6);
/// Calls that may wait; beyond it new ones are turned away.
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

/// What is known of a call that has no result yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Nobody has taken it; `runtimes` tells whether there is anybody who could.
    Waiting { runtimes: bool },
    /// A runtime that is there has it.
    Running,
    /// The runtime that had it is lost: nobody knows how far it came.
    Lost,
}

/// What became of an attempt to withdraw a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawn {
    /// It never ran and never will.
    Whole,
    /// A runtime has taken it.
    Taken,
}

impl Calls {
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Puts a call into the list; false when too many wait.
    ///
    /// # Errors
    /// When Redis cannot be reached. Whether the call is in the list is then not known: withdraw it.
    pub async fn offer(&self, call: &FunctionCall) -> Result<bool> {
        let text = serde_json::to_string(call)?;
        let mut connection = self.redis.get().await?;
        Ok(OFFER
            .key(self.list())
            .key(self.body(call.id))
            .arg(call.id.to_string())
            .arg(text)
            .arg(MAX_WAITING)
            .arg(RETENTION.as_millis())
            .arg(self.offers())
            .invoke_async(&mut *connection)
            .await?)
    }

    /// Takes at most so many calls for a runtime, oldest first. They are its alone from now on.
    ///
    /// # Errors
    /// When Redis cannot be reached. Calls may have been taken then and nobody runs them: their callers learn that
    /// they were lost when this runtime no longer says that it is there.
    pub async fn take(&self, runtime: Uuid, most: usize) -> Result<Vec<FunctionCall>> {
        let mut connection = self.redis.get().await?;
        let taken: Vec<String> = TAKE
            .key(self.list())
            .arg(self.redis.key("functions:"))
            .arg(runtime.to_string())
            .arg(most)
            .arg(RETENTION.as_millis())
            .invoke_async(&mut *connection)
            .await?;
        taken.iter().map(|text| serde_json::from_str(text).map_err(Error::from)).collect()
    }

    /// Leaves the result of a call and tells whoever waits for it.
    ///
    /// # Errors
    /// When Redis cannot be reached; may be repeated.
    pub async fn answer(&self, call: Uuid, reply: &FunctionReply) -> Result<()> {
        let mut connection = self.redis.get().await?;
        Ok(ANSWER
            .key(self.result(call))
            .arg(serde_json::to_string(reply)?)
            .arg(RETENTION.as_millis())
            .arg(self.replies())
            .arg(call.to_string())
            .invoke_async(&mut *connection)
            .await?)
    }

    /// The result of a call, once; `None` while there is none.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn reply(&self, call: Uuid) -> Result<Option<FunctionReply>> {
        let mut connection = self.redis.get().await?;
        let text: Option<String> =
            redis::cmd("GETDEL").arg(self.result(call)).query_async(&mut *connection).await?;
        text.map(|text| Ok(serde_json::from_str(&text)?)).transpose()
    }

    /// Who has a call that has no result.
    ///
    /// # Errors
    /// When Redis cannot be reached.
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

    /// Takes a call back.
    ///
    /// # Errors
    /// When Redis cannot be reached.
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

    /// Says that a runtime is there.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn be_present(&self, runtime: Uuid) -> Result<()> {
        let mut pipe = redis::pipe();
        for key in [self.runtime(&runtime.to_string()), self.any_runtime()] {
            pipe.cmd("SET").arg(key).arg(1).arg("PX").arg(PRESENCE.as_millis() as u64).ignore();
        }
        Ok(pipe.query_async(&mut *self.redis.get().await?).await?)
    }

    /// The channel that says that calls wait.
    #[must_use]
    pub fn offers(&self) -> String {
        self.redis.key("functions:offers")
    }

    /// The channel that names calls that have a result.
    #[must_use]
    pub fn replies(&self) -> String {
        self.redis.key("functions:replies")
    }

    fn list(&self) -> String {
        self.redis.key("functions:waiting")
    }

    fn body(&self, call: Uuid) -> String {
        self.redis.key(format_args!("functions:body:{call}"))
    }

    fn taken(&self, call: Uuid) -> String {
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
