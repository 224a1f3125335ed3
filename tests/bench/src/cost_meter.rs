//! Meter of what the processes on the way of a chat line have used until a moment, and the stores have written.

use std::{array, fs, time::Duration};

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use stack::{
    RedisInfo, Stack,
    measure::{Rounds, processor_time},
    parent, tree_time,
};
use uuid::Uuid;

/// Daemons that a line passes through.
pub const INGEST: &str = "ingest";
pub const RUNTIME: &str = "extension-runtime";
/// Units of [`Reading::micros_since`].
pub const PROCESSES: [&str; 6] =
    ["µs API", "µs ingest", "µs extension-runtime", "µs PostgreSQL", "µs Redis", "µs in all"];
/// Units of [`Reading::stores_since`].
pub const STORES: [&str; 3] =
    ["transactions of PostgreSQL", "bytes of its write-ahead log", "commands of Redis"];
/// Tables of [`Reading::bytes_since`]: a line adds a row to each.
pub const TABLES: [&str; 3] = ["chat_messages", "webhook_inbox", "stream_lines"];

/// Reads the processes of a stack and its stores, which run on this machine.
pub struct Meter {
    api: u32,
    ingest: u32,
    runtime: u32,
    postgres: u32,
    redis: String,
    database: AsyncPgConnection,
}

/// Sums until a moment.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    processors: [Duration; 5],
    stores: [f64; 3],
    tables: [f64; 3],
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

impl Meter {
    /// Starts the daemons that do not run yet.
    pub async fn start(stack: &mut Stack) -> Result<Self> {
        let (ingest, runtime) = (stack.ensure_worker(INGEST)?, stack.ensure_worker(RUNTIME)?);
        let mut database = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
        let postgres = server(&mut database).await?;
        let redis = stack.environment["REDIS_URL"].clone();
        Ok(Self { api: stack.api_pid, ingest, runtime, postgres, redis, database })
    }

    pub async fn read(&mut self) -> Result<Reading> {
        let redis = RedisInfo::of(&self.redis).await?;
        let processors = [
            processor_time(self.api)?,
            processor_time(self.ingest)?,
            processor_time(self.runtime)?,
            tree_time(self.postgres)?,
            redis.processor_time,
        ];
        let transactions = "SELECT xact_commit + xact_rollback AS value FROM pg_stat_database
            WHERE datname = current_database()";
        let log = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS value";
        let stores = [self.number(transactions).await?, self.number(log).await?, redis.commands];
        let mut tables = [0.0; 3];
        for (bytes, table) in tables.iter_mut().zip(TABLES) {
            *bytes = self.size(table).await?;
        }
        Ok(Reading { processors, stores, tables })
    }

    /// Lines of accounts that were sent at a time or later and are stored. All lines would cost more in each round.
    pub async fn stored_since(&mut self, accounts: &[Uuid], since: DateTime<Utc>) -> Result<i64> {
        let sql = "SELECT count(*) AS value FROM chat_messages WHERE account_id = ANY($1) AND sent_at >= $2";
        let number: Number = sql_query(sql)
            .bind::<Array<SqlUuid>, _>(accounts)
            .bind::<Timestamptz, _>(since)
            .get_result(&mut self.database)
            .await?;
        Ok(number.value)
    }

    /// Connections of the database beside the one that asks.
    pub async fn connections(&mut self) -> Result<f64> {
        self.number(
            "SELECT count(*) AS value FROM pg_stat_activity WHERE datname = current_database()
                AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
        )
        .await
    }

    /// Bytes of a table with its partitions or chunks, their indexes and long values.
    async fn size(&mut self, table: &str) -> Result<f64> {
        self.number(&format!(
            "SELECT sum(pg_total_relation_size(part))::bigint AS value FROM (
                SELECT '{table}'::regclass::oid AS part UNION ALL
                SELECT inhrelid FROM pg_inherits WHERE inhparent = '{table}'::regclass) AS parts"
        ))
        .await
    }

    #[expect(clippy::cast_precision_loss, reason = "figures to read")]
    async fn number(&mut self, sql: &str) -> Result<f64> {
        let number: Number = sql_query(sql).get_result(&mut self.database).await?;
        Ok(number.value as f64)
    }
}

/// The first process of the database's server, which has started the one of this connection.
async fn server(database: &mut AsyncPgConnection) -> Result<u32> {
    let backend: Number = sql_query("SELECT pg_backend_pid()::bigint AS value").get_result(database).await?;
    let is_server = |pid: &u32| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("postgres"))
    };
    parent(u32::try_from(backend.value)?)
        .filter(is_server)
        .context("the PostgreSQL server is no process of this machine: its processor time cannot be read")
}

impl Reading {
    /// Microseconds of processor time since an earlier reading for one of as many units of work.
    pub fn micros_since(&self, earlier: &Self, units: f64) -> [f64; 6] {
        let used: [Duration; 5] =
            array::from_fn(|at| self.processors[at].saturating_sub(earlier.processors[at]));
        let micros = |time: Duration| time.as_secs_f64() * 1e6 / units;
        let [api, ingest, runtime, postgres, redis] = used.map(micros);
        [api, ingest, runtime, postgres, redis, micros(used.iter().sum())]
    }

    /// Work of the stores since an earlier reading for one of as many units of work.
    pub fn stores_since(&self, earlier: &Self, units: f64) -> [f64; 3] {
        array::from_fn(|at| (self.stores[at] - earlier.stores[at]) / units)
    }

    /// Growth of the tables since an earlier reading for one of as many units of work.
    pub fn bytes_since(&self, earlier: &Self, units: f64) -> [f64; 3] {
        array::from_fn(|at| (self.tables[at] - earlier.tables[at]) / units)
    }
}

/// Figures of several units over rounds.
pub struct Figures<const N: usize> {
    units: [&'static str; N],
    rounds: [Rounds; N],
}

impl<const N: usize> Figures<N> {
    pub fn new(units: [&'static str; N]) -> Self {
        Self { units, rounds: array::from_fn(|_| Rounds::default()) }
    }

    pub fn add(&mut self, values: [f64; N]) {
        for (rounds, value) in self.rounds.iter_mut().zip(values) {
            rounds.add(value);
        }
    }

    /// The rounds of the last unit.
    pub fn last(&self) -> &Rounds {
        &self.rounds[N - 1]
    }

    /// Median, least and greatest value of each unit.
    pub fn summary(&self) -> String {
        let each = self.units.iter().zip(&self.rounds).map(|(unit, rounds)| rounds.summary(unit));
        each.collect::<Vec<_>>().join(", ")
    }
}
