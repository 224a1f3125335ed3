//! Runs of copies that were killed: what is done is not repeated, what has begun is unknown.

use automation_daemons::engine::{MAX_RESULT_BYTES, MAX_RESULTS_BYTES};
use chrono::TimeDelta;
use serde_json::json;

use super::stage::{Draft, Stage};

#[tokio::test]
async fn recovery_repeats_no_effect_that_has_begun() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let done = draft.notify(draft.trigger, "out", "done");
    let begun = draft.notify(done, "out", "begun");
    draft.notify(begun, "out", "never");
    let instead = draft.notify(begun, "error", format!("{{{{steps.{done}.members}}}}").as_str());
    let automation = stage.automation(&draft).await;
    let run = stage.held_elsewhere(automation, TimeDelta::seconds(-1)).await;
    stage.stored_step(run, 0, done, "succeeded", Some(json!({ "members": 5 }))).await;
    stage.stored_step(run, 1, begun, "running", None).await;
    let running = stage.workers().await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    let expected = [(done, "succeeded"), (begun, "unknown"), (instead, "succeeded")];
    assert_eq!(stage.outline(run).await, expected.map(|(node, status)| (node, status.to_owned())));
    let steps = stage.steps(run).await;
    assert_eq!(steps[2].input["title"], "5", "the stored output is read");
    assert_eq!(stage.count("notifications").await, 1, "only the last one was executed");
    stage.end(running).await;
}

#[tokio::test]
async fn recovery_counts_the_outputs_that_the_execution_counts() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let logic = draft.after(draft.trigger, "out", "cooldown", json!({ "global_secs": 0 }));
    let mut filling = vec![draft.notify(logic, "out", "filling")];
    while filling.len() < MAX_RESULTS_BYTES / MAX_RESULT_BYTES {
        filling.push(draft.notify(filling[filling.len() - 1], "out", "filling"));
    }
    let last = filling[filling.len() - 1];
    draft.notify(last, "out", format!("{{{{steps.{last}.members}}}}").as_str());
    let automation = stage.automation(&draft).await;
    let run = stage.held_elsewhere(automation, TimeDelta::seconds(-1)).await;
    stage.stored_step(run, 0, logic, "succeeded", Some(json!({ "passed": true }))).await;
    let output = |text: String| json!({ "members": 5, "text": text });
    let full = output("x".repeat(MAX_RESULT_BYTES - output(String::new()).to_string().len()));
    for (position, node) in (1..).zip(&filling) {
        stage.stored_step(run, position, *node, "succeeded", Some(full.clone())).await;
    }
    let running = stage.workers().await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    let steps = stage.steps(run).await;
    assert_eq!(steps[steps.len() - 1].input["title"], "5", "the last output that fits is read");
    stage.end(running).await;
}

#[tokio::test]
async fn recovery_fails_a_run_without_an_error_edge() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let begun = draft.notify(draft.trigger, "out", "begun");
    let automation = stage.automation(&draft).await;
    let run = stage.held_elsewhere(automation, TimeDelta::seconds(-1)).await;
    stage.stored_step(run, 0, begun, "running", None).await;
    let running = stage.workers().await;
    let ended = stage.ended(run).await;
    let message = "It is not known if `notify_members` happened: the service stopped meanwhile";
    assert_eq!((ended.status.as_str(), ended.error.as_deref()), ("failed", Some(message)));
    assert_eq!(stage.outline(run).await, [(begun, "unknown".to_owned())]);
    assert_eq!(stage.count("notifications").await, 0);
    stage.end(running).await;
}

#[tokio::test]
async fn recovery_finds_runs_without_a_job() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    draft.notify(draft.trigger, "out", "found");
    let automation = stage.automation(&draft).await;
    let run = stage.start(automation).await;
    stage.execute("DELETE FROM outbox WHERE idempotency_key = $1::text", run).await;
    // Runs of earlier versions have no job either.
    stage.queue(stage.owner.account_id, automation, 2).await;
    let running = stage.workers().await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    lumio_tests::eventually("all have ended", async || {
        stage.count("automation_runs WHERE status = 'succeeded'").await == 3
    })
    .await;
    stage.end(running).await;
}

#[tokio::test]
async fn recovery_executes_queued_runs_of_a_disabled_automation() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    draft.notify(draft.trigger, "out", "queued");
    let automation = stage.automation(&draft).await;
    let run = stage.start(automation).await;
    stage.execute("UPDATE automations SET enabled = false WHERE id = $1", automation).await;
    let running = stage.workers().await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    stage.end(running).await;
}
