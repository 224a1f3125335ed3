//! Delays: they survive restarts, need no place, and do not count as time of the run.

use automation_daemons::engine::MAX_RUN_DURATION;
use chrono::TimeDelta;
use serde_json::json;

use super::stage::{Draft, Stage, eventually};

fn with_delay(seconds: u32) -> (Draft, [uuid::Uuid; 3]) {
    let mut draft = Draft::manual();
    let before = draft.notify(draft.trigger, "out", "before");
    let delay = draft.after(before, "out", "delay", json!({ "seconds": seconds }));
    let after = draft.notify(delay, "out", "after");
    (draft, [before, delay, after])
}

#[tokio::test]
async fn delay_survives_a_restart_and_repeats_nothing() {
    let stage = Stage::new().await;
    let (draft, nodes) = with_delay(600);
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let run = stage.start(automation).await;
    stage.delayed(run).await;
    running.stop().await.unwrap();
    let [before, delay, after] = nodes;
    let statuses = |last: &str| [(before, "succeeded".to_owned()), (delay, last.to_owned())];
    assert_eq!(stage.outline(run).await, statuses("running"));
    assert_eq!(stage.count("notifications").await, 1);

    // Another process finds the end of the delay, whenever it begins.
    stage.app.clock.advance(TimeDelta::seconds(601));
    let running = stage.workers().await;
    let ended = stage.ended(run).await;
    assert_eq!(ended.status, "succeeded");
    assert!(ended.busy_ms < 600_000, "{} ms", ended.busy_ms);
    let mut expected = statuses("succeeded").to_vec();
    expected.push((after, "succeeded".to_owned()));
    assert_eq!(stage.outline(run).await, expected);
    assert_eq!(stage.count("notifications").await, 2);
    stage.end(running).await;
}

#[tokio::test]
async fn delay_is_not_ended_early() {
    let stage = Stage::new().await;
    let (draft, [_, delay, _]) = with_delay(3_600);
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let run = stage.start(automation).await;
    stage.delayed(run).await;
    // Woken for another reason, it continues to wait.
    stage.execute("UPDATE automation_runs SET wake_at = now() - interval '1 hour' WHERE id = $1", run).await;
    eventually("the run waits again", async || {
        let wake_at = stage.run(run).await.wake_at;
        wake_at.is_some_and(|wake_at| wake_at > stage.app.clock.now() + TimeDelta::minutes(50))
    })
    .await;
    assert_eq!(stage.outline(run).await.last(), Some(&(delay, "running".to_owned())));
    stage.end(running).await;
}

#[tokio::test]
async fn delay_does_not_count_for_the_maximum_duration() {
    let stage = Stage::new().await;
    let (draft, [_, delay, _]) = with_delay(60);
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let run = stage.start(automation).await;
    stage.delayed(run).await;
    let used =
        format!("UPDATE automation_runs SET busy_ms = {} WHERE id = $1", MAX_RUN_DURATION.num_milliseconds());
    stage.execute(&used, run).await;
    stage.app.clock.advance(TimeDelta::seconds(61));
    let ended = stage.ended(run).await;
    assert_eq!(ended.status, "failed");
    assert_eq!(ended.error.as_deref(), Some("The run took longer than 300 seconds without its delays"));
    assert_eq!(stage.outline(run).await.last(), Some(&(delay, "succeeded".to_owned())));
    stage.end(running).await;
}

#[tokio::test]
async fn delay_of_a_deleted_automation_leaves_nothing() {
    let stage = Stage::new().await;
    let (draft, _) = with_delay(60);
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let run = stage.start(automation).await;
    stage.delayed(run).await;
    stage.execute("DELETE FROM automations WHERE id = $1", automation).await;
    assert!(stage.find(run).await.is_none());
    assert_eq!(stage.count("automation_steps").await, 0);
    stage.app.clock.advance(TimeDelta::seconds(61));
    // The engine continues with others.
    let mut other = Draft::manual();
    other.notify(other.trigger, "out", "other");
    let run = stage.start(stage.automation(&other).await).await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    stage.end(running).await;
}
