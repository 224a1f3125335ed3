//! Stores: they answer, their schema is current, and they can be written and read.

use bytes::Bytes;
use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::{AsyncConnection, RunQueryDsl, SimpleAsyncConnection};
use foundation::{
    db::Database,
    readiness::{Reason, ReasonCode, check_stores},
    redis::Redis,
    storage::Storage,
};
use shared::{Error, Result, id};

use super::{Deployment, Finding};

/// Lifetime of the key of the probe, in seconds.
const PROBE_TTL_SECS: u32 = 60;
const PROBE: &str = "probe";

/// Checks of both databases and of Redis.
pub(super) async fn databases_and_redis(this: &Deployment<'_>) -> Vec<Finding> {
    let Some(redis) = &this.redis else {
        let message = "REDIS_URL cannot be used";
        return vec![Finding::error("redis_unusable", message, "Correct REDIS_URL, see .env.example.")];
    };
    let reasons = match check_stores(&this.config.databases, redis.clone()).await {
        Ok(reasons) => reasons,
        Err(error) => {
            return vec![Finding::error("stores_unchecked", error.to_string(), "Repeat the command.")];
        }
    };
    let mut findings: Vec<Finding> = reasons.iter().map(finding).collect();
    let is_away = |store: &str| {
        let unusable = |reason: &&Reason| reason.code != ReasonCode::SchemaOutdated;
        reasons.iter().filter(unusable).any(|reason| reason.subject == store)
    };
    for (store, database) in
        [("postgres", &this.databases.postgres), ("timescaledb", &this.databases.timescaledb)]
    {
        if !is_away(store)
            && let Err(error) = write_and_read(database).await
        {
            let message = format!("{store} cannot be written: {error}");
            let remedy = format!("Point {} at the primary server, and check its disk.", variable(store));
            findings.push(Finding::error("not_writable", message, remedy));
        }
    }
    if !is_away("redis") {
        findings.extend(redis_works(redis).await);
    }
    findings
}

fn finding(reason: &Reason) -> Finding {
    let (store, detail) = (reason.subject, &reason.detail);
    let variable = variable(store);
    match reason.code {
        ReasonCode::SchemaOutdated => {
            Finding::error("schema_outdated", format!("{store}: {detail}"), "Run `lumio-api migrate`.")
        }
        ReasonCode::Refused => {
            let remedy = format!("Check user, password and database in {variable}.");
            Finding::error("refused", format!("{store} refuses: {detail}"), remedy)
        }
        _ => {
            let remedy = format!("Start the server; check {variable} and the network between.");
            Finding::error("unreachable", format!("{store} does not answer: {detail}"), remedy)
        }
    }
}

fn variable(store: &str) -> &'static str {
    match store {
        "postgres" => "DATABASE_URL",
        "timescaledb" => "LUMIO_TIMESCALEDB_URL",
        _ => "REDIS_URL",
    }
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Writes into a table of the session that ends with the transaction, and reads it.
async fn write_and_read(database: &Database) -> Result<()> {
    let mut connection = database.get().await?;
    let counted = connection
        .transaction(async |connection| {
            let create = "CREATE TEMPORARY TABLE lumio_doctor (at timestamptz) ON COMMIT DROP;
                INSERT INTO lumio_doctor VALUES (now())";
            connection.batch_execute(create).await?;
            let rows: Count =
                sql_query("SELECT count(*) AS count FROM lumio_doctor").get_result(connection).await?;
            Ok::<_, Error>(rows.count)
        })
        .await?;
    if counted == 1 { Ok(()) } else { Err(Error::Internal("a written row is not read".to_owned())) }
}

async fn redis_works(redis: &Redis) -> Vec<Finding> {
    let mut findings = Vec::new();
    match set_and_get(redis).await {
        Ok(true) => {}
        Ok(false) => {
            let message = "redis does not return what was written";
            findings.push(Finding::error("not_writable", message, "Point REDIS_URL at the master server."));
        }
        Err(error) => {
            let message = format!("redis cannot be written: {error}");
            let remedy = "Point REDIS_URL at the master server; check its memory and its access rules.";
            findings.push(Finding::error("not_writable", message, remedy));
        }
    }
    findings.extend(settings(redis).await);
    findings
}

async fn set_and_get(redis: &Redis) -> Result<bool> {
    let key = redis.key(format_args!("doctor:{}", id::new()));
    let mut connection = redis.get().await?;
    let set = redis::cmd("SET").arg(&key).arg(PROBE).arg("EX").arg(PROBE_TTL_SECS).to_owned();
    let () = set.query_async(&mut *connection).await?;
    let read: Option<String> = redis::cmd("GET").arg(&key).query_async(&mut *connection).await?;
    let () = redis::cmd("DEL").arg(&key).query_async(&mut *connection).await?;
    Ok(read.as_deref() == Some(PROBE))
}

/// Settings of a single server that queues depend on. Where the command is not allowed, nothing is known of them.
async fn settings(redis: &Redis) -> Vec<Finding> {
    let Ok(mut connection) = redis.get().await else { return Vec::new() };
    let info: redis::RedisResult<String> = redis::cmd("INFO").query_async(&mut *connection).await;
    let info = info.unwrap_or_default();
    let value = |name: &str| {
        let mut lines = info.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    };
    let eviction = value("maxmemory_policy").filter(|policy| *policy != "noeviction").map(|policy| {
        let message = format!("redis evicts keys when its memory is full ({policy}): jobs would be lost");
        Finding::warning("redis_evicts", message, "Set maxmemory-policy to noeviction.")
    });
    let volatile = value("aof_enabled").filter(|enabled| *enabled == "0").map(|_| {
        let message = "redis keeps no append-only file: a restart loses jobs";
        Finding::warning("redis_volatile", message, "Set appendonly to yes.")
    });
    [eviction, volatile].into_iter().flatten().collect()
}

/// Check of the object storage.
pub(super) async fn objects(this: &Deployment<'_>) -> Vec<Finding> {
    let outcome = async {
        let storage = Storage::open(&this.config.storage_url)?;
        let key = format!("doctor/{}", id::new());
        storage.put(&key, Bytes::from_static(PROBE.as_bytes())).await?;
        let read = storage.get(&key).await?;
        storage.delete(&key).await?;
        let is_same = read.is_some_and(|bytes| bytes == PROBE);
        if is_same { Ok(()) } else { Err(Error::Internal("a written object is not read".to_owned())) }
    };
    match outcome.await {
        Ok(()) => Vec::new(),
        Err(error) => {
            let message = format!("the object storage cannot be used: {error}");
            let remedy = "Check LUMIO_STORAGE_URL, its permissions and its disk, and for a bucket the AWS_… variables.";
            vec![Finding::error("storage_unusable", message, remedy)]
        }
    }
}
