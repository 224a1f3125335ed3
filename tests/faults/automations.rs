//! `kill -9` of worker processes that execute actions of automations.

use std::{collections::HashMap, time::Duration};

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{
    Person, Program, TestApp, is_slow,
    world::{count, workers},
};
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, Platform};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Channel, eventually, eventually_none};

/// Accounts that are served in rotation: runs of a dead worker keep their places until their lease ends.
const CHANNELS: usize = 10;
/// Number of runs for each worker.
const RUNS: usize = 3;
/// Duration of an action, so that kills meet one.
const ACTION_DURATION: Duration = Duration::from_millis(300);
/// Error of a run whose last action was interrupted.
const UNKNOWN: &str = "It is not known if `send_chat` happened: the service stopped meanwhile";

/// A step that sends a message.
#[derive(QueryableByName)]
struct Sending {
    #[diesel(sql_type = Text)]
    message: String,
    #[diesel(sql_type = Text)]
    status: String,
}

/// Adds an automation that sends two messages, with a delay between them. The second one is sent also when the outcome
/// of the first is unknown.
async fn automate(owner: &Person) -> String {
    let made = owner.post("/v1/automations", json!({ "name": "Two messages" })).await;
    let path = format!("/v1/automations/{}", made.expect(201)["data"]["id"].as_str().expect("an id"));
    let [trigger, first, delay, second] = [(); 4].map(|()| Uuid::now_v7());
    let message = |place: &str| json!({ "message": format!("{place} {{{{trigger.payload.mark}}}}") });
    let graph = json!({
        "version": 1,
        "nodes": [
            { "id": trigger, "type": "manual", "config": {} },
            { "id": first, "type": "send_chat", "config": message("first") },
            { "id": delay, "type": "delay", "config": { "seconds": 1 } },
            { "id": second, "type": "send_chat", "config": message("second") },
        ],
        "edges": [edge(trigger, "out", first), edge(first, "out", delay), edge(first, "error", delay),
                  edge(delay, "out", second)],
    });
    owner.put(&format!("{path}/graph"), graph).await.expect(200);
    owner.patch(&path, json!({ "enabled": true })).await.expect(200);
    path
}

fn edge(from: Uuid, handle: &str, to: Uuid) -> Value {
    json!({ "id": Uuid::now_v7(), "source_node_id": from, "source_handle": handle, "target_node_id": to })
}

/// Number of actions for which this holds, of one place in the runs of one worker.
async fn actions(app: &TestApp, place: &str, worker: usize, holds: &str) -> i64 {
    let steps = "automation_steps AS step
        JOIN automation_runs AS run ON run.account_id = step.account_id AND run.id = step.run_id";
    let of_worker = format!("step.input->>'message' LIKE '{place} {worker}.%'");
    count(app, &format!("{steps} WHERE {of_worker} AND {holds}")).await
}

/// Number of actions in progress.
async fn acting(app: &TestApp, place: &str, worker: usize) -> i64 {
    actions(app, place, worker, "step.status = 'running' AND run.wake_at IS NULL").await
}

/// True when every action has ended: a busy machine has missed them in progress.
async fn is_missed(app: &TestApp, place: &str, worker: usize) -> bool {
    actions(app, place, worker, "step.status <> 'running'").await >= i64::try_from(RUNS).unwrap()
}

async fn sendings(app: &TestApp) -> Vec<Sending> {
    let sql = "SELECT input->>'message' AS message, status FROM automation_steps WHERE input ? 'message'";
    sql_query(sql).load(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Number of times that each message arrived.
fn arrived(app: &TestApp) -> HashMap<String, usize> {
    let mut arrived = HashMap::new();
    for message in app.platforms.sent_messages(Platform::Twitch) {
        *arrived.entry(message.text).or_default() += 1;
    }
    arrived
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automations_of_killed_workers_lose_no_run_and_repeat_no_action() {
    let kills = if is_slow() { 20 } else { 6 };
    let app = TestApp::start().await;
    let channels = join_all((0..CHANNELS).map(|_| Channel::open(&app))).await;
    let mut automations = Vec::new();
    for channel in &channels {
        app.override_every_feature(channel.owner.account_id, true).await;
        automations.push(automate(&channel.owner).await);
    }
    let relay = workers(&app, &[Daemon::Outbox]).await;
    let mut variables = app.variables();
    variables.insert("LUMIO_SYSTEM_KEY".to_owned(), app.system_key().await.token().to_owned());
    let start = || Program::start("lumio-worker", &["automations"], &variables);

    let (mut inside, mut all) = (0, 0);
    while inside < kills {
        assert!(all < 5 * kills, "only {inside} of {all} kills met an action");
        let mut worker = start();
        let execute = format!("{}/execute", automations[all % CHANNELS]);
        for run in 0..RUNS {
            for _ in 0..2 {
                let slow = Failure::Slow(ACTION_DURATION);
                app.platforms.fail_next_at(Platform::Twitch, "chat/messages", slow);
            }
            let input = json!({ "input": { "mark": format!("{all}.{run}") } });
            channels[all % CHANNELS].owner.post(&execute, input).await.expect(202);
        }
        let place = ["first", "second"][all % 2];
        eventually("an action is executed", async || {
            acting(&app, place, all).await > 0 || is_missed(&app, place, all).await
        })
        .await;
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..200))).await;
        worker.kill();
        inside += usize::from(acting(&app, place, all).await > 0);
        all += 1;
    }
    let mut survivor = start();
    // The dead workers' leases expire first.
    let unfinished = async || count(&app, "automation_runs WHERE status IN ('queued', 'running')").await;
    let ended = eventually_none("every run ends", unfinished).await;

    let (steps, arrived) = (sendings(&app).await, arrived(&app));
    assert_eq!(steps.len(), 2 * all * RUNS, "each run has both actions, each once");
    let mut unknown = 0;
    for Sending { message, status } in &steps {
        let times = arrived.get(message).copied().unwrap_or_default();
        match status.as_str() {
            "succeeded" => assert_eq!(times, 1, "{message}"),
            "unknown" => assert!(times <= 1, "{message} arrived {times} times"),
            other => panic!("{message} is {other}"),
        }
        unknown += usize::from(status == "unknown");
    }
    assert!(unknown > 0, "a kill interrupts an action");
    let of_steps: usize = steps.iter().filter_map(|step| arrived.get(&step.message)).sum();
    assert_eq!(arrived.values().sum::<usize>(), of_steps, "no other message was sent");
    let second = steps.iter().filter(|step| step.message.starts_with("second ") && step.status == "unknown");
    let failed =
        count(&app, &format!("automation_runs WHERE status = 'failed' AND error = '{UNKNOWN}'")).await;
    assert_eq!(usize::try_from(failed), Ok(second.count()));
    let succeeded = count(&app, "automation_runs WHERE status = 'succeeded'").await;
    assert_eq!(usize::try_from(succeeded + failed), Ok(all * RUNS), "no run is lost");
    eprintln!(
        "{all} kills, {inside} inside an action: {unknown} unknown, all ended {ended:?} after the last"
    );
    survivor.terminate();
    assert!(survivor.ended().await.success());
    relay.stop().await.unwrap();
    app.stop().await;
}
