//! Events of runs: each step is published, also of a busy account and of a copy that was killed.

use automation_daemons::engine::MAX_EVENTS_PER_SECOND;
use chrono::TimeDelta;
use lumio_tests::world;
use serde_json::{Value, json};
use uuid::Uuid;

use super::stage::{Draft, Stage, eventually};

/// Events of a run on the channel of the account, as types with the positions of steps.
async fn events_of(stage: &Stage, run: Uuid) -> Vec<(String, Option<u64>)> {
    let events = world::published(&stage.app, &format!("automations:{}", stage.owner.account_id)).await;
    let of_run = events.iter().filter(|event| event["data"]["run_id"] == json!(run));
    of_run
        .map(|event| {
            let name = event["event_type"].as_str().and_then(|name| name.strip_prefix("automation:"));
            (name.unwrap_or_default().to_owned(), event["data"]["position"].as_u64())
        })
        .collect()
}

/// Events of a run with steps of these positions.
fn whole(positions: impl IntoIterator<Item = u64>) -> Vec<(String, Option<u64>)> {
    let steps = positions.into_iter().map(|position| ("node_finished".to_owned(), Some(position)));
    let began = std::iter::once(("run_started".to_owned(), None));
    began.chain(steps).chain([("run_finished".to_owned(), None)]).collect()
}

/// Waits until no end of a run is left to publish.
async fn all_published(stage: &Stage) {
    eventually("every end is published", async || {
        stage.count("automation_runs WHERE publish_end_at IS NOT NULL OR finished_at IS NULL").await == 0
    })
    .await;
}

#[tokio::test]
async fn frames_of_a_busy_account_have_each_step_in_order() {
    const ITEMS: usize = 50;
    const NODES_OF_ITEM: usize = 5;
    let steps = 1 + ITEMS * NODES_OF_ITEM;
    assert!(steps > usize::try_from(MAX_EVENTS_PER_SECOND).unwrap());
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let list = vec![1; ITEMS];
    let mut last = draft.after(draft.trigger, "out", "loop", json!({ "list": list }));
    for number in 0..NODES_OF_ITEM {
        let set = json!({ "name": format!("n{number}"), "value": "{{vars.index}}" });
        last = draft.after(last, "out", "set_variable", set);
    }
    let automation = stage.automation(&draft).await;
    let runs = [stage.start(automation).await, stage.start(automation).await];
    let running = stage.workers().await;
    all_published(&stage).await;
    for run in runs {
        assert_eq!(stage.run(run).await.status, "succeeded");
        let positions = 0..u64::try_from(steps).unwrap();
        assert_eq!(events_of(&stage, run).await, whole(positions), "each once");
    }
    stage.end(running).await;
}

#[tokio::test]
async fn frames_of_a_killed_copy_are_published_once() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let done = draft.notify(draft.trigger, "out", "done");
    draft.notify(done, "out", "next");
    let automation = stage.automation(&draft).await;
    // Killed behind a step, long after a step, and behind the end.
    let mut interrupted = Vec::new();
    for _ in 0..2 {
        let run = stage.held_elsewhere(automation, TimeDelta::seconds(-1)).await;
        stage.stored_step(run, 0, done, "succeeded", Some(json!({ "members": 1 }))).await;
        interrupted.push(run);
    }
    let (recent, old) = (interrupted[0], interrupted[1]);
    let earlier = "UPDATE automation_steps SET started_at = started_at - interval '1 hour' WHERE run_id = $1";
    stage.execute(earlier, old).await;
    let ended = stage.held_elsewhere(automation, TimeDelta::seconds(-1)).await;
    let end = "UPDATE automation_runs SET status = 'failed', error = 'gone', finished_at = started_at,
        publish_end_at = started_at, lease_until = NULL, lease_owner = NULL WHERE id = $1";
    stage.execute(end, ended).await;

    let running = stage.workers().await;
    all_published(&stage).await;
    assert_eq!(events_of(&stage, recent).await, whole([0, 1]));
    assert_eq!(events_of(&stage, old).await, whole([1]), "the former step was published before");
    assert_eq!(events_of(&stage, ended).await, [("run_finished".to_owned(), None)]);
    let events = world::published(&stage.app, &format!("automations:{}", stage.owner.account_id)).await;
    let is_end = |event: &&Value| event["data"]["run_id"] == json!(ended);
    let published = events.iter().find(is_end).unwrap();
    assert_eq!(
        (&published["data"]["status"], &published["data"]["error"]),
        (&json!("failed"), &json!("gone"))
    );

    // Killed between the publication and the removal of the mark.
    stage.execute("UPDATE automation_runs SET publish_end_at = finished_at WHERE id = $1", recent).await;
    all_published(&stage).await;
    assert_eq!(events_of(&stage, recent).await, whole([0, 1]), "a repetition has no effect");
    stage.end(running).await;
}
