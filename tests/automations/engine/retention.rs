//! Retention of runs: 30 days, and the newest 1,000 of each automation and those of the last two hours.

use chrono::TimeDelta;
use foundation::jobs::HousekeepingTask;
use lumio_worker::housekeeping::{Housekeeper, Progress, TimeBudget};
use worker_core::Context;

use super::stage::{Draft, Stage};

#[tokio::test]
async fn retention_deletes_old_runs_and_those_beyond_the_newest() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    let (busy, calm) = (stage.automation(&Draft::manual()).await, stage.automation(&Draft::manual()).await);
    stage.queue(account, busy, 1_205).await;
    stage.queue(account, calm, 5).await;
    // Each run has its own second and is older than two hours; all but two have ended.
    let spread = "UPDATE automation_runs SET status = 'succeeded', finished_at = created_at,
        created_at = created_at - make_interval(hours => 2, secs => split_part(dedupe_key, ':', 2)::int)
        WHERE automation_id = $1";
    stage.execute(spread, busy).await;
    stage.execute(spread, calm).await;
    let queued = "UPDATE automation_runs SET status = 'queued'
        WHERE automation_id = $1 AND dedupe_key IN ('bulk:1204', 'bulk:1205')";
    stage.execute(queued, busy).await;
    let run = stage.held_elsewhere(calm, TimeDelta::hours(1)).await;
    stage.stored_step(run, 0, shared::id::new(), "succeeded", None).await;
    stage.execute("UPDATE automation_runs SET status = 'failed' WHERE id = $1", run).await;

    let house =
        Housekeeper::new(&Context::new(stage.app.config(), stage.app.clock.clone()).unwrap()).unwrap();
    let task = HousekeepingTask::ForgetAutomationRuns;
    // One step does a part, and the next round continues.
    assert_eq!(house.take(task, &mut TimeBudget::of(1)).await.unwrap(), Progress::Pending);
    assert_eq!(house.take(task, &mut TimeBudget::of(100)).await.unwrap(), Progress::Completed);
    let of = async |automation: uuid::Uuid| {
        stage.count(&format!("automation_runs WHERE automation_id = '{automation}'")).await
    };
    assert_eq!(of(busy).await, 1_000 + 2, "queued runs stay");
    assert_eq!(of(calm).await, 6);

    stage.app.clock.advance(TimeDelta::days(31));
    assert_eq!(house.take(task, &mut TimeBudget::of(100)).await.unwrap(), Progress::Completed);
    assert_eq!((of(busy).await, of(calm).await), (2, 0));
    assert_eq!(stage.count("automation_steps").await, 0);
    stage.app.stop().await;
}

#[tokio::test]
async fn retention_keeps_young_runs_because_they_recognise_repeated_starts() {
    let stage = Stage::new().await;
    let automation = stage.automation(&Draft::manual()).await;
    stage.queue(stage.owner.account_id, automation, 1_205).await;
    // Ten runs a minute for two hours and a few seconds: the first few are older than two hours.
    let spread = "UPDATE automation_runs SET status = 'succeeded', finished_at = created_at,
        created_at = created_at - make_interval(secs => 6 * split_part(dedupe_key, ':', 2)::int)
        WHERE automation_id = $1";
    stage.execute(spread, automation).await;
    let house =
        Housekeeper::new(&Context::new(stage.app.config(), stage.app.clock.clone()).unwrap()).unwrap();
    let forget = async || {
        let task = HousekeepingTask::ForgetAutomationRuns;
        assert_eq!(house.take(task, &mut TimeBudget::of(100)).await.unwrap(), Progress::Completed);
        stage.count("automation_runs").await
    };
    let left = forget().await;
    assert!((1_190..1_205).contains(&left), "those beyond two hours only: {left}");
    assert_eq!(stage.count("automation_runs WHERE dedupe_key = 'bulk:1100'").await, 1);
    stage.app.clock.advance(TimeDelta::hours(2));
    assert_eq!(forget().await, 1_000);
    stage.app.stop().await;
}
