//! Storms of an account: its starts, and its runs that wait, delay no other account.

use automation_daemons::engine::MAX_CONCURRENT_RUNS;
use automation_model::{
    runs::{MAX_SKIPPED_PER_MINUTE, MAX_STARTS_PER_MINUTE},
    starts,
};
use foundation::jobs::{Job, Producers, StartAutomations};
use live_model::AccountEvent;
use lumio_tests::world;
use serde_json::json;
use shared::id;
use uuid::Uuid;

use super::stage::{Draft, Silent, Stage, eventually};

const EVENT_TYPE: &str = "custom:storm";

/// Job of a new event of an account, with its key.
fn job(stage: &Stage, account_id: Uuid) -> (StartAutomations, String) {
    let event = AccountEvent {
        id: id::new(),
        account_id,
        event_type: EVENT_TYPE.to_owned(),
        platform: None,
        platform_user_id: None,
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data: json!({}),
        is_test: false,
        occurred_at: stage.app.clock.now(),
    };
    starts::job(account_id, event.announcement().unwrap(), None)
}

/// Open jobs that start automations.
async fn open_jobs(stage: &Stage) -> u64 {
    world::jobs(&stage.app, StartAutomations::QUEUE).await
}

#[tokio::test]
async fn storm_of_starts_delays_no_other_account_and_is_counted() {
    /// More than a copy holds together.
    const STORM: u64 = 300;
    const AUTOMATIONS: i64 = 24;
    /// Runs of each automation that are left to start in the minute.
    const LEFT: i64 = 2;
    let stage = Stage::new().await;
    let draft = Draft::of("event", json!({ "event_types": [EVENT_TYPE] }));
    for _ in 0..AUTOMATIONS {
        let automation = stage.automation(&draft).await;
        let earlier = i32::try_from(MAX_STARTS_PER_MINUTE - LEFT).unwrap();
        stage.queue(stage.owner.account_id, automation, earlier).await;
        let end = "UPDATE automation_runs SET status = 'succeeded', finished_at = created_at
            WHERE automation_id = $1";
        stage.execute(end, automation).await;
    }
    let quiet = stage.another().await.account_id;
    stage.automation_of(quiet, &draft).await;
    let mut jobs: Vec<_> = (0..STORM).map(|_| job(&stage, stage.owner.account_id)).collect();
    jobs.push(job(&stage, quiet));
    let producers = Producers::new(&stage.app.state.config.redis).unwrap();
    producers.enqueue_each(&jobs).await.unwrap();

    let running = stage.workers().await;
    let started = format!("automation_runs WHERE account_id = '{quiet}'");
    eventually("the other account's automation starts", async || stage.count(&started).await == 1).await;
    let open = open_jobs(&stage).await;
    // In the order of the queue it would be handled when no more than a copy holds are left.
    assert!(open > STORM * 5 / 6, "{open} of {STORM} jobs are open");

    eventually("each job of the storm is done", async || open_jobs(&stage).await == 0).await;
    let own = format!("automation_runs WHERE account_id = '{}'", stage.owner.account_id);
    let skipped = format!("{own} AND status = 'skipped'");
    assert_eq!(stage.count(&skipped).await, AUTOMATIONS * MAX_SKIPPED_PER_MINUTE, "the rest left no row");
    assert_eq!(stage.count(&format!("{skipped} AND context <> '{{}}'")).await, 0);
    let executed = format!("{own} AND status <> 'skipped'");
    assert_eq!(stage.count(&executed).await, AUTOMATIONS * MAX_STARTS_PER_MINUTE);
    let woken = format!("{own} AND status IN ('queued', 'running')");
    eventually("one job wakes all runs of an event", async || stage.count(&woken).await == 0).await;
    stage.end(running).await;
}

#[tokio::test]
async fn storm_of_runs_that_wait_delays_no_other_account() {
    const ACCOUNTS: i64 = 13;
    let silent = Silent::start().await;
    let stage = Stage::with(silent.builder()).await;
    for _ in 0..ACCOUNTS {
        let account = stage.another().await.account_id;
        let mut draft = Draft::manual();
        draft.after(draft.trigger, "out", "http_request", silent.request());
        let automation = stage.automation_of(account, &draft).await;
        stage.queue(account, automation, i32::try_from(MAX_CONCURRENT_RUNS).unwrap()).await;
    }
    let mut draft = Draft::manual();
    draft.notify(draft.trigger, "out", "done");
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    // More than may work at the same time.
    let waiting = "automation_runs WHERE status = 'running' AND lease_until IS NOT NULL";
    eventually("the runs of all accounts wait", async || {
        stage.count(waiting).await == ACCOUNTS * MAX_CONCURRENT_RUNS
    })
    .await;
    let run = stage.start(automation).await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    silent.release();
    stage.end(running).await;
}
