//! Authenticated reads over both protocols, compared with the same statements on the database alone.

use std::{path::PathBuf, time::Duration};

use anyhow::{Result, ensure};
use serde_json::json;
use sha2::{Digest, Sha256};
use stack::{
    Stack,
    measure::{Rounds, private_mib, processor_time, short},
    text,
};

use crate::{
    table::{Row, Table},
    tools::{Load, pgbench, wrk},
};

/// The key's row by its hash: the additional cost of a read without cached rights.
const FIND_KEY: &str =
    "SELECT id, user_id, account_id, permissions, expires_at FROM user_api_keys WHERE key_hash = :hash;";
/// The list of keys. With parameters, as the server sends it: a statement for all accounts.
const LIST_KEYS: &str = "SELECT id, user_id, account_id, key_prefix, label, permissions, created_at, expires_at, \
                         last_used_at FROM user_api_keys WHERE account_id = :account AND user_id = :user \
                         ORDER BY created_at DESC, id DESC LIMIT :most;";

/// Idle time of the API after its start, before its memory is read.
const REST_DURATION: Duration = Duration::from_secs(5);

pub async fn run(
    stack: &Stack,
    table: &mut Table,
    rounds: u32,
    seconds: u64,
    pgbench_program: &PathBuf,
) -> Result<()> {
    start(stack, table).await?;
    let created = stack
        .post("/v1/api-keys", &stack.session, json!({ "label": "bench", "permissions": ["apikeys:read"] }))
        .await?;
    let key = text(&created, "/data/key")?;
    let url = format!("{}/v1/api-keys", stack.origin);
    let gql = format!("{}/v1/gql", stack.origin);
    let query =
        json!({ "query": "{ userApiKeys { id label keyPrefix permissions createdAt } }" }).to_string();
    let database = &stack.environment["DATABASE_URL"];
    let hash = format!("\\x{}", hex::encode(Sha256::digest(&key)));
    let variables =
        [("hash", hash.as_str()), ("account", &stack.account_id), ("user", &stack.user_id), ("most", "500")];
    let both = format!("{FIND_KEY}\n{LIST_KEYS}");
    let rest_load = Load { url: &url, token: &key, body: None, seconds };
    let gql_load = Load { url: &gql, token: &key, body: Some(&query), seconds };
    wrk(&Load { seconds: 1, ..rest_load })?;
    wrk(&Load { seconds: 1, ..gql_load })?;

    let (mut rest, mut graphql, mut both_selects, mut one_select_cpu) =
        (Rounds::default(), Rounds::default(), Rounds::default(), Rounds::default());
    let (mut rest_cpu, mut gql_cpu) = (Rounds::default(), Rounds::default());
    for _ in 0..rounds {
        measured(stack, &mut rest, &mut rest_cpu, seconds, || wrk(&rest_load))?;
        both_selects.add(pgbench(pgbench_program, database, &both, &variables, seconds)?.per_second);
        measured(stack, &mut graphql, &mut gql_cpu, seconds, || wrk(&gql_load))?;
        one_select_cpu.add(pgbench(pgbench_program, database, LIST_KEYS, &variables, seconds)?.client_cpu);
    }
    let to_both = rest.median() / both_selects.median();
    table.add(Row {
        work: "Authenticated REST read",
        figure: format!(
            "{}, {} % of the two SELECTs ({})",
            rest.summary("req/s"),
            percent(to_both),
            both_selects.summary("tps")
        ),
        bar: "≥ 60 % of the same two SELECTs by pgbench",
        met: Some(to_both >= 0.6),
    });
    let to_client = rest_cpu.median() / one_select_cpu.median();
    table.add(Row {
        work: "… processor time of the server",
        figure: format!(
            "{}, {} times what pgbench uses for one SELECT ({})",
            rest_cpu.summary("µs"),
            short(to_client),
            one_select_cpu.summary("µs")
        ),
        bar: "≤ 2.5 times what pgbench itself uses for one of them",
        met: Some(to_client <= 2.5),
    });
    let to_rest = graphql.median() / rest.median();
    table.add(Row {
        work: "GraphQL read of the same rows",
        figure: format!(
            "{}, {} % of REST, {} µs CPU",
            graphql.summary("req/s"),
            percent(to_rest),
            short(gql_cpu.median())
        ),
        bar: "≥ 85 % of REST",
        met: Some(to_rest >= 0.85),
    });
    list(stack, table, rest_load, rounds, rest_cpu.median()).await
}

async fn start(stack: &Stack, table: &mut Table) -> Result<()> {
    tokio::time::sleep(REST_DURATION).await;
    let idle = private_mib(stack.api_pid)?;
    table.add(Row {
        work: "Start of the API, database migrated",
        figure: format!("{} ms; {} MiB of private memory idle", stack.start.as_millis(), short(idle)),
        bar: "≤ 1 s, ≤ 48 MiB",
        met: Some(stack.start.as_millis() <= 1000 && idle <= 48.0),
    });
    Ok(())
}

/// A GraphQL list of twenty rows with four fields each.
async fn list(stack: &Stack, table: &mut Table, rest: Load<'_>, rounds: u32, rest_cpu: f64) -> Result<()> {
    const ROWS: usize = 20;
    let body = |label| json!({ "label": label, "permissions": ["apikeys:read"] });
    for row in 1..ROWS {
        stack.post("/v1/api-keys", &stack.session, body(format!("bench {row}"))).await?;
    }
    let query = json!({ "query": "{ userApiKeys { id label keyPrefix createdAt } }" }).to_string();
    let listed = stack.post("/v1/gql", rest.token, serde_json::from_str(&query)?).await?;
    let rows = listed["data"]["userApiKeys"].as_array().map_or(0, Vec::len);
    ensure!(rows == ROWS, "the list has {rows} rows");
    let url = format!("{}/v1/gql", stack.origin);
    let load = Load { url: &url, body: Some(&query), ..rest };
    wrk(&Load { seconds: 1, ..load })?;
    let (mut rate, mut cpu) = (Rounds::default(), Rounds::default());
    for _ in 0..rounds {
        measured(stack, &mut rate, &mut cpu, rest.seconds, || wrk(&load))?;
    }
    let to_rest = cpu.median() / rest_cpu;
    table.add(Row {
        work: "GraphQL list, 20 rows × 4 fields",
        figure: format!(
            "{}, {} µs CPU, {} times that of the REST read",
            rate.summary("req/s"),
            short(cpu.median()),
            short(to_rest)
        ),
        bar: "≤ 2.5 times the REST read's CPU",
        met: Some(to_rest <= 2.5),
    });
    Ok(())
}

/// Runs a round and records its rate and the server's processor time for each request.
fn measured(
    stack: &Stack,
    rate: &mut Rounds,
    cpu: &mut Rounds,
    seconds: u64,
    run: impl FnOnce() -> Result<f64>,
) -> Result<()> {
    let before = processor_time(stack.api_pid)?;
    let per_second = run()?;
    let used = processor_time(stack.api_pid)? - before;
    rate.add(per_second);
    #[expect(clippy::cast_precision_loss, reason = "seconds of a round")]
    cpu.add(used.as_secs_f64() * 1e6 / (per_second * seconds as f64));
    Ok(())
}

fn percent(ratio: f64) -> String {
    format!("{:.0}", ratio * 100.0)
}
