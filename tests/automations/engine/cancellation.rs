//! Cancelled runs: queued, delayed, and within an effect.

use std::time::Duration;

use serde_json::json;
use uuid::Uuid;

use super::stage::{Draft, Silent, Stage, eventually};

async fn cancel(stage: &Stage, run: Uuid) {
    stage.owner.post(&format!("/v1/automation/runs/{run}/cancel"), json!({})).await.expect(200);
}

#[tokio::test]
async fn cancel_automation_run_ends_a_delayed_run() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let delay = draft.after(draft.trigger, "out", "delay", json!({ "seconds": 3600 }));
    draft.notify(delay, "out", "after");
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let run = stage.start(automation).await;
    stage.delayed(run).await;
    cancel(&stage, run).await;
    let ended = stage.ended(run).await;
    assert_eq!((ended.status.as_str(), ended.wake_at, ended.graph), ("cancelled", None, None));
    assert_eq!(stage.outline(run).await, [(delay, "cancelled".to_owned())]);
    eventually("it is published", async || {
        stage.published().await.last().is_some_and(|name| name == "automation:run_finished")
    })
    .await;
    let names = ["automation:run_started", "automation:node_finished", "automation:run_finished"];
    assert_eq!(stage.published().await, names);
    stage.end(running).await;
}

#[tokio::test]
async fn cancel_automation_run_ends_a_queued_run_before_its_begin() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    draft.notify(draft.trigger, "out", "never");
    let automation = stage.automation(&draft).await;
    let run = stage.start(automation).await;
    cancel(&stage, run).await;
    // The job of the run is still in the outbox.
    let running = stage.workers().await;
    let other = stage.start(automation).await;
    assert_eq!(stage.ended(other).await.status, "succeeded");
    assert_eq!(stage.run(run).await.status, "cancelled");
    assert_eq!(stage.steps(run).await.len(), 0);
    stage.end(running).await;
}

#[tokio::test]
async fn cancel_automation_run_lets_an_effect_end_and_begins_no_other() {
    let silent = Silent::start().await;
    let stage = Stage::with(silent.builder()).await;
    let mut draft = Draft::manual();
    let slow = draft.after(draft.trigger, "out", "http_request", silent.request());
    draft.notify(slow, "error", "never");
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let run = stage.start(automation).await;
    eventually("the effect has begun", async || silent.waiting() == 1).await;
    cancel(&stage, run).await;
    silent.release();
    assert_eq!(stage.ended(run).await.status, "cancelled");
    let steps = stage.steps(run).await;
    assert_eq!(steps[0].status, "failed", "the outcome of the effect is stored: {steps:?}");
    assert!(steps[1..].iter().all(|step| step.status == "cancelled"), "{steps:?}");
    assert_eq!(stage.count("notifications").await, 0);
    stage.end(running).await;
}

#[tokio::test]
async fn cancel_automation_run_ends_delayed_and_executed_runs_soon() {
    const RUNS: usize = 7;
    /// Number of items of each loop.
    const ITEMS: usize = 50;
    /// The requests fall into different parts of the interval of checks.
    const PAUSE: Duration = Duration::from_millis(130);
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    draft.after(draft.trigger, "out", "delay", json!({ "seconds": 3600 }));
    let delayed = stage.automation(&draft).await;
    let mut draft = Draft::manual();
    let list = json!({ "list": vec![0; ITEMS] });
    let outer = draft.after(draft.trigger, "out", "loop", list.clone());
    let inner = draft.after(outer, "out", "loop", list);
    let action = draft.after(inner, "out", "stop_sound", json!({}));
    let executed = stage.automation(&draft).await;
    let running = stage.workers().await;
    for automation in [delayed, executed] {
        let mut runs = Vec::new();
        for _ in 0..RUNS {
            runs.push(stage.start(automation).await);
        }
        for run in &runs {
            eventually("it is in progress", async || !stage.steps(*run).await.is_empty()).await;
        }
        for run in &runs {
            cancel(&stage, *run).await;
            tokio::time::sleep(PAUSE).await;
        }
        for run in &runs {
            assert_eq!(stage.ended(*run).await.status, "cancelled");
        }
    }
    let begun =
        format!("automation_steps AS step WHERE step.node_id = '{action}' AND step.status <> 'cancelled'");
    let all = ITEMS * ITEMS;
    let complete =
        format!("(SELECT run_id FROM {begun} GROUP BY run_id HAVING count(*) >= {all}) AS complete");
    assert_eq!(stage.count(&complete).await, 0, "no run executes all of its actions");
    // The begin of an action is stored by a statement that reads the request. So one may have the later time, of the
    // clock before the statement, and none after it.
    let later = format!(
        "automation_runs AS run WHERE (SELECT count(*) FROM {begun} AND step.run_id = run.id
             AND step.started_at > run.cancel_requested_at) > 1"
    );
    assert_eq!(stage.count(&later).await, 0, "no further action begins after the request");
    stage.end(running).await;
}
