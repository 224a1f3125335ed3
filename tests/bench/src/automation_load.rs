//! Automations of many accounts: runs of one worker, and its cost while schedules wait.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Double, Integer, Jsonb, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use stack::{
    Stack, free_port,
    measure::{Rounds, processor_time, short},
};
use uuid::Uuid;

use crate::{
    automations::{Amounts, DAEMON, chain},
    statement_counter::StatementCounter,
    table::{Row, Table},
};

/// Accounts whose runs are executed: one alone has 10 places.
const RUNNING_ACCOUNTS: i32 = 50;
const RUNNING_NAME: &str = "running";
const BACKLOG_NAME: &str = "backlogged";
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Longest wait for the end of a round.
const ROUND_TIMEOUT: Duration = Duration::from_secs(120);
const SCHEDULED_ACCOUNTS: i32 = 1_000;
const SCHEDULES_OF_ACCOUNT: i32 = 10;
const SCHEDULED_NAME: &str = "scheduled";
/// Time until the schedules are due.
const NEXT_HOURS: i32 = 6;
/// Time in which a worker has started, and its first sweeps are over.
const START_DURATION: Duration = Duration::from_secs(5);

/// Measures and adds the rows.
pub async fn run(stack: &mut Stack, table: &mut Table, amounts: Amounts) -> Result<()> {
    let mut database = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
    runs(stack, &mut database, table, amounts).await?;
    // Another copy of the daemon is measured alone.
    stack.kill(DAEMON)?;
    idle(stack, &mut database, table, amounts.idle).await
}

/// Automations of new accounts.
struct Added {
    name: &'static str,
    accounts: i32,
    automations_of_account: i32,
    graph: Value,
    next_hours: Option<i32>,
}

impl Added {
    /// Graph whose effects stay inside: the account's browser sources are asked to stop their sounds.
    fn running() -> Self {
        let nodes = vec![
            ("set_variable", json!({ "name": "total", "value": "{{trigger.payload.total}}" })),
            ("condition", json!({ "left": "{{vars.total}}", "op": "gte", "right": 5 })),
            ("stop_sound", json!({})),
            ("set_variable", json!({ "name": "text", "value": "{{account.name}} has {{vars.total}}" })),
            ("stop_sound", json!({})),
        ];
        Self {
            name: RUNNING_NAME,
            accounts: RUNNING_ACCOUNTS,
            automations_of_account: 1,
            graph: chain(("manual", json!({})), nodes),
            next_hours: None,
        }
    }

    /// The same graph in one account.
    fn backlogged() -> Self {
        Self { name: BACKLOG_NAME, accounts: 1, ..Self::running() }
    }

    fn scheduled() -> Self {
        let stop = vec![("stop_sound", json!({}))];
        Self {
            name: SCHEDULED_NAME,
            accounts: SCHEDULED_ACCOUNTS,
            automations_of_account: SCHEDULES_OF_ACCOUNT,
            graph: chain(("schedule", json!({ "cron": "0 3 1 1 *" })), stop),
            next_hours: Some(NEXT_HOURS),
        }
    }

    async fn insert(&self, database: &mut AsyncPgConnection, owner: Uuid) -> Result<()> {
        sql_query(
            "WITH made AS (
                INSERT INTO accounts (id, name, slug, owner_id, plan_id)
                SELECT gen_random_uuid(), $1 || ' ' || n, $1 || '-' || n, $2,
                    (SELECT id FROM plans WHERE slug = 'pro')
                FROM generate_series(1, $3) AS n RETURNING id
             ), automated AS (
                INSERT INTO automations (id, account_id, name, enabled, next_run_at)
                SELECT gen_random_uuid(), made.id, $1, true, now() + make_interval(hours => $4)
                FROM made, generate_series(1, $5) RETURNING id, account_id
             ), nodes AS (
                INSERT INTO automation_nodes (account_id, automation_id, id, node_type, config, position)
                SELECT automated.account_id, automated.id, (node ->> 'id')::uuid, node ->> 'type',
                    node -> 'config', place
                FROM automated, jsonb_array_elements($6 -> 'nodes') WITH ORDINALITY AS given (node, place)
             )
             INSERT INTO automation_edges (account_id, automation_id, id, source_node_id, source_handle,
                target_node_id, position)
             SELECT automated.account_id, automated.id, (edge ->> 'id')::uuid,
                (edge ->> 'source_node_id')::uuid, edge ->> 'source_handle',
                (edge ->> 'target_node_id')::uuid, place
             FROM automated, jsonb_array_elements($6 -> 'edges') WITH ORDINALITY AS given (edge, place)",
        )
        .bind::<Text, _>(self.name)
        .bind::<SqlUuid, _>(owner)
        .bind::<Integer, _>(self.accounts)
        .bind::<Nullable<Integer>, _>(self.next_hours)
        .bind::<Integer, _>(self.automations_of_account)
        .bind::<Jsonb, _>(&self.graph)
        .execute(database)
        .await?;
        Ok(())
    }
}

/// Adds an account whose runs are to wait. The account of the caller names its owner.
///
/// # Errors
/// A failure of the database.
pub async fn add_backlogged(database: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    let owner: Owner = sql_query("SELECT owner_id AS id FROM accounts WHERE id = $1")
        .bind::<SqlUuid, _>(account)
        .get_result(database)
        .await?;
    Added::backlogged().insert(database, owner.id).await
}

/// Queues runs of that account. The number of each backlog is another one.
///
/// # Errors
/// A failure of the database.
pub async fn begin_backlog(database: &mut AsyncPgConnection, number: u32, runs: u32) -> Result<()> {
    queue(database, BACKLOG_NAME, number, runs.try_into()?).await
}

/// Deletes what is left of a backlog; returns the number of runs that were still queued.
///
/// # Errors
/// A failure of the database.
pub async fn end_backlog(database: &mut AsyncPgConnection) -> Result<usize> {
    let queued = "DELETE FROM automation_runs WHERE status = 'queued'
        AND automation_id IN (SELECT id FROM automations WHERE name = $1)";
    Ok(sql_query(queued).bind::<Text, _>(BACKLOG_NAME).execute(database).await?)
}

/// Runs from a backlog. Those of the first round make connections and are not counted.
async fn runs(
    stack: &mut Stack,
    database: &mut AsyncPgConnection,
    table: &mut Table,
    amounts: Amounts,
) -> Result<()> {
    Added::running().insert(database, stack.user_id.parse()?).await?;
    let pid = stack.ensure_worker(DAEMON)?;
    let count = RUNNING_ACCOUNTS * amounts.runs;
    let (mut rate, mut cpu) = (Rounds::default(), Rounds::default());
    for round in 0..=amounts.rounds {
        let before = processor_time(pid)?;
        queue(database, RUNNING_NAME, round, amounts.runs).await?;
        let seconds = ended(database, round, count).await?;
        let used = processor_time(pid)? - before;
        if round > 0 {
            rate.add(f64::from(count) / seconds);
            cpu.add(used.as_secs_f64() * 1e3 / f64::from(count));
        }
    }
    table.add(Row {
        work: "Runs of a five-node automation, one worker",
        figure: format!(
            "{} of {count} queued in {RUNNING_ACCOUNTS} accounts, {} a run",
            rate.summary("runs/s"),
            cpu.summary("ms CPU")
        ),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// Queues runs of each account in one transaction, without the limit of starts.
async fn queue(database: &mut AsyncPgConnection, name: &'static str, round: u32, runs: i32) -> Result<()> {
    sql_query(
        r#"INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key)
           SELECT gen_random_uuid(), account_id, id, 'queued',
               '{"node_id": null, "type": "manual", "payload": {"total": 7}}', $1 || ':' || n
           FROM automations, generate_series(1, $2) AS n WHERE name = $3"#,
    )
    .bind::<Text, _>(round.to_string())
    .bind::<Integer, _>(runs)
    .bind::<Text, _>(name)
    .execute(database)
    .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct Owner {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

#[derive(QueryableByName)]
struct Ended {
    #[diesel(sql_type = BigInt)]
    succeeded: i64,
    #[diesel(sql_type = Double)]
    seconds: f64,
}

/// Waits until no run is open; returns the seconds from the first begin to the last end of a round.
async fn ended(database: &mut AsyncPgConnection, round: u32, count: i32) -> Result<f64> {
    let until = tokio::time::Instant::now() + ROUND_TIMEOUT;
    while counted(database, "automation_runs WHERE status IN ('queued', 'running')").await? > 0 {
        ensure!(tokio::time::Instant::now() < until, "runs of round {round} have not ended");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    let Ended { succeeded, seconds } = sql_query(
        "SELECT count(*) FILTER (WHERE run.status = 'succeeded') AS succeeded,
            extract(epoch FROM max(run.finished_at) - min(run.started_at))::float8 AS seconds
         FROM automation_runs AS run JOIN automations AS automation ON automation.id = run.automation_id
         WHERE automation.name = $1 AND starts_with(run.dedupe_key, $2 || ':')",
    )
    .bind::<Text, _>(RUNNING_NAME)
    .bind::<Text, _>(round.to_string())
    .get_result(database)
    .await?;
    ensure!(succeeded == i64::from(count), "{succeeded} of {count} runs succeeded");
    Ok(seconds)
}

async fn counted(database: &mut AsyncPgConnection, rows: &str) -> Result<i64> {
    let count: Count = sql_query(format!("SELECT count(*) AS rows FROM {rows}")).get_result(database).await?;
    Ok(count.rows)
}

/// A worker without work: before and after automations are added that are due in hours.
async fn idle(
    stack: &Stack,
    database: &mut AsyncPgConnection,
    table: &mut Table,
    duration: Duration,
) -> Result<()> {
    let url = &stack.environment["DATABASE_URL"];
    let counter = StatementCounter::before(url).await?;
    let worker = Worker::start(stack, counter.as_ref().map_or(url, |counter| &counter.url))?;
    tokio::time::sleep(START_DURATION).await;
    let without = Used::within(duration, &worker, counter.as_ref()).await?;
    Added::scheduled().insert(database, stack.user_id.parse()?).await?;
    tokio::time::sleep(START_DURATION).await;
    let with = Used::within(duration, &worker, counter.as_ref()).await?;
    let started = "automation_runs JOIN automations ON automations.id = automation_id AND automations.name = 'scheduled'";
    let started = counted(database, started).await?;
    ensure!(started == 0, "{started} schedules started that are due in hours");
    sql_query("UPDATE automations SET enabled = false").execute(database).await?;
    table.add(Row {
        work: "10,000 scheduled automations, none due",
        figure: format!("{with} in {} s; without any {without}", duration.as_secs()),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// Copy of the daemon with a database URL of its own, killed on drop.
struct Worker(Child);

impl Worker {
    fn start(stack: &Stack, database: &str) -> Result<Self> {
        let child = Command::new(stack.program("lumio-worker"))
            .arg(DAEMON)
            .envs(&stack.environment)
            .env("DATABASE_URL", database)
            .env("LUMIO_WORKER_METRICS_BIND", format!("127.0.0.1:{}", free_port()?))
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .context("lumio-worker does not start")?;
        Ok(Self(child))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Err(error) = self.0.kill().and_then(|()| self.0.wait()) {
            eprintln!("a worker could not be ended: {error}");
        }
    }
}

/// Cost of a worker within a time.
struct Used {
    cpu: Duration,
    /// Statements; `None` when they cannot be counted.
    statements: Option<u64>,
}

impl Used {
    async fn within(duration: Duration, worker: &Worker, counter: Option<&StatementCounter>) -> Result<Self> {
        let (cpu, statements) = (processor_time(worker.0.id())?, counter.map(StatementCounter::count));
        tokio::time::sleep(duration).await;
        let sent = counter.map(StatementCounter::count).zip(statements);
        Ok(Self {
            cpu: processor_time(worker.0.id())? - cpu,
            statements: sent.map(|(after, before)| after - before),
        })
    }
}

impl std::fmt::Display for Used {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ms CPU", short(self.cpu.as_secs_f64() * 1e3))?;
        match self.statements {
            Some(statements) => write!(formatter, ", {statements} statements"),
            None => write!(formatter, ", statements not counted over a Unix socket"),
        }
    }
}
