//! How often commands are used: counted in Redis, written to the database in batches.

use std::{sync::LazyLock, time::Duration};

use diesel::{
    sql_query,
    sql_types::{Array, BigInt, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use redis::{AsyncCommands, Script};
use shared::{db::Database, redis::Redis};
use uuid::Uuid;

static COUNT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("uses.lua")));
static SETTLE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("settle.lua")));

/// A count must not hold up a chat line for long. It is said in the chat, so moments of a busy machine are waited for: given
/// up too soon, two lines say the same number.
const REDIS_TIMEOUT: Duration = Duration::from_secs(2);
const RETRY_DELAY: Duration = Duration::from_millis(50);
/// Counts are in Redis for longer than it takes to write them, by far.
const COUNT_TTL_SECS: u64 = 24 * 3600;
/// A line is handled again within this time or never.
const LINE_TTL_SECS: u64 = 3600;
const WRITE_INTERVAL: Duration = Duration::from_secs(5);
const BATCH: usize = 500;
/// Batches of one round; what is used all the while waits for the next.
const MAX_BATCHES: usize = 200;
/// How long a stopping worker writes.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// The counts of all processes. Cheap to clone.
#[derive(Clone)]
pub struct Uses {
    redis: Redis,
    database: Database,
}

struct Count {
    account_id: Uuid,
    command_id: Uuid,
    uses: i64,
}

impl Uses {
    pub const fn new(redis: Redis, database: Database) -> Self {
        Self { redis, database }
    }

    /// Counts the use of a command by a line, once, and answers how many there were with it. `known` is what the
    /// database has. While Redis is away or slow nothing is counted.
    pub async fn count(&self, account_id: Uuid, command_id: Uuid, line: Uuid, known: i64) -> i64 {
        let counting = async {
            loop {
                match self.count_in_redis(account_id, command_id, line, known).await {
                    Ok(count) => return count,
                    // A line is counted once, however often it is tried.
                    Err(error) => tracing::debug!(%error, "the use of a command is counted again"),
                }
                tokio::time::sleep(RETRY_DELAY).await;
            }
        };
        tokio::time::timeout(REDIS_TIMEOUT, counting).await.unwrap_or(known + 1)
    }

    async fn count_in_redis(
        &self,
        account_id: Uuid,
        command_id: Uuid,
        line: Uuid,
        known: i64,
    ) -> shared::Result<i64> {
        let line = self.redis.key(format_args!("cmd_uses:line:{account_id}:{line}"));
        let mut connection = self.redis.get().await?;
        Ok(COUNT
            .key(self.count_key(account_id, command_id))
            .key(line)
            .key(self.unwritten_key())
            .arg(known)
            .arg(format!("{account_id}:{command_id}"))
            .arg(COUNT_TTL_SECS)
            .arg(LINE_TTL_SECS)
            .invoke_async(&mut *connection)
            .await?)
    }

    /// Writes what was counted; never ends. Any number of processes may.
    pub async fn run(&self) {
        loop {
            tokio::time::sleep(WRITE_INTERVAL).await;
            self.write().await;
        }
    }

    /// Writes what is left before the process ends. What is not written in time waits in Redis for another worker.
    pub async fn finish(&self) {
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.write()).await.is_err() {
            tracing::debug!("uses of commands are written by another worker");
        }
    }

    async fn write(&self) {
        for _ in 0..MAX_BATCHES {
            match self.write_batch().await {
                Ok(written) if written == BATCH => {}
                Ok(_) => return,
                Err(error) => {
                    tracing::warn!(%error, "uses of commands are written later");
                    return;
                }
            }
        }
    }

    /// What is written stays noted in Redis until the database has it: whoever dies in between has lost nothing.
    async fn write_batch(&self) -> shared::Result<usize> {
        let mut connection = self.redis.get().await?;
        let members = redis::cmd("SRANDMEMBER").arg(self.unwritten_key()).arg(BATCH).to_owned();
        let names: Vec<String> = members.query_async(&mut *connection).await?;
        if names.is_empty() {
            return Ok(0);
        }
        let commands: Vec<Option<(Uuid, Uuid)>> = names.iter().map(|name| parse(name)).collect();
        let key_of = |command: &Option<(Uuid, Uuid)>| {
            // A name that says nothing has no count, and is taken off as one that is written.
            let (account_id, command_id) = command.unwrap_or_default();
            self.count_key(account_id, command_id)
        };
        let keys: Vec<String> = commands.iter().map(key_of).collect();
        let uses: Vec<Option<i64>> = connection.mget(&keys).await?;
        drop(connection);
        let counts = commands.iter().zip(&uses).filter_map(|(command, uses)| {
            let (account_id, command_id) = (*command)?;
            Some(Count { account_id, command_id, uses: (*uses)? })
        });
        self.store(&counts.collect::<Vec<_>>()).await?;
        self.settle(&names, &keys, &uses).await?;
        Ok(names.len())
    }

    async fn settle(&self, names: &[String], keys: &[String], uses: &[Option<i64>]) -> shared::Result<()> {
        let mut settling = SETTLE.key(self.unwritten_key());
        for ((name, key), uses) in names.iter().zip(keys).zip(uses) {
            settling.key(key).arg(name).arg(uses.unwrap_or_default());
        }
        Ok(settling.invoke_async(&mut *self.redis.get().await?).await?)
    }

    /// A count never goes down, so that an older one that comes late changes nothing. Commands and accounts that are
    /// gone are left out.
    async fn store(&self, counts: &[Count]) -> shared::Result<()> {
        let ids = |of: fn(&Count) -> Uuid| counts.iter().map(of).collect::<Vec<Uuid>>();
        sql_query(
            "INSERT INTO bot_command_uses (account_id, command_id, use_count)
             SELECT accounts.id, bot_commands.id, counted.uses
             FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS counted (account_id, command_id, uses)
             JOIN accounts ON accounts.id = counted.account_id
             JOIN bot_commands ON bot_commands.id = counted.command_id
             ORDER BY accounts.id, bot_commands.id
             ON CONFLICT (account_id, command_id)
             DO UPDATE SET use_count = greatest(bot_command_uses.use_count, EXCLUDED.use_count)",
        )
        .bind::<Array<SqlUuid>, _>(ids(|count| count.account_id))
        .bind::<Array<SqlUuid>, _>(ids(|count| count.command_id))
        .bind::<Array<BigInt>, _>(counts.iter().map(|count| count.uses).collect::<Vec<i64>>())
        .execute(&mut *self.database.get().await?)
        .await?;
        Ok(())
    }

    fn count_key(&self, account_id: Uuid, command_id: Uuid) -> String {
        self.redis.key(format_args!("cmd_uses:{account_id}:{command_id}"))
    }

    fn unwritten_key(&self) -> String {
        self.redis.key("cmd_uses:unwritten")
    }
}

fn parse(name: &str) -> Option<(Uuid, Uuid)> {
    let (account, command) = name.split_once(':')?;
    Some((account.parse().ok()?, command.parse().ok()?))
}
