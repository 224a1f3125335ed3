//! `kill -9` of worker processes behind and within an effect (reference/automations.md#execution).
//!
//! The worker reaches the API through a gate. The API executes every action; the gate keeps the answer of some of them,
//! so that an action has happened and the worker does not know it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Program, eventually_none, is_slow,
    world::{connect, count},
};
use platforms_stand_in::Platform;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use uuid::Uuid;

use super::stage::{Draft, Stage, eventually};
use crate::wire::message;

const ACCOUNTS: usize = 10;
/// Number of runs of each automation for each kill.
const RUNS: usize = 2;
/// Number of runs of all accounts within an effect, and behind one, at each kill.
const RUNS_OF_A_KILL: usize = ACCOUNTS * RUNS;
/// End of the messages whose answer the gate keeps.
const KEPT: &str = "kept";
const UNKNOWN: &str = "It is not known if `send_chat` happened: the service stopped meanwhile";

/// Server between worker and API.
struct Gate {
    address: String,
    kept: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Gate {
    async fn start(api: &str) -> Self {
        let api = api.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let kept = Arc::<AtomicUsize>::default();
        let counter = Arc::clone(&kept);
        let accepting = tokio::spawn(async move {
            while let Ok((worker, _)) = listener.accept().await {
                tokio::spawn(forward(worker, api.clone(), Arc::clone(&counter)));
            }
        });
        Self { address, kept, accepting }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Forwards the requests of a connection until it is closed. `None`: an end of it is closed.
async fn forward(worker: TcpStream, api: String, kept: Arc<AtomicUsize>) -> Option<()> {
    let mut worker = BufReader::new(worker);
    loop {
        let request = message(&mut worker).await?;
        // Each request has its own connection, because the API closes idle ones.
        let mut server = BufReader::new(TcpStream::connect(&api).await.ok()?);
        server.write_all(&request).await.ok()?;
        let answer = message(&mut server).await?;
        if String::from_utf8_lossy(&request).contains(&format!(" {KEPT}\"")) {
            kept.fetch_add(1, Ordering::Relaxed);
            // Until the worker is killed.
            worker.read_u8().await.ok()?;
        }
        worker.write_all(&answer).await.ok()?;
    }
}

/// Graph with an effect that is done, one whose answer is kept, and one in its place; or with a delay between two.
struct Graph {
    draft: Draft,
    nodes: Vec<Uuid>,
    /// Ends of the messages of a run.
    messages: Vec<&'static str>,
    /// Statuses of the steps after a kill.
    statuses: [&'static str; 3],
}

fn within_an_effect() -> Graph {
    let mut draft = Draft::manual();
    let trigger = draft.trigger;
    let done = say(&mut draft, trigger, "out", "done");
    let begun = say(&mut draft, done, "out", KEPT);
    say(&mut draft, begun, "out", "never");
    let instead = say(&mut draft, begun, "error", &format!("instead, as on {}", platform_of(done)));
    Graph {
        draft,
        nodes: vec![done, begun, instead],
        messages: vec!["done", KEPT, "instead, as on twitch"],
        statuses: ["succeeded", "unknown", "succeeded"],
    }
}

fn behind_an_effect() -> Graph {
    let mut draft = Draft::manual();
    let trigger = draft.trigger;
    let first = say(&mut draft, trigger, "out", "first");
    let delay = draft.after(first, "out", "delay", json!({ "seconds": 600 }));
    let last = say(&mut draft, delay, "out", &format!("last, as on {}", platform_of(first)));
    Graph {
        draft,
        nodes: vec![first, delay, last],
        messages: vec!["first", "last, as on twitch"],
        statuses: ["succeeded"; 3],
    }
}

/// Adds a node that sends a message with the name of the run.
fn say(draft: &mut Draft, source: Uuid, handle: &str, text: &str) -> Uuid {
    let message = format!("{{{{trigger.payload.name}}}} {text}");
    draft.after(source, handle, "send_chat", json!({ "message": message, "platforms": ["twitch"] }))
}

/// Placeholder for the stored output of a message.
fn platform_of(node: Uuid) -> String {
    format!("{{{{steps.{node}.sent.0.platform}}}}")
}

/// Accounts with a channel, and the environment of a worker behind the gate.
struct Scene {
    stage: Stage,
    gate: Gate,
    variables: BTreeMap<String, String>,
    /// Account and automation, for each graph.
    automations: [Vec<(Uuid, Uuid)>; 2],
}

impl Scene {
    async fn start(graphs: &[Graph; 2]) -> Self {
        let stage = Stage::new().await;
        let gate = Gate::start(&stage.app.url()).await;
        let mut variables = stage.app.variables();
        let key = stage.app.system_key().await.token().to_owned();
        variables.insert("LUMIO_SYSTEM_KEY".to_owned(), key);
        variables.insert("LUMIO_API_URL".to_owned(), format!("http://{}", gate.address));
        let mut automations = [Vec::new(), Vec::new()];
        for _ in 0..ACCOUNTS {
            let account = stage.another().await.account_id;
            let login = format!("s{}", &account.simple().to_string()[20..]);
            connect(&stage.app, account, Platform::Twitch, &login).await;
            for (graph, added) in graphs.iter().zip(&mut automations) {
                added.push((account, stage.automation_of(account, &graph.draft).await));
            }
        }
        Self { stage, gate, variables, automations }
    }

    fn worker(&self) -> Program {
        Program::start("lumio-worker", &["automations"], &self.variables)
    }

    /// Starts runs of each automation of a graph; returns them with their names.
    async fn runs_of(&self, graph: usize, kill: usize) -> Vec<(Uuid, String)> {
        let mut runs = Vec::new();
        for (place, (account, automation)) in self.automations[graph].iter().enumerate() {
            for number in 0..RUNS {
                let name = format!("{graph}.{kill}.{place}.{number}");
                let run = self.stage.start_of(*account, *automation, json!({ "name": name })).await;
                runs.push((run, name));
            }
        }
        runs
    }

    async fn count(&self, rows: &str) -> usize {
        usize::try_from(count(&self.stage.app, rows).await).unwrap()
    }

    /// Number of runs that are delayed.
    async fn delayed(&self) -> usize {
        self.count("automation_runs WHERE wake_at IS NOT NULL").await
    }

    /// Numbers of effects that were written as done by a worker that is dead, and that it has begun.
    async fn interrupted(&self) -> (usize, usize) {
        let steps = "automation_steps AS step JOIN automation_runs AS run ON run.id = step.run_id
            WHERE run.status = 'running'";
        let done = self.count(&format!("{steps} AND step.position = 0 AND step.status = 'succeeded'")).await;
        let begun =
            format!("{steps} AND step.position = 1 AND step.status = 'running' AND run.wake_at IS NULL");
        (done, self.count(&begun).await)
    }

    /// Lets the leases of the dead worker and the delays end.
    async fn pass_time(&self) {
        for sql in [
            "UPDATE automation_runs SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL",
            "UPDATE automation_steps AS step SET started_at = step.started_at - interval '1 hour'
             FROM automation_runs AS run
             WHERE run.id = step.run_id AND run.wake_at IS NOT NULL AND step.status = 'running'",
            "UPDATE automation_runs SET wake_at = now() WHERE wake_at IS NOT NULL",
        ] {
            let mut db = self.stage.app.databases.postgres.get().await.unwrap();
            sql_query(sql).execute(&mut *db).await.unwrap();
        }
    }

    /// Asserts the steps of an ended run.
    async fn check(&self, graph: &Graph, (run, name): &(Uuid, String)) {
        let ended = self.stage.run(*run).await;
        assert_eq!((ended.status.as_str(), ended.error), ("succeeded", None), "{name}");
        let steps = self.stage.steps(*run).await;
        let found: Vec<(Uuid, &str)> =
            steps.iter().map(|step| (step.node_id, step.status.as_str())).collect();
        let expected: Vec<(Uuid, &str)> = graph.nodes.iter().copied().zip(graph.statuses).collect();
        assert_eq!(found, expected, "{name}");
        for step in steps.iter().filter(|step| step.status == "unknown") {
            assert_eq!(step.error.as_deref(), Some(UNKNOWN), "{name}");
        }
    }
}

/// Minimum number of kills. One kill interrupts many effects, so that few suffice; the variable is for a long run.
fn min_kills() -> usize {
    std::env::var("LUMIO_TEST_KILLS").map_or(0, |kills| kills.parse().expect("LUMIO_TEST_KILLS is a number"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_workers_skip_what_is_done_and_repeat_nothing_that_has_begun() {
    let interruptions = if is_slow() { 100 } else { 40 };
    let min_kills = min_kills();
    let graphs = [within_an_effect(), behind_an_effect()];
    let scene = Scene::start(&graphs).await;
    let mut worker = scene.worker();
    let (mut behind, mut within, mut kills) = (0, 0, 0);
    let mut expected = Vec::new();
    while behind.min(within) < interruptions || kills < min_kills {
        assert!(kills < interruptions.max(min_kills), "{behind} and {within} effects after {kills} kills");
        let runs = [scene.runs_of(0, kills).await, scene.runs_of(1, kills).await];
        kills += 1;
        eventually("every effect has begun or is done", async || {
            let kept = AtomicUsize::load(&scene.gate.kept, Ordering::Relaxed);
            kept >= kills * RUNS_OF_A_KILL && scene.delayed().await == RUNS_OF_A_KILL
        })
        .await;
        worker.kill();
        let (done, begun) = scene.interrupted().await;
        (behind, within) = (behind + done, within + begun);
        scene.pass_time().await;
        worker = scene.worker();
        let left =
            async || count(&scene.stage.app, "automation_runs WHERE status IN ('queued', 'running')").await;
        eventually_none("every run ends", left).await;
        for (graph, runs) in graphs.iter().zip(&runs) {
            for run in runs {
                scene.check(graph, run).await;
                expected.extend(graph.messages.iter().map(|message| format!("{} {message}", run.1)));
            }
        }
    }
    let sent = scene.stage.app.platforms.sent_messages(Platform::Twitch);
    let mut sent: Vec<String> = sent.into_iter().map(|message| message.text).collect();
    sent.sort();
    expected.sort();
    assert_eq!(sent, expected, "each message arrives exactly once");
    eprintln!("{kills} kills, {behind} effects were done and {within} had begun");
    worker.terminate();
    assert!(worker.ended().await.success());
    scene.stage.app.stop().await;
}
