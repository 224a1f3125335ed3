//! Dry runs and runs of generated graphs take the same steps (reference/automations.md#dry-run).

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use lumio_tests::{
    Belongings, Person, eventually_none,
    world::{connect, count},
};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::secret::Secret;
use uuid::Uuid;

use super::{
    dry,
    generator::{Generated, Numbers, input},
};
use crate::{
    common::{create, execute, id_of, path, put},
    engine::stage::{Silent, Stage, Step},
};

/// Seed of the graphs.
const SEED: u64 = 20_261_127;
/// Number of graphs that are compared.
const GRAPHS: usize = 200;
const ACCOUNTS: usize = 22;
/// Number of graphs of an account; some of them have too many effects for a run.
const GRAPHS_OF_AN_ACCOUNT: usize = 12;
/// Maximum number of steps of a compared graph.
const MAX_STEPS: usize = 60;
/// Maximum numbers of its steps by type. More notifications are refused, and each delay takes a second.
const MAX_BY_TYPE: [(&str, usize); 3] = [("notify_members", 8), ("send_chat", 12), ("delay", 2)];
/// Effects whose output a dry run does not know.
const WITHOUT_OUTPUT: [&str; 2] = ["notify_members", "send_chat"];
/// Feature that is off in the compared runs: their requests fail without being sent.
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
    cases: Vec<Case>,
}

impl Account {
    async fn open(stage: &Stage) -> Self {
        let owner = stage.another().await;
        let login = format!("s{}", &owner.account_id.simple().to_string()[20..]);
        connect(&stage.app, owner.account_id, Platform::Twitch, &login).await;
        Self { owner, cases: Vec::new() }
    }

    /// Saves graphs as enabled automations.
    async fn save(&mut self, stage: &Stage, graphs: Vec<(usize, Generated)>) {
        for (number, graph) in graphs {
            let automation = id_of(&create(&self.owner, &format!("Graph {number}")).await);
            put(&self.owner, automation, 1, &graph.nodes, &graph.edges).await.expect(200);
            execute(&stage.app, "UPDATE automations SET enabled = true WHERE id = $1", automation).await;
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

/// Workers that can call the API.
async fn workers(stage: &Stage) -> Running {
    let mut config = stage.app.config();
    config.workers.system_key = Some(Secret::new(stage.app.system_key().await.token()).into());
    let daemons = [Daemon::Outbox, Daemon::Automations];
    lumio_worker::start_with(config, stage.app.clock.clone(), &daemons).await.expect("the workers start")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dry_run_automation_takes_the_steps_of_a_run_and_has_no_effect() {
    let server = Silent::start().await;
    let stage = Stage::with(server.builder()).await;
    let mut accounts = join_all((0..ACCOUNTS).map(|_| Account::open(&stage))).await;
    let mut numbers = Numbers(SEED);
    let mut graphs = (0..).map(|number| (number, Generated::new(&mut numbers, server.address())));
    let of_each: Vec<Vec<_>> =
        accounts.iter().map(|_| graphs.by_ref().take(GRAPHS_OF_AN_ACCOUNT).collect()).collect();
    join_all(accounts.iter_mut().zip(of_each).map(|(account, graphs)| account.save(&stage, graphs))).await;

    let before = rows(&stage, &accounts).await;
    join_all(accounts.iter_mut().map(Account::dry_run)).await;
    assert_eq!(rows(&stage, &accounts).await, before, "no row is written");
    assert!(stage.app.platforms.sent_messages(Platform::Twitch).is_empty());
    assert_eq!(server.waiting(), 0, "no request is sent");
    let requests: usize = accounts
        .iter()
        .flat_map(|account| &account.cases)
        .map(|case| case.effects("http_request").count())
        .sum();
    assert!(requests > 0, "some graphs have requests");

    for account in &accounts {
        stage.app.override_feature(account.owner.account_id, REQUESTS, false).await;
    }
    join_all(accounts.iter_mut().map(Account::dry_run)).await;
    let mut missing = GRAPHS;
    for account in &mut accounts {
        account.cases.retain(Case::is_small);
        account.cases.truncate(missing);
        missing -= account.cases.len();
    }
    assert_eq!(missing, 0, "graphs of seed {SEED} that are small");

    let running = workers(&stage).await;
    let runs = join_all(accounts.iter().map(Account::start)).await;
    let left = async || count(&stage.app, "automation_runs WHERE status IN ('queued', 'running')").await;
    eventually_none("every run ends", left).await;
    for (account, runs) in accounts.iter().zip(&runs) {
        for (case, run) in account.cases.iter().zip(runs) {
            case.compare(&stage.run(*run).await.status, &stage.steps(*run).await);
        }
    }
    had_effects(&stage, &accounts).await;
    assert_eq!(server.waiting(), 0, "requests are off");
    are_various(&accounts);
    stage.end(running).await;
}

/// Asserts that the runs had the effects that the dry runs named, each once.
async fn had_effects(stage: &Stage, accounts: &[Account]) {
    let cases = || accounts.iter().flat_map(|account| &account.cases);
    let text = |step: &Value| step["effect"]["arguments"]["message"].as_str().unwrap().trim().to_owned();
    let mut expected: Vec<String> =
        cases().flat_map(|case| case.effects("send_chat").map(text).collect::<Vec<_>>()).collect();
    let sent = stage.app.platforms.sent_messages(Platform::Twitch);
    let mut sent: Vec<String> = sent.into_iter().map(|message| message.text).collect();
    expected.sort();
    sent.sort();
    assert_eq!(sent, expected);
    let notices: usize = cases().map(|case| case.effects("notify_members").count()).sum();
    assert_eq!(usize::try_from(stage.count("notifications").await), Ok(notices));
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
    assert_eq!(types.len(), 10, "{types:?}");
    let expected = BTreeSet::from(["true", "false", "a", "default"]);
    assert!(branches.is_superset(&expected), "{branches:?}");
    assert!(failed > 0 && types.values().sum::<usize>() > GRAPHS, "{failed} failed, {types:?}");
}
