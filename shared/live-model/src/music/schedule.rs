//! Schedule of polls for all copies of the poller (reference/music.md#polling).
//!
//! A sorted set has the time of the next poll of each account. A copy claims accounts that are due: the claim
//! moves their time to its own end, so that another copy takes an account over when its copy dies.

use std::{sync::LazyLock, time::Duration};

use chrono::{DateTime, Utc};
use foundation::{lease::Lease, redis::Redis};
use redis::Script;
use serde::{Deserialize, Serialize};
use shared::{
    Result,
    id::{AccountId, Trust},
};
use uuid::Uuid;

/// Claims accounts that are due. KEYS: due, claims, woken, targets, pauses. ARGV: present time, end of the
/// claims, number of accounts. Returns the number of accounts in the schedule, and account and target of each
/// claim. Accounts of an application that Spotify limits are due when it may call again.
static CLAIM: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local taken = {}
        if tonumber(ARGV[3]) > 0 then
            local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
            for place, account in ipairs(due) do
                local target = redis.call('HGET', KEYS[4], account)
                if not target then
                    redis.call('ZREM', KEYS[1], account)
                else
                    local pause = redis.call('ZSCORE', KEYS[5], cjson.decode(target).app)
                    if pause and tonumber(pause) > tonumber(ARGV[1]) then
                        redis.call('ZADD', KEYS[1], tonumber(pause) + place * 50, account)
                    else
                        redis.call('ZADD', KEYS[1], ARGV[2], account)
                        redis.call('ZADD', KEYS[2], ARGV[2], account)
                        redis.call('SREM', KEYS[3], account)
                        taken[#taken + 1] = account
                        taken[#taken + 1] = target
                    end
                end
            end
        end
        return {redis.call('ZCARD', KEYS[1]), taken}",
    )
});

/// Ends a claim. KEYS: due, claims, woken. ARGV: account, end of the claim, time of the next poll. Does
/// nothing when another copy has taken the account over.
static FINISH: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('ZSCORE', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
        redis.call('ZREM', KEYS[2], ARGV[1])
        local at = ARGV[3]
        if redis.call('SREM', KEYS[3], ARGV[1]) == 1 then at = 0 end
        return redis.call('ZADD', KEYS[1], 'XX', 'CH', at, ARGV[1])",
    )
});

/// Makes an account due. KEYS: due, claims, woken. ARGV: account. One that is being polled is due after it.
static WAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
        if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return redis.call('SADD', KEYS[3], ARGV[1]) end
        return redis.call('ZADD', KEYS[1], 'XX', 'CH', 0, ARGV[1])",
    )
});

/// Removes accounts, except those that are being polled. KEYS: due, claims, woken, targets, streams. ARGV:
/// present time, accounts. Returns the removed ones.
static REMOVE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local gone = {}
        for place = 2, #ARGV do
            local account = ARGV[place]
            local claim = redis.call('ZSCORE', KEYS[2], account)
            if not claim or tonumber(claim) <= tonumber(ARGV[1]) then
                redis.call('ZREM', KEYS[1], account)
                redis.call('ZREM', KEYS[2], account)
                redis.call('SREM', KEYS[3], account)
                redis.call('HDEL', KEYS[4], account)
                redis.call('HDEL', KEYS[5], account)
                gone[#gone + 1] = account
            end
        end
        return gone",
    )
});

/// Interval at which one of the copies compares the schedule with the connections of all accounts.
const PLAN_INTERVAL: Duration = Duration::from_secs(5);
/// Lifetime of the claim of a copy that has died. Longer than a poll can take (reference/music.md#polling).
const CLAIM_TTL: Duration = Duration::from_secs(9);
/// Accounts of one command.
const BATCH_SIZE: usize = 1000;

/// Way in which an account is polled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Connection to Spotify.
    pub connection_id: Uuid,
    /// Application of the connection, whose limits its accounts share.
    pub app: String,
    /// Begin of the present stream, in milliseconds since 1970; `None` when no channel is live.
    pub stream: Option<i64>,
    /// True when songs are checked against the lists of the account.
    pub checks_copyright: bool,
}

/// Account to poll now, claimed for this copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poll {
    /// The account.
    pub account: AccountId,
    /// Way in which it is polled.
    pub target: Target,
    claimed_until: i64,
}

/// Result of a claim.
#[derive(Debug, Default)]
pub struct Claims {
    /// Number of accounts in the schedule.
    pub scheduled: i64,
    /// Claimed accounts.
    pub polls: Vec<Poll>,
}

/// Schedule of polls. Cheap to clone.
#[derive(Clone)]
pub struct Schedule {
    redis: Redis,
    due: String,
    claims: String,
    woken: String,
    targets: String,
    pauses: String,
    streams: String,
}

impl Schedule {
    /// Returns the schedule in the given Redis.
    #[must_use]
    pub fn new(redis: &Redis) -> Self {
        Self {
            due: redis.key("music_polls:due"),
            claims: redis.key("music_polls:claims"),
            woken: redis.key("music_polls:woken"),
            targets: redis.key("music_polls:targets"),
            pauses: redis.key("music_polls:pauses"),
            streams: redis.key("music_polls:streams"),
            redis: redis.clone(),
        }
    }

    /// Claims at most `limit` accounts that are due.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn claim(&self, limit: usize, now: DateTime<Utc>) -> Result<Claims> {
        let now = now.timestamp_millis();
        let claimed_until = now + i64::try_from(CLAIM_TTL.as_millis()).unwrap_or(i64::MAX / 2);
        let (scheduled, taken): (i64, Vec<String>) = CLAIM
            .key(&self.due)
            .key(&self.claims)
            .key(&self.woken)
            .key(&self.targets)
            .key(&self.pauses)
            .arg(now)
            .arg(claimed_until)
            .arg(limit)
            .invoke_async(&mut *self.redis.get().await?)
            .await?;
        let polls = taken.chunks_exact(2).filter_map(|pair| {
            let account = account(&pair[0])?;
            Some(Poll { account, target: serde_json::from_str(&pair[1]).ok()?, claimed_until })
        });
        Ok(Claims { scheduled, polls: polls.collect() })
    }

    /// Ends a claim; the account is due again at the given time, or immediately when it was woken meanwhile.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn finish(&self, poll: &Poll, next: DateTime<Utc>) -> Result<()> {
        FINISH
            .key(&self.due)
            .key(&self.claims)
            .key(&self.woken)
            .arg(poll.account.to_string())
            .arg(poll.claimed_until)
            .arg(next.timestamp_millis())
            .invoke_async::<()>(&mut *self.redis.get().await?)
            .await?;
        Ok(())
    }

    /// Keeps every copy from polling the accounts of an application until the given time.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn pause(&self, app: &str, until: DateTime<Utc>) -> Result<()> {
        redis::cmd("ZADD")
            .arg(&self.pauses)
            .arg("GT")
            .arg(until.timestamp_millis())
            .arg(app)
            .query_async::<()>(&mut *self.redis.get().await?)
            .await?;
        Ok(())
    }

    /// Makes an account due immediately.
    pub(super) async fn wake(&self, account: AccountId) -> Result<()> {
        WAKE.key(&self.due)
            .key(&self.claims)
            .key(&self.woken)
            .arg(account.to_string())
            .invoke_async::<()>(&mut *self.redis.get().await?)
            .await?;
        Ok(())
    }

    /// True when this copy is to compare the schedule with the connections now.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn is_time_to_plan(&self) -> Result<bool> {
        let key = self.redis.key("music_polls:plan");
        // Copies need no name here: the lease is not released, it lasts until the next comparison.
        Ok(Lease::take(&self.redis, key, &1, PLAN_INTERVAL).await?.is_some())
    }

    /// Returns the begin of the present stream of each live account. A stream keeps its begin until no channel
    /// of the account is live, also when the channel that began it goes off first.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn streams(&self, live: &[(AccountId, Option<i64>)]) -> Result<Vec<Option<i64>>> {
        let mut streams = Vec::with_capacity(live.len());
        for batch in live.chunks(BATCH_SIZE) {
            let mut calls = redis::pipe();
            for (account, began_at) in batch {
                match began_at {
                    Some(at) => calls.hset_nx(&self.streams, account.to_string(), *at).ignore(),
                    None => calls.hdel(&self.streams, account.to_string()).ignore(),
                };
            }
            calls.cmd("HMGET").arg(&self.streams);
            for (account, _) in batch {
                calls.arg(account.to_string());
            }
            let (found,): (Vec<Option<i64>>,) = calls.query_async(&mut *self.redis.get().await?).await?;
            streams.extend(found);
        }
        Ok(streams)
    }

    /// Adds accounts, due at the given times, or changes how those in the schedule are polled.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn add(&self, targets: &[(AccountId, Target)], due: DateTime<Utc>) -> Result<()> {
        for batch in targets.chunks(BATCH_SIZE) {
            let mut calls = redis::pipe();
            calls.cmd("HSET").arg(&self.targets);
            for (account, target) in batch {
                calls.arg(account.to_string()).arg(serde_json::to_string(target)?);
            }
            calls.ignore().cmd("ZADD").arg(&self.due).arg("NX");
            for (account, _) in batch {
                calls.arg(due.timestamp_millis()).arg(account.to_string());
            }
            calls.ignore().query_async::<()>(&mut *self.redis.get().await?).await?;
        }
        Ok(())
    }

    /// Returns the accounts in the schedule, and drops pauses that are over.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn accounts(&self, now: DateTime<Utc>) -> Result<Vec<AccountId>> {
        let (members,): (Vec<String>,) = redis::pipe()
            .zrembyscore(&self.pauses, "-inf", now.timestamp_millis())
            .ignore()
            .zrange(&self.due, 0, -1)
            .query_async(&mut *self.redis.get().await?)
            .await?;
        Ok(members.iter().filter_map(|member| account(member)).collect())
    }

    /// Removes accounts that are not being polled; returns them.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn remove(&self, accounts: &[AccountId], now: DateTime<Utc>) -> Result<Vec<AccountId>> {
        let mut removed = Vec::new();
        for batch in accounts.chunks(BATCH_SIZE) {
            let mut call = REMOVE.key(&self.due);
            call.key(&self.claims).key(&self.woken).key(&self.targets).key(&self.streams);
            call.arg(now.timestamp_millis());
            for account in batch {
                call.arg(account.to_string());
            }
            let gone: Vec<String> = call.invoke_async(&mut *self.redis.get().await?).await?;
            removed.extend(gone.iter().filter_map(|member| account(member)));
        }
        Ok(removed)
    }
}

fn account(member: &str) -> Option<AccountId> {
    Uuid::try_parse(member).ok().map(|id| AccountId::trusted(id, Trust::Task))
}
