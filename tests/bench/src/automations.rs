//! Automations: validation of graphs, and dry runs. The time to a first action is in `first_actions`, runs and schedules
//! are in `automation_load`.

use std::{
    iter,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use automation_model::graph::{Graph, Installed, MAX_NODES, draft_problems, strict_problems};
use demo::Api;
use reqwest::Method;
use serde_json::{Value, json};
use stack::{
    Stack,
    measure::{Rounds, percentile, short},
    text,
};
use uuid::Uuid;

use crate::{
    automation_load, first_actions,
    table::{Row, Table},
};

pub const DAEMON: &str = "automations";
/// Nodes of the graph of a dry run, with its trigger.
const DRY_RUN_NODES: usize = 10;
/// Validations of a round.
const VALIDATIONS: u32 = 200;

/// Amounts of work.
#[derive(Debug, Clone, Copy)]
pub struct Amounts {
    pub rounds: u32,
    /// Chat lines of a round, each of which starts a run.
    pub lines: u32,
    /// Calls of each measured operation.
    pub calls: u32,
    /// Runs of a round that each account has queued.
    pub runs: i32,
    /// Time for which a worker without work is measured.
    pub idle: Duration,
}

impl Amounts {
    pub const FULL: Self =
        Self { rounds: 5, lines: 300, calls: 1_000, runs: 60, idle: Duration::from_secs(60) };
    pub const QUICK: Self =
        Self { rounds: 3, lines: 150, calls: 100, runs: 10, idle: Duration::from_secs(15) };
}

/// Measures and adds the rows.
pub async fn run(stack: &mut Stack, table: &mut Table, amounts: Amounts) -> Result<()> {
    // A thread for each processor, which is the default: the accounts share the threads.
    stack.environment.insert("LUMIO_WORKER_THREADS".into(), "0".into());
    for daemon in ["ingest", "outbox", DAEMON] {
        stack.ensure_worker(daemon)?;
    }
    first_actions::run(stack, table, amounts.rounds, amounts.lines).await?;
    let owner = Api::new(&stack.origin)?.with(&stack.session);
    validation(&owner, table, amounts).await?;
    dry_runs(&owner, table, amounts.calls).await?;
    automation_load::run(stack, table, amounts).await
}

/// Graph of a trigger and nodes that follow each other, as its callers send it.
pub fn chain(trigger: (&'static str, Value), nodes: Vec<(&'static str, Value)>) -> Value {
    let with_id = |(node_type, config): (&'static str, Value)| json!({ "id": Uuid::now_v7(), "type": node_type, "config": config });
    let nodes: Vec<Value> = iter::once(trigger).chain(nodes).map(with_id).collect();
    let edges: Vec<Value> = nodes
        .windows(2)
        .map(|pair| {
            let handle = if pair[0]["type"] == "condition" { "true" } else { "out" };
            edge(&pair[0], handle, &pair[1])
        })
        .collect();
    json!({ "nodes": nodes, "edges": edges })
}

fn edge(source: &Value, handle: &str, target: &Value) -> Value {
    json!({ "id": Uuid::now_v7(), "source_node_id": source["id"], "source_handle": handle,
            "target_node_id": target["id"] })
}

/// Validation of the largest graph, and the call that validates and saves it.
async fn validation(owner: &Api, table: &mut Table, amounts: Amounts) -> Result<()> {
    let sent = largest();
    let graph: Graph = serde_json::from_value(sent.clone())?;
    let problems = count_problems(&graph);
    ensure!(problems == 0, "the graph has {problems} problems");
    let mut micros = Rounds::default();
    for _ in 0..amounts.rounds {
        let began = Instant::now();
        for _ in 0..VALIDATIONS {
            std::hint::black_box(count_problems(std::hint::black_box(&graph)));
        }
        micros.add(began.elapsed().as_secs_f64() * 1e6 / f64::from(VALIDATIONS));
    }
    let mut took = saves(owner, sent, amounts.calls).await?;
    table.add(Row {
        work: "Validation of a 100-node graph",
        figure: format!(
            "{}; saved by PUT p50 {}, p99 {} ms ({} calls)",
            micros.summary("µs"),
            short(percentile(&mut took, 50.0)),
            short(percentile(&mut took, 99.0)),
            amounts.calls
        ),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// Graph of the largest number of nodes, with an edge for the failures of each.
fn largest() -> Value {
    let mut graph = chain(("manual", json!({})), nodes(MAX_NODES - 1));
    let nodes = graph["nodes"].as_array().cloned().unwrap_or_default();
    // A trigger cannot fail.
    let errors = nodes.windows(2).skip(1).map(|pair| edge(&pair[0], "error", &pair[1]));
    if let Some(edges) = graph["edges"].as_array_mut() {
        edges.extend(errors);
    }
    graph
}

/// Nodes with conditions, templates and actions.
fn nodes(count: usize) -> Vec<(&'static str, Value)> {
    let node = |number: usize| match number % 3 {
        0 => ("set_variable", json!({ "name": "total", "value": "{{trigger.payload.total}}" })),
        1 => ("condition", json!({ "left": "{{vars.total}}", "op": "gte", "right": 5 })),
        _ => (
            "send_chat",
            json!({ "message": "{{account.name}} has {{vars.total}} of 100", "platforms": ["twitch"] }),
        ),
    };
    (0..count).map(node).collect()
}

/// Number of reasons for which an automation with this graph cannot be enabled.
fn count_problems(graph: &Graph) -> usize {
    draft_problems(graph).len() + strict_problems(graph, &Installed::new()).len()
}

/// Milliseconds of each call that saves the graph of an enabled automation.
async fn saves(owner: &Api, graph: Value, calls: u32) -> Result<Vec<f64>> {
    let (path, mut version) = enabled(owner, graph.clone()).await?;
    let (path, mut body) = (format!("{path}/graph"), graph);
    let mut took = Vec::new();
    for _ in 0..calls {
        body["version"] = version;
        let request = Some(body.clone());
        let began = Instant::now();
        let mut saved = owner.call(Method::PUT, &path, request).await?;
        took.push(began.elapsed().as_secs_f64() * 1e3);
        version = saved["data"]["version"].take();
    }
    Ok(took)
}

async fn dry_runs(owner: &Api, table: &mut Table, calls: u32) -> Result<()> {
    let (path, _) = enabled(owner, chain(("manual", json!({})), nodes(DRY_RUN_NODES - 1))).await?;
    let path = format!("{path}/dry-run");
    let mut took = Vec::new();
    for _ in 0..calls {
        let request = json!({ "input": { "total": 7 } });
        let began = Instant::now();
        let answer = owner.post(&path, request).await?;
        took.push(began.elapsed().as_secs_f64() * 1e3);
        let steps = answer["data"]["steps"].as_array().map_or(0, Vec::len);
        ensure!(
            answer["data"]["status"] == "succeeded" && steps == DRY_RUN_NODES - 1,
            "the dry run is {answer}"
        );
    }
    table.add(Row {
        work: "Dry run of a ten-node graph",
        figure: format!(
            "p50 {}, p99 {} ms ({calls} calls)",
            short(percentile(&mut took, 50.0)),
            short(percentile(&mut took, 99.0))
        ),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// Creates and enables an automation; returns its path and the version of its graph.
pub async fn enabled(owner: &Api, mut graph: Value) -> Result<(String, Value)> {
    let made = owner.post("/v1/automations", json!({ "name": "Bench" })).await?;
    let path = format!("/v1/automations/{}", text(&made, "/data/id")?);
    graph["version"] = made["data"]["version"].clone();
    owner.call(Method::PUT, &format!("{path}/graph"), Some(graph)).await?;
    let mut enabled = owner.call(Method::PATCH, &path, Some(json!({ "enabled": true }))).await?;
    let version = enabled.pointer_mut("/data/version").context("no version")?.take();
    Ok((path, version))
}
