//! Storms of an account: its starts, and its runs that wait, delay no other account.

use automation_daemons::engine::MAX_CONCURRENT_RUNS;
use automation_model::{
    runs::{MAX_SKIPPED_PER_MINUTE, MAX_STARTS_PER_MINUTE},
    starts,
};
use foundation::jobs::{Job, Producers, StartAutomations};
use lumio_tests::{eventually_none, world};
use serde_json::json;
use uuid::Uuid;

use super::stage::{Draft, Silent, Stage, eventually};
use crate::common::custom_event;

const EVENT: &str = "storm";

/// Job of a new event of an account, with its key.
fn job(stage: &Stage, account_id: Uuid) -> (StartAutomations, String) {
    let event = custom_event(&stage.app, account_id, EVENT);
    starts::job(account_id, event.announcement().unwrap(), None)
}

/// Open jobs that start automations.
async fn open_jobs(stage: &Stage) -> i64 {
    i64::try_from(world::jobs(&stage.app, StartAutomations::QUEUE).await).unwrap()
}

#[tokio::test]
async fn storm_of_starts_delays_no_other_account_and_is_counted() {
    /// More than a copy holds together.
    const STORM: i64 = 300;
    const AUTOMATIONS: i64 = 24;
    /// Runs of each automation that are left to start in the minute.
    const LEFT: i64 = 2;
    let stage = Stage::new().await;
    let draft = Draft::of("event", json!({ "event_types": [format!("custom:{EVENT}")] }));
    for _ in 0..AUTOMATIONS {
        let automation = stage.automation(&draft).await;
        let earlier = i32::try_from(MAX_STARTS_PER_MINUTE - LEFT).unwrap();
        stage.queue(stage.owner.account_id, automation, earlier).await;
        // They count however long the storm takes.
        let end =
            "UPDATE automation_runs SET status = 'succeeded', created_at = created_at + interval '1 hour',
            finished_at = created_at WHERE automation_id = $1";
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
    eventually_none("each job of the storm is done", async || open_jobs(&stage).await).await;

    let own = format!("automation_runs WHERE account_id = '{}'", stage.owner.account_id);
    let of_storm = format!("{own} AND dedupe_key LIKE 'event:%'");
    let quiet_start = format!("(SELECT created_at FROM {started})");
    let earlier =
        format!("(SELECT DISTINCT dedupe_key FROM {of_storm} AND created_at < {quiet_start}) AS earlier");
    let earlier = stage.count(&earlier).await;
    // In the order of the queue it would be handled when no more than a copy holds are left.
    assert!(earlier < STORM / 6, "{earlier} of {STORM} jobs came first");

    let (skipped, executed) = ("status = 'skipped'", "status <> 'skipped'");
    assert!(stage.count(&format!("{own} AND {skipped}")).await >= AUTOMATIONS * MAX_SKIPPED_PER_MINUTE);
    assert!(stage.count(&format!("{own} AND {executed}")).await >= AUTOMATIONS * MAX_STARTS_PER_MINUTE);
    for (rows, max) in [(skipped, MAX_SKIPPED_PER_MINUTE), (executed, LEFT)] {
        // A run from exactly a minute before does not count; the range has both of its ends.
        let lately = format!(
            "(SELECT count(*) OVER (PARTITION BY automation_id ORDER BY created_at
                 RANGE BETWEEN interval '59.999 seconds' PRECEDING AND CURRENT ROW) AS lately
             FROM {of_storm} AND {rows}) AS counted WHERE lately > {max}"
        );
        assert_eq!(stage.count(&lately).await, 0, "no more in any minute: {rows}");
    }
    let dropped = STORM * AUTOMATIONS - stage.count(&of_storm).await;
    assert!(dropped > 0, "the rest left no row");
    assert_eq!(stage.count(&format!("{own} AND {skipped} AND context <> '{{}}'")).await, 0);
    let woken = format!("{own} AND status IN ('queued', 'running')");
    eventually_none("one job wakes all runs of an event", async || stage.count(&woken).await).await;
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
