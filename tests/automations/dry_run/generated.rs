//! Dry runs and runs of generated graphs take the same steps (reference/automations.md#dry-run).

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use lumio_tests::{
    Belongings, Person, TestApp, eventually_none,
    world::{connect, count, published, workers},
};
use lumio_worker::Daemon;
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    answers::{Answers, request},
    dry,
    generator::{Generated, Named, input},
};
use crate::{
    common::{Numbers, create, execute, id_of, path, put},
    engine::stage::{Stage, Step},
};

/// Seed of the graphs.
const SEED: u64 = 20_261_127;
/// Number of graphs that are compared.
const GRAPHS: usize = 200;
const ACCOUNTS: usize = 21;
/// Number of graphs of an account; some of them have too many effects for a run.
const GRAPHS_OF_AN_ACCOUNT: usize = 12;
/// Maximum number of steps of a compared graph.
const MAX_STEPS: usize = 60;
/// Maximum numbers of its steps by type. More notifications of an automation and more requests of an account are
/// refused, and each delay takes a second.
const MAX_BY_TYPE: [(&str, usize); 4] =
    [("notify_members", 8), ("send_chat", 12), ("delay", 2), ("http_request", 5)];
/// Effects whose output a dry run does not know.
const WITHOUT_OUTPUT: [&str; 3] = ["notify_members", "send_chat", "emit_event"];
/// Feature that is off in every second account: there requests fail without being sent.
const REQUESTS: &str = "automation:http_request";

/// Graph of an automation with its dry run.
struct Case {
    number: usize,
    graph: Generated,
    automation: Uuid,
    dry: Value,
}

impl Case {
    /// Steps of the dry run; none when it was too long.
    fn steps(&self) -> &[Value] {
        self.dry["steps"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Number of steps of a type.
    fn count(&self, node_type: &str) -> usize {
        self.steps().iter().filter(|step| self.graph.type_of(&step["node_id"]) == node_type).count()
    }

    /// Effects of a type that a run would have.
    fn effects(&self, node_type: &str) -> impl Iterator<Item = &Value> {
        self.steps().iter().filter(move |step| {
            step["status"] == "succeeded" && step["effect"]["type"].as_str() == Some(node_type)
        })
    }

    /// True when a run stays within the limits of effects.
    fn is_small(&self) -> bool {
        (1..=MAX_STEPS).contains(&self.steps().len())
            && MAX_BY_TYPE.iter().all(|(node_type, max)| self.count(node_type) <= *max)
    }

    /// Parts of a step that both runs have.
    fn common(&self, step: &Value) -> Value {
        let is_known = !WITHOUT_OUTPUT.contains(&self.graph.type_of(&step["node_id"]));
        json!({
            "node_id": step["node_id"], "status": step["status"], "input": step["input"],
            "branch": step["branch"], "error": step["error"],
            "output": if is_known { step["output"].clone() } else { Value::Null },
        })
    }

    /// Asserts that the steps of a run are those of the dry run.
    fn compare(&self, status: &str, steps: &[Step]) {
        let real = steps.iter().map(|step| {
            self.common(&json!({
                "node_id": step.node_id, "status": step.status, "input": step.input, "output": step.output,
                "branch": step.branch, "error": step.error,
            }))
        });
        let real: Vec<Value> = real.collect();
        let dry: Vec<Value> = self.steps().iter().map(|step| self.common(step)).collect();
        let (number, Generated { nodes, edges }) = (self.number, &self.graph);
        let graph = json!({ "nodes": nodes, "edges": edges });
        assert_eq!(real, dry, "steps of graph {number} of seed {SEED}: {graph}");
        assert_eq!(self.dry["status"], status, "status of graph {number} of seed {SEED}: {graph}");
    }
}

/// An account with a channel, and its graphs.
struct Account {
    owner: Person,
    named: Named,
    cases: Vec<Case>,
}

impl Account {
    async fn open(stage: &Stage, number: usize, origin: String) -> Self {
        let owner = stage.another().await;
        let account = owner.account_id;
        let login = format!("s{}", &account.simple().to_string()[20..]);
        connect(&stage.app, account, Platform::Twitch, &login).await;
        stage.app.override_feature(account, REQUESTS, number.is_multiple_of(2)).await;
        Self { owner, named: Named::add(&stage.app, account, origin).await, cases: Vec::new() }
    }

    /// Saves graphs as enabled automations.
    async fn save(&mut self, app: &TestApp, graphs: Vec<(usize, Generated)>) {
        for (number, graph) in graphs {
            let automation = id_of(&create(&self.owner, &format!("Graph {number}")).await);
            put(&self.owner, automation, 1, &graph.nodes, &graph.edges).await.expect(200);
            execute(app, "UPDATE automations SET enabled = true WHERE id = $1", automation).await;
            self.cases.push(Case { number, graph, automation, dry: Value::Null });
        }
    }

    /// Dry runs of all graphs. One that is too long has no steps.
    async fn dry_run(&mut self) {
        for case in &mut self.cases {
            let answer = dry(&self.owner, case.automation, json!({ "input": input() })).await;
            if answer.status != 200 {
                answer.refused("BAD_REQUEST", "The dry run is too long");
            }
            case.dry = answer.body["data"].clone();
        }
    }

    /// Starts the graphs; returns the runs in their order.
    async fn start(&self) -> Vec<Uuid> {
        let mut runs = Vec::new();
        for case in &self.cases {
            let started = self
                .owner
                .post(&format!("{}/execute", path(case.automation)), json!({ "input": input() }))
                .await;
            runs.push(started.expect(202)["data"]["run_id"].as_str().unwrap().parse().unwrap());
        }
        runs
    }
}

/// Rows of all accounts, and of tables that belong to none.
async fn rows(stage: &Stage, accounts: &[Account]) -> (Vec<Belongings>, Vec<i64>) {
    let owned = join_all(accounts.iter().map(|account| stage.app.belongings(account.owner.account_id))).await;
    let others = ["outbox", "audit_log", "notifications"];
    (owned, join_all(others.map(|table| count(&stage.app, table))).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dry_run_automation_takes_the_steps_of_a_run_and_has_no_effect() {
    let server = Answers::start().await;
    let stage = Stage::with(server.builder()).await;
    let opened = (0..ACCOUNTS).map(|number| Account::open(&stage, number, server.origin()));
    let mut accounts = join_all(opened).await;
    let (mut numbers, mut number) = (Numbers(SEED), 0..);
    let generate = |account: &Account| -> Vec<(usize, Generated)> {
        let numbered = number.by_ref().take(GRAPHS_OF_AN_ACCOUNT);
        numbered.map(|number| (number, Generated::new(&mut numbers, &account.named))).collect()
    };
    let of_each: Vec<_> = accounts.iter().map(generate).collect();
    let saved = accounts.iter_mut().zip(of_each).map(|(account, graphs)| account.save(&stage.app, graphs));
    join_all(saved).await;

    let before = rows(&stage, &accounts).await;
    join_all(accounts.iter_mut().map(Account::dry_run)).await;
    assert_eq!(rows(&stage, &accounts).await, before, "no row is written");
    assert_eq!(calls(&stage), (0, 0, 0), "no platform is called");
    assert_eq!(server.connections(), 0, "no request is sent");

    let mut missing = GRAPHS;
    for account in &mut accounts {
        account.cases.retain(Case::is_small);
        account.cases.truncate(missing);
        missing -= account.cases.len();
    }
    assert_eq!(missing, 0, "graphs of seed {SEED} that are small");

    let relay = workers(&stage.app, &[Daemon::Outbox]).await;
    let mut worker = server.worker(&stage.app).await;
    let runs = join_all(accounts.iter().map(Account::start)).await;
    let left = async || count(&stage.app, "automation_runs WHERE status IN ('queued', 'running')").await;
    eventually_none("every run ends", left).await;
    for (account, runs) in accounts.iter().zip(&runs) {
        for (case, run) in account.cases.iter().zip(runs) {
            case.compare(&stage.run(*run).await.status, &stage.steps(*run).await);
        }
    }
    had_effects(&stage, &accounts, &server).await;
    are_various(&accounts);
    worker.terminate();
    assert!(worker.ended().await.success());
    stage.end(relay).await;
}

/// Numbers of messages, moderation actions and titles that reached the platform.
fn calls(stage: &Stage) -> (usize, usize, usize) {
    let platforms = &stage.app.platforms;
    let twitch = Platform::Twitch;
    let moderated = platforms.moderation_actions(twitch).len();
    (platforms.sent_messages(twitch).len(), moderated, platforms.engagement_calls(twitch).len())
}

/// Asserts that the runs had the effects that the dry runs named, each once.
async fn had_effects(stage: &Stage, accounts: &[Account], server: &Answers) {
    let cases = || accounts.iter().flat_map(|account| &account.cases);
    let number = |node_type: &str| cases().map(|case| case.effects(node_type).count()).sum::<usize>();
    let named = |node_type: &str, text: &dyn Fn(&Value) -> String| {
        let effects = cases().flat_map(|case| case.effects(node_type).collect::<Vec<_>>());
        let mut named: Vec<String> = effects.map(|step| text(&step["effect"]["arguments"])).collect();
        named.sort();
        named
    };
    let mut sent: Vec<String> =
        stage.app.platforms.sent_messages(Platform::Twitch).into_iter().map(|message| message.text).collect();
    sent.sort();
    let message = |arguments: &Value| arguments["message"].as_str().unwrap().trim().to_owned();
    assert_eq!(sent, named("send_chat", &message));

    let mut received = server.requests();
    received.sort();
    let origin = server.origin();
    let requested = |arguments: &Value| {
        let path = arguments["url"].as_str().unwrap().strip_prefix(&origin).unwrap();
        request("POST", path, &arguments["body"])
    };
    assert_eq!(received, named("http_request", &requested));

    assert_eq!(calls(stage), (sent.len(), number("timeout_user"), number("set_stream_title")));
    assert_eq!(usize::try_from(stage.count("notifications").await), Ok(number("notify_members")));
    let (mut played, mut emitted) = (0, 0);
    for account in accounts {
        let id = account.owner.account_id;
        played += published(&stage.app, &format!("sounds:{id}")).await.len();
        let events = published(&stage.app, &format!("events:{id}")).await;
        emitted += events.iter().filter(|event| event["data"]["event_type"] == "custom:tick").count();
    }
    assert_eq!((played, emitted), (number("play_sound"), number("emit_event")));
    for node_type in ["http_request", "timeout_user", "set_stream_title", "play_sound", "emit_event"] {
        assert!(number(node_type) > 0, "no {node_type} has its effect");
    }
}

/// Asserts that the compared steps are of all types, and take all branches.
fn are_various(accounts: &[Account]) {
    let (mut types, mut branches) = (BTreeMap::<&str, usize>::new(), BTreeSet::new());
    let mut failed = 0;
    for case in accounts.iter().flat_map(|account| &account.cases) {
        for step in case.steps() {
            *types.entry(case.graph.type_of(&step["node_id"])).or_default() += 1;
            branches.extend(step["branch"].as_str());
            failed += usize::from(step["status"] == "failed");
        }
    }
    assert_eq!(types.len(), 15, "{types:?}");
    let expected = BTreeSet::from(["true", "false", "a", "default"]);
    assert!(branches.is_superset(&expected), "{branches:?}");
    assert!(failed > 0 && types.values().sum::<usize>() > GRAPHS, "{failed} failed, {types:?}");
}
