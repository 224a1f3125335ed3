//! Redis keys and channels of OBS.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use foundation::{
    lease::Lease,
    redis::{Redis, milliseconds},
};
use redis::Script;
use serde::{Deserialize, Serialize};
use shared::Result;
use uuid::Uuid;

use super::{HANDSHAKE_TIMEOUT_SECS, ObsCall, ObsReply, ObsState};

/// Maximum time that a command waits for its outcome (reference/obs.md#commands).
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time that a test waits for its outcome: the handshake, and the time to begin it
/// (reference/obs.md#test).
pub const TEST_TIMEOUT: Duration = Duration::from_secs(HANDSHAKE_TIMEOUT_SECS + 3);

/// Number of commands of an account that wait; further ones are refused
/// (reference/obs.md#commands).
const MAX_WAITING_COMMANDS: usize = 20;
/// Number of tests of all accounts that wait; further ones are refused (reference/obs.md#test).
const MAX_WAITING_TESTS: usize = 500;
/// Lifetime of the state without renewal (reference/obs.md#state).
const STATE_TTL: Duration = Duration::from_secs(30);
/// Lifetime of waiting calls and of outcomes.
const CALL_TTL: Duration = Duration::from_secs(20);
/// Lifetime of a lease without renewal. Three renewals may fail (reference/obs.md#connection).
const LEASE_TTL: Duration = Duration::from_secs(7);
/// First interval at which an outcome is looked for; it doubles up to the maximum.
const INITIAL_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum interval at which an outcome is looked for.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Appends a call unless too many wait. KEYS: the list. ARGV: call, maximum number, lifetime in milliseconds.
static OFFER: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
        redis.call('RPUSH', KEYS[1], ARGV[1])
        redis.call('PEXPIRE', KEYS[1], ARGV[3])
        return 1",
    )
});

/// Both ends of the exchange. Cheap to clone.
#[derive(Clone)]
pub struct ObsExchange {
    redis: Redis,
}

/// Message to the copies of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Wake {
    /// The configuration of an account changed.
    Config { account_id: Uuid },
    /// A command of an account waits.
    Command { account_id: Uuid },
    /// A test waits.
    Test,
}

/// Result of waiting for an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The outcome.
    Replied(ObsReply),
    /// Too many calls wait. The call was not offered.
    Full,
    /// The daemon did not take the call and never will.
    NotTaken,
    /// The daemon has taken the call; its outcome is unknown.
    Unknown,
}

impl ObsExchange {
    /// Exchange over the given Redis.
    #[must_use]
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Returns what is known of the OBS of an account; `None` when no copy of the daemon attends to it.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn state(&self, account: Uuid) -> Result<Option<ObsState>> {
        let mut connection = self.redis.get().await?;
        let text: Option<String> =
            redis::cmd("GET").arg(self.state_key(account)).query_async(&mut *connection).await?;
        text.map(|text| Ok(serde_json::from_str(&text)?)).transpose()
    }

    /// Stores or renews what is known of the OBS of an account.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn store(&self, account: Uuid, state: &ObsState) -> Result<()> {
        let text = serde_json::to_string(state)?;
        redis::cmd("PSETEX")
            .arg(self.state_key(account))
            .arg(milliseconds(STATE_TTL))
            .arg(text)
            .query_async::<()>(&mut *self.redis.get().await?)
            .await?;
        Ok(())
    }

    /// Removes what is known of the OBS of an account. Waiting commands expire by themselves.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn clear(&self, account: Uuid) -> Result<()> {
        let mut connection = self.redis.get().await?;
        redis::cmd("DEL").arg(self.state_key(account)).query_async::<()>(&mut *connection).await?;
        Ok(())
    }

    /// Returns the lease on the connection of an account for a copy of the daemon. It is not taken yet.
    #[must_use]
    pub fn lease(&self, account: Uuid, copy: Uuid) -> Lease {
        Lease::new(&self.redis, self.redis.key(format_args!("obs:lease:{account}")), &copy, LEASE_TTL)
    }

    /// Takes the right to test the connection of an account; `None` while another test runs.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn test_slot(&self, account: Uuid, test: Uuid) -> Result<Option<Lease>> {
        let key = self.redis.key(format_args!("obs:testing:{account}"));
        Lease::take(&self.redis, key, &test, TEST_TIMEOUT).await
    }

    /// Passes a command to the daemon and waits for its outcome, for at most [`COMMAND_TIMEOUT`].
    ///
    /// # Errors
    /// Redis failure. The command may be executed nevertheless.
    pub async fn command(&self, call: &ObsCall) -> Result<Asked> {
        let (list, wake) = (self.commands(call.account_id), Wake::Command { account_id: call.account_id });
        self.ask(list, MAX_WAITING_COMMANDS, call, wake, COMMAND_TIMEOUT).await
    }

    /// Passes a test to the daemon and waits for its outcome, for at most [`TEST_TIMEOUT`].
    ///
    /// # Errors
    /// Redis failure.
    pub async fn test(&self, call: &ObsCall) -> Result<Asked> {
        self.ask(self.tests(), MAX_WAITING_TESTS, call, Wake::Test, TEST_TIMEOUT).await
    }

    async fn ask(
        &self,
        list: String,
        limit: usize,
        call: &ObsCall,
        wake: Wake,
        wait_timeout: Duration,
    ) -> Result<Asked> {
        let (began, text) = (Instant::now(), serde_json::to_string(call)?);
        if !self.offer(&list, limit, &text).await? {
            return Ok(Asked::Full);
        }
        if let Err(error) = self.wake(wake).await {
            tracing::debug!(%error, "a call waits until the daemon polls");
        }
        let mut pause = INITIAL_POLL_INTERVAL;
        while began.elapsed() < wait_timeout {
            tokio::time::sleep(pause).await;
            if let Some(reply) = self.reply(call.id).await? {
                return Ok(Asked::Replied(reply));
            }
            pause = (pause * 2).min(MAX_POLL_INTERVAL);
        }
        if self.withdraw(&list, &text).await? {
            return Ok(Asked::NotTaken);
        }
        Ok(self.reply(call.id).await?.map_or(Asked::Unknown, Asked::Replied))
    }

    async fn offer(&self, list: &str, limit: usize, text: &str) -> Result<bool> {
        let mut connection = self.redis.get().await?;
        let mut offer = OFFER.key(list);
        offer.arg(text).arg(limit).arg(milliseconds(CALL_TTL));
        Ok(offer.invoke_async(&mut *connection).await?)
    }

    /// Removes a call that nothing has taken; false when something has.
    async fn withdraw(&self, list: &str, text: &str) -> Result<bool> {
        let mut connection = self.redis.get().await?;
        let removed: u32 =
            redis::cmd("LREM").arg(list).arg(1).arg(text).query_async(&mut *connection).await?;
        Ok(removed > 0)
    }

    async fn reply(&self, call: Uuid) -> Result<Option<ObsReply>> {
        let mut connection = self.redis.get().await?;
        let text: Option<String> =
            redis::cmd("GETDEL").arg(self.reply_key(call)).query_async(&mut *connection).await?;
        text.map(|text| Ok(serde_json::from_str(&text)?)).transpose()
    }

    /// Takes the oldest waiting command of an account. No other copy gets it.
    ///
    /// # Errors
    /// Redis failure; a command may be lost then.
    pub async fn take_command(&self, account: Uuid) -> Result<Option<ObsCall>> {
        self.take(self.commands(account)).await
    }

    /// Takes the oldest waiting test.
    ///
    /// # Errors
    /// Redis failure; a test may be lost then.
    pub async fn take_test(&self) -> Result<Option<ObsCall>> {
        self.take(self.tests()).await
    }

    async fn take(&self, list: String) -> Result<Option<ObsCall>> {
        let mut connection = self.redis.get().await?;
        let text: Option<String> = redis::cmd("LPOP").arg(list).query_async(&mut *connection).await?;
        text.map(|text| Ok(serde_json::from_str(&text)?)).transpose()
    }

    /// Stores the outcome of a call for its caller.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn answer(&self, call: Uuid, reply: &ObsReply) -> Result<()> {
        redis::cmd("PSETEX")
            .arg(self.reply_key(call))
            .arg(milliseconds(CALL_TTL))
            .arg(serde_json::to_string(reply)?)
            .query_async::<()>(&mut *self.redis.get().await?)
            .await?;
        Ok(())
    }

    /// Wakes the copies of the daemon. A lost message delays and loses nothing: they also poll.
    ///
    /// # Errors
    /// Redis failure.
    pub async fn wake(&self, wake: Wake) -> Result<()> {
        self.redis.publish(&self.wake_channel(), serde_json::to_string(&wake)?.as_bytes()).await
    }

    /// Channel of [`Wake`].
    #[must_use]
    pub fn wake_channel(&self) -> String {
        self.redis.key("obs:wake")
    }

    fn state_key(&self, account: Uuid) -> String {
        self.redis.key(format_args!("obs:state:{account}"))
    }

    fn commands(&self, account: Uuid) -> String {
        self.redis.key(format_args!("obs:commands:{account}"))
    }

    fn tests(&self) -> String {
        self.redis.key("obs:tests")
    }

    fn reply_key(&self, call: Uuid) -> String {
        self.redis.key(format_args!("obs:reply:{call}"))
    }
}
