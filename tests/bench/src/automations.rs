//! Automations: time from a chat line to the first action, validation of graphs, and dry runs. Runs and schedules are
//! in `automation_load`.

use std::{
    collections::HashMap,
    iter,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use automation_model::graph::{Graph, Installed, MAX_NODES, draft_problems, strict_problems};
use demo::{Api, StandIn};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Double, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use reqwest::Method;
use serde_json::{Value, json};
use stack::{
    Stack,
    measure::{Rounds, percentile, short},
    text,
    twitch::Twitch,
};
use uuid::Uuid;

use crate::{
    automation_load,
    deliveries::{Chat, Line, answered},
    table::{Row, Table},
};

pub const DAEMON: &str = "automations";
/// Automations that the lines start, one after another: each may start only 60 times in a minute.
const AUTOMATIONS: u32 = 20;
/// 10 lines a second.
const LINE_INTERVAL: Duration = Duration::from_millis(100);
/// Nodes of the graph of a dry run, with its trigger.
const DRY_RUN_NODES: usize = 10;
/// Runs of the storm of another account for each line: more than one worker executes meanwhile.
const STORM_RUNS_OF_LINE: u32 = 40;
/// Lines of the storm for each line.
const STORM_LINES_OF_LINE: u32 = 5;
/// Word that each automation of the storm waits for.
const STORM_KEYWORD: &str = "storm";
/// Times by which a storm may lengthen the wait of another account, at most.
const MAX_STORM_RATIO: f64 = 2.0;
/// Validations of a round.
const VALIDATIONS: u32 = 200;

/// Amounts of work.
#[derive(Debug, Clone, Copy)]
pub struct Amounts {
    pub rounds: u32,
    /// Chat lines, each of which starts a run.
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
        Self { rounds: 5, lines: 600, calls: 1_000, runs: 60, idle: Duration::from_secs(60) };
    pub const QUICK: Self =
        Self { rounds: 3, lines: 150, calls: 100, runs: 10, idle: Duration::from_secs(15) };
}

/// Measures and adds the rows.
pub async fn run(stack: &mut Stack, table: &mut Table, amounts: Amounts) -> Result<()> {
    for daemon in ["ingest", "outbox", DAEMON] {
        stack.ensure_worker(daemon)?;
    }
    first_actions(stack, table, amounts.lines).await?;
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

/// Lines at a moderate rate, each of which starts an automation that sends a message.
async fn first_actions(stack: &Stack, table: &mut Table, lines: u32) -> Result<()> {
    let stand_in = StandIn::new(&stack.environment["STAND_IN"])?;
    let mut database = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
    let Streamer { owner, account, chat } = streamer(stack, &stand_in, &mut database, "automated").await?;
    for number in 0..AUTOMATIONS {
        let trigger = ("chat_command", json!({ "command": command(number) }));
        let send = json!({ "message": "Ran {{trigger.payload.message}}", "platforms": ["twitch"] });
        enabled(&owner, chain(trigger, vec![("send_chat", send)])).await?;
    }
    // The first ones make connections and read what each process keeps.
    let first = chat.deliver(commands("automated-first", AUTOMATIONS), LINE_INTERVAL).await?;
    answered(&stand_in, &first).await?;
    let sent = chat.deliver(commands("automated", lines), LINE_INTERVAL).await?;
    let mut arrived = answered(&stand_in, &sent).await?;
    let mut begun = begun(&mut database, account, &sent).await?;
    table.add(Row {
        work: "Event in → first action of an automation, 10 events/s",
        figure: format!(
            "p50 {}, p99 {} ms to its begin; p50 {}, p99 {} ms to the platform ({lines} lines, {} begun, {} arrived)",
            short(percentile(&mut begun, 50.0)),
            short(percentile(&mut begun, 99.0)),
            short(percentile(&mut arrived, 50.0)),
            short(percentile(&mut arrived, 99.0)),
            begun.len(),
            arrived.len()
        ),
        bar: "none lost",
        met: Some(begun.len() == sent.len() && arrived.len() == sent.len()),
    });
    let storm = streamer(stack, &stand_in, &mut database, "storming").await?;
    for _ in 0..AUTOMATIONS {
        let trigger = ("chat_keyword", json!({ "keyword": STORM_KEYWORD }));
        let set = json!({ "name": "line", "value": "{{trigger.payload.message}}" });
        enabled(&storm.owner, chain(trigger, vec![("set_variable", set)])).await?;
    }
    let p99 = percentile(&mut begun, 99.0);
    let quiet = Quiet { chat, storm: storm.chat, stand_in, account, lines, p99 };
    beside_a_storm(&mut database, table, quiet).await
}

/// A streamer with many automations, and the chat of the channel.
struct Streamer {
    owner: Api,
    account: Uuid,
    chat: Chat,
}

async fn streamer(
    stack: &Stack,
    stand_in: &StandIn,
    database: &mut AsyncPgConnection,
    login: &str,
) -> Result<Streamer> {
    let user = stand_in.create_user("twitch", login).await?;
    let (owner, _) = demo::exchange(&Api::new(&stack.origin)?, &user).await?;
    demo::connect(&owner, "twitch", &user).await?;
    let account: Uuid = text(&owner.get("/v1/users/me").await?, "/data/active_account_id")?.parse()?;
    admit(database, account).await?;
    let chat = Chat {
        twitch: Twitch::new(&stack.environment["LUMIO_TWITCH_EVENTSUB_SECRET"])?,
        origin: stack.origin.clone(),
        channel: user.id,
    };
    Ok(Streamer { owner, account, chat })
}

/// An account whose lines start runs, and their wait without load.
struct Quiet {
    chat: Chat,
    /// Chat of another account, each line of which starts many automations.
    storm: Chat,
    stand_in: StandIn,
    account: Uuid,
    lines: u32,
    /// Milliseconds from a line to the begin of its first action.
    p99: f64,
}

/// The same lines while another account has a backlog of runs, and a third one a storm of lines.
async fn beside_a_storm(database: &mut AsyncPgConnection, table: &mut Table, quiet: Quiet) -> Result<()> {
    let Quiet { chat, storm, stand_in, account, lines, p99 } = quiet;
    automation_load::begin_storm(database, account, lines * STORM_RUNS_OF_LINE).await?;
    let stormy = stormy_lines(lines * STORM_LINES_OF_LINE);
    let (sent, _) = tokio::try_join!(
        chat.deliver(commands("beside", lines), LINE_INTERVAL),
        storm.deliver(stormy, LINE_INTERVAL / STORM_LINES_OF_LINE)
    )?;
    answered(&stand_in, &sent).await?;
    let left = automation_load::end_storm(database).await?;
    let mut begun = begun(database, account, &sent).await?;
    let beside = percentile(&mut begun, 99.0);
    table.add(Row {
        work: "Event in → first action, while other accounts have a backlog of runs and a storm of lines",
        figure: format!(
            "p50 {}, p99 {} ms to its begin; without {} ms ({} of {} runs were still queued at the end)",
            short(percentile(&mut begun, 50.0)),
            short(beside),
            short(p99),
            left,
            lines * STORM_RUNS_OF_LINE
        ),
        bar: "p99 at most doubled",
        met: Some(begun.len() == sent.len() && left > 0 && beside <= MAX_STORM_RATIO * p99),
    });
    Ok(())
}

/// Puts an account on a plan with as many automations.
async fn admit(database: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    let sql = "UPDATE accounts SET plan_id = (SELECT id FROM plans WHERE slug = 'enterprise') WHERE id = $1";
    let changed = sql_query(sql).bind::<SqlUuid, _>(account).execute(database).await?;
    ensure!(changed == 1, "{changed} accounts have another plan");
    Ok(())
}

fn command(number: u32) -> String {
    format!("go{number}")
}

/// Lines with the commands of all automations.
fn commands(prefix: &str, lines: u32) -> Vec<Line> {
    let line = |number: u32| {
        let id = format!("{prefix}-{number}");
        let text = format!("!{} {id}", command(number % AUTOMATIONS));
        Line { reply: format!("Ran {text}"), text, id }
    };
    (0..lines).map(line).collect()
}

/// Lines with the word that each automation of the storm waits for.
fn stormy_lines(lines: u32) -> Vec<Line> {
    let line = |number: u32| Line {
        id: format!("storm-{number}"),
        text: format!("{STORM_KEYWORD} {number}"),
        reply: String::new(),
    };
    (0..lines).map(line).collect()
}

#[derive(QueryableByName)]
struct Begun {
    #[diesel(sql_type = Text)]
    reply: String,
    /// Unix seconds.
    #[diesel(sql_type = Double)]
    at: f64,
}

/// Milliseconds from each line to the begin of the first action that it started.
async fn begun(
    database: &mut AsyncPgConnection,
    account: Uuid,
    sent: &HashMap<String, f64>,
) -> Result<Vec<f64>> {
    let steps: Vec<Begun> = sql_query(
        "SELECT 'Ran ' || (run.trigger -> 'payload' ->> 'message') AS reply,
            extract(epoch FROM min(step.started_at))::float8 AS at
         FROM automation_runs AS run
         JOIN automation_steps AS step ON step.account_id = run.account_id AND step.run_id = run.id
         WHERE run.account_id = $1 GROUP BY run.id",
    )
    .bind::<SqlUuid, _>(account)
    .load(database)
    .await?;
    let waits: Vec<f64> =
        steps.iter().filter_map(|step| Some((step.at - sent.get(&step.reply)?) * 1e3)).collect();
    ensure!(!waits.is_empty(), "no action has begun");
    Ok(waits)
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
async fn enabled(owner: &Api, mut graph: Value) -> Result<(String, Value)> {
    let made = owner.post("/v1/automations", json!({ "name": "Bench" })).await?;
    let path = format!("/v1/automations/{}", text(&made, "/data/id")?);
    graph["version"] = made["data"]["version"].clone();
    owner.call(Method::PUT, &format!("{path}/graph"), Some(graph)).await?;
    let mut enabled = owner.call(Method::PATCH, &path, Some(json!({ "enabled": true }))).await?;
    let version = enabled.pointer_mut("/data/version").context("no version")?.take();
    Ok((path, version))
}
