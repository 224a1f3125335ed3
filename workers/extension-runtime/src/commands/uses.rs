//! Counts of command uses: kept in Redis, written to the database in batches.

use std::{sync::LazyLock, time::Duration};

use diesel::{
    sql_query,
    sql_types::{Array, BigInt, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::{
    db::Database,
    redis::{Connection, Redis},
};
use redis::{AsyncCommands, Script};
use shared::id;
use uuid::Uuid;

static COUNT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("uses.lua")));
static WRITTEN: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("written.lua")));

/// Maximum wait for a count, which must not delay a chat line for long. The count is sent to the chat, so
/// moments of a busy machine are waited for: given up too soon, two lines show the same number.
const REDIS_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a failed attempt to count.
const RETRY_DELAY: Duration = Duration::from_millis(50);
/// Lifetime of a count in Redis, in seconds: far longer than it takes to write.
const COUNT_TTL_SECS: u64 = 24 * 3600;
/// Time after which a line is not handled again, in seconds.
const LINE_TTL_SECS: u64 = 3600;
/// Interval at which counts are written.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);
/// Number of commands of one batch.
const BATCH_SIZE: usize = 500;
/// Maximum number of batches of one round; further uses wait for the next.
const MAX_BATCHES: usize = 200;
/// Maximum time for which a stopping worker writes.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Counts of all processes. Cheap to clone.
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
    /// Returns the counts in a Redis and a database.
    pub const fn new(redis: Redis, database: Database) -> Self {
        Self { redis, database }
    }

    /// Counts the use of a command by a line, once, and returns the total with it. `known` is the count in
    /// the database. While Redis is away or slow nothing is counted.
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
        let mut call = COUNT.key(self.count_key(account_id, command_id));
        call.key(line).arg(known).arg(COUNT_TTL_SECS).arg(LINE_TTL_SECS);
        let count = call.invoke_async(&mut *connection).await?;
        // After the count: whoever reads this change reads the count with it. A line that is counted again changes
        // nothing, but its first attempt may have failed here.
        let mut change = redis::cmd("HSET");
        change.arg(self.changed_key()).arg(format!("{account_id}:{command_id}")).arg(id::new().to_string());
        change.query_async::<()>(&mut *connection).await?;
        Ok(count)
    }

    /// Writes counts; never returns. Any number of processes may run it.
    pub async fn run(&self) {
        loop {
            tokio::time::sleep(WRITE_INTERVAL).await;
            self.write().await;
        }
    }

    /// Writes remaining counts before the process ends. Unwritten ones wait in Redis for another worker.
    pub async fn finish(&self) {
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.write()).await.is_err() {
            tracing::debug!("uses of commands are written by another worker");
        }
    }

    async fn write(&self) {
        for _ in 0..MAX_BATCHES {
            match self.write_batch().await {
                Ok(written) if written == BATCH_SIZE => {}
                Ok(_) => return,
                Err(error) => {
                    tracing::warn!(%error, "uses of commands are written later");
                    return;
                }
            }
        }
    }

    /// Writes one batch. A command stays in the list until the database has its count: a process that dies in between
    /// loses nothing.
    async fn write_batch(&self) -> shared::Result<usize> {
        let mut connection = self.redis.get().await?;
        self.take_over(&mut connection).await?;
        let fields =
            redis::cmd("HRANDFIELD").arg(self.changed_key()).arg(BATCH_SIZE).arg("WITHVALUES").to_owned();
        let changed: Vec<(String, String)> = fields.query_async(&mut *connection).await?;
        let commands: Vec<(Uuid, Uuid)> = changed.iter().filter_map(|(name, _)| parse(name)).collect();
        let keys: Vec<String> =
            commands.iter().map(|(account, command)| self.count_key(*account, *command)).collect();
        if !keys.is_empty() {
            let uses: Vec<Option<i64>> = connection.mget(&keys).await?;
            let counts = commands.iter().zip(uses).filter_map(|((account_id, command_id), uses)| {
                Some(Count { account_id: *account_id, command_id: *command_id, uses: uses? })
            });
            drop(connection);
            self.store(&counts.collect::<Vec<_>>()).await?;
        }
        self.remove_written(&changed).await?;
        Ok(changed.len())
    }

    /// Removes commands from the list, also those with an invalid name.
    async fn remove_written(&self, changed: &[(String, String)]) -> shared::Result<()> {
        if changed.is_empty() {
            return Ok(());
        }
        let mut call = WRITTEN.key(self.changed_key());
        for (name, change) in changed {
            call.arg(name).arg(change);
        }
        Ok(call.invoke_async(&mut *self.redis.get().await?).await?)
    }

    /// Takes over the list of earlier versions, which was a set without the last change of each.
    async fn take_over(&self, connection: &mut Connection<'_>) -> shared::Result<()> {
        let unwritten = self.redis.key("cmd_uses:unwritten");
        let names: Vec<String> =
            redis::cmd("SRANDMEMBER").arg(&unwritten).arg(BATCH_SIZE).query_async(&mut **connection).await?;
        if names.is_empty() {
            return Ok(());
        }
        let mut changes = redis::pipe();
        for name in &names {
            changes.cmd("HSET").arg(self.changed_key()).arg(name).arg(id::new().to_string()).ignore();
        }
        changes.query_async::<()>(&mut **connection).await?;
        redis::cmd("SREM").arg(&unwritten).arg(&names).query_async::<()>(&mut **connection).await?;
        Ok(())
    }

    /// Stores counts. A count never decreases, so an older one that comes late changes nothing. Deleted
    /// commands and accounts are skipped.
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

    /// Hash with an id of the last change of each command whose count is to be written.
    fn changed_key(&self) -> String {
        self.redis.key("cmd_uses:changed")
    }
}

fn parse(name: &str) -> Option<(Uuid, Uuid)> {
    let (account, command) = name.split_once(':')?;
    Some((account.parse().ok()?, command.parse().ok()?))
}
