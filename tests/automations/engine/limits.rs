//! Bounds: runs of an account at a time, fairness between accounts, features, depth, cooldowns.

use automation_daemons::engine::MAX_CONCURRENT_RUNS;
use chrono::TimeDelta;
use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::SimpleAsyncConnection;
use lumio_tests::TestApp;
use serde_json::json;

use super::stage::{Draft, Silent, Stage, eventually};

/// Line of a plan of the database.
#[derive(QueryableByName)]
struct Plan {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

#[tokio::test]
async fn limit_of_concurrent_runs_counts_those_of_every_copy() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    draft.notify(draft.trigger, "out", "done");
    let automation = stage.automation(&draft).await;
    let mut held = Vec::new();
    for _ in 0..MAX_CONCURRENT_RUNS {
        held.push(stage.held_elsewhere(automation, TimeDelta::hours(1)).await);
    }
    let mut waiting = Vec::new();
    for _ in 0..3 {
        waiting.push(stage.start(automation).await);
    }
    let running = stage.workers().await;
    let other = stage.another().await;
    let others = stage.automation_of(other.account_id, &draft).await;
    let run = stage.start_of(other.account_id, others, json!({})).await;
    assert_eq!(stage.ended(run).await.status, "succeeded", "other accounts have places of their own");
    for run in &waiting {
        assert_eq!(stage.run(*run).await.status, "queued");
    }

    // One place: the runs take it in the order of their starts.
    let free = "UPDATE automation_runs SET status = 'succeeded', lease_until = NULL WHERE id = $1";
    stage.execute(free, held[0]).await;
    let mut begins = Vec::new();
    for run in waiting {
        begins.push(stage.ended(run).await.started_at);
    }
    assert!(begins.is_sorted(), "{begins:?}");
    stage.end(running).await;
}

#[tokio::test]
async fn limit_of_concurrent_runs_holds_in_one_copy() {
    let silent = Silent::start().await;
    let stage = Stage::with(silent.builder()).await;
    let mut draft = Draft::manual();
    draft.after(draft.trigger, "out", "http_request", silent.request());
    let automation = stage.automation(&draft).await;
    stage.queue(stage.owner.account_id, automation, 11).await;
    let running = stage.workers().await;
    let left = async || stage.count("automation_runs WHERE status IN ('queued', 'running')").await;
    eventually("all have ended", async || {
        let executed =
            stage.count("automation_runs WHERE status = 'running' AND lease_until IS NOT NULL").await;
        assert!(executed <= MAX_CONCURRENT_RUNS, "{executed} at the same time");
        if silent.waiting() >= 10 || left().await == 1 {
            silent.release();
        }
        left().await == 0
    })
    .await;
    stage.end(running).await;
}

#[tokio::test]
async fn limit_of_concurrent_runs_lets_a_storm_delay_no_other_account() {
    const STORM: i32 = 300;
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    draft.after(draft.trigger, "out", "set_variable", json!({ "name": "a", "value": 1 }));
    let stormy = stage.automation(&draft).await;
    let other = stage.another().await;
    let quiet = stage.automation_of(other.account_id, &draft).await;
    stage.queue(stage.owner.account_id, stormy, STORM).await;
    let run = stage.start_of(other.account_id, quiet, json!({})).await;
    let running = stage.workers().await;
    stage.ended(run).await;
    eventually("the storm is over", async || {
        stage.count("automation_runs WHERE status IN ('queued', 'running')").await == 0
    })
    .await;
    let earlier = format!(
        "automation_runs WHERE automation_id = '{stormy}' AND started_at < \
         (SELECT started_at FROM automation_runs WHERE id = '{run}')"
    );
    let earlier = stage.count(&earlier).await;
    // Both accounts are served in rotation, so that only runs which were begun together come first.
    assert!(earlier <= 4 * MAX_CONCURRENT_RUNS, "{earlier} of {STORM} runs came first");
    stage.end(running).await;
}

#[tokio::test]
async fn limit_of_working_runs_counts_none_that_waits_for_a_store() {
    /// As many runs of an account as may work on the threads of the copy.
    const STUCK: i64 = 2;
    let builder = TestApp::builder().with("LUMIO_WORKER_THREADS", 2 * STUCK);
    let stage = Stage::with(builder).await;
    let mut draft = Draft::manual();
    draft.notify(draft.trigger, "out", "done");
    let (locked, free) = (stage.automation(&draft).await, stage.automation(&draft).await);
    let mut draft = Draft::manual();
    let started = json!({ "automation_id": locked, "input": {} });
    draft.after(draft.trigger, "out", "run_automation", started);
    let stuck = stage.automation(&draft).await;
    let mut lock = stage.app.databases.postgres.get_owned().await.unwrap();
    let sql = format!("BEGIN; SELECT id FROM automations WHERE id = '{locked}' FOR UPDATE");
    lock.batch_execute(&sql).await.unwrap();
    for _ in 0..STUCK {
        stage.start(stuck).await;
    }
    let running = stage.workers().await;
    let waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    eventually("the actions wait for the row", async || stage.count(waiting).await == STUCK).await;
    let run = stage.start(free).await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    let in_action = format!("automation_runs WHERE automation_id = '{stuck}' AND status = 'running'");
    assert_eq!(stage.count(&in_action).await, STUCK, "the others of the account still wait");
    lock.batch_execute("ROLLBACK").await.unwrap();
    drop(lock);
    let started = format!("automation_runs WHERE automation_id = '{locked}' AND status = 'succeeded'");
    eventually("each action is completed", async || stage.count(&started).await == STUCK).await;
    stage.end(running).await;
}

#[tokio::test]
async fn limit_of_concurrent_runs_is_checked_without_reading_the_backlog() {
    // Not for the whole module: the stage has a method of the same name.
    use diesel_async::RunQueryDsl;

    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    draft.notify(draft.trigger, "out", "never");
    let automation = stage.automation(&draft).await;
    // All of the same time, as those of one event are.
    stage.queue(stage.owner.account_id, automation, 5000).await;
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    sql_query("ANALYZE automation_runs").execute(&mut *db).await.unwrap();
    let own = format!("FROM automation_runs WHERE account_id = '{}'", stage.owner.account_id);
    for (read, index) in [
        (
            format!("id {own} AND status = 'queued' ORDER BY created_at, id LIMIT 1"),
            "automation_runs_waiting",
        ),
        (
            format!("count(*) {own} AND status = 'running' AND lease_until IS NOT NULL"),
            "automation_runs_leased",
        ),
    ] {
        let sql = format!("EXPLAIN SELECT {read}");
        let plan: Vec<Plan> = sql_query(sql).load(&mut *db).await.unwrap();
        let text: Vec<&str> = plan.iter().map(|plan| plan.line.as_str()).collect();
        assert!(text.iter().any(|line| line.contains(index)), "{text:#?}");
        assert!(!text.iter().any(|line| line.contains("Sort")), "{text:#?}");
    }
    drop(db);
    stage.app.stop().await;
}

#[tokio::test]
async fn limit_of_features_fails_the_step_or_the_run() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    let mut draft = Draft::manual();
    let refused = draft.notify(draft.trigger, "out", "never");
    let automation = stage.automation(&draft).await;
    stage.app.override_feature(account, "automation:notify_members", false).await;
    let running = stage.workers().await;
    let run = stage.start(automation).await;
    let ended = stage.ended(run).await;
    let message = "FEATURE_DISABLED: automation:notify_members";
    assert_eq!((ended.status.as_str(), ended.error.as_deref()), ("failed", Some(message)));
    assert_eq!(stage.outline(run).await, [(refused, "failed".to_owned())]);
    assert_eq!(stage.count("notifications").await, 0);
    running.stop().await.unwrap();

    stage.app.override_feature(account, "feature:automations", false).await;
    let running = stage.workers().await;
    let run = stage.start(automation).await;
    let ended = stage.ended(run).await;
    let message = "FEATURE_DISABLED: feature:automations";
    assert_eq!((ended.status.as_str(), ended.error.as_deref()), ("failed", Some(message)));
    assert_eq!(stage.steps(run).await.len(), 0);
    stage.end(running).await;
}

#[tokio::test]
async fn limit_of_depth_ends_automations_that_start_each_other() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    // The automation starts itself; its id is known only when it exists.
    draft.after(
        draft.trigger,
        "out",
        "run_automation",
        json!({ "automation_id": "{{trigger.payload.id}}", "input": { "id": "{{trigger.payload.id}}" } }),
    );
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let payload = json!({ "id": automation });
    stage.start_of(stage.owner.account_id, automation, payload).await;
    eventually("the last run has ended", async || {
        stage.count("automation_runs WHERE depth = 3 AND status = 'failed'").await == 1
    })
    .await;
    assert_eq!(stage.count("automation_runs").await, 4);
    assert_eq!(stage.count("automation_runs WHERE parent_run_id IS NOT NULL").await, 3);
    stage.end(running).await;
}

#[tokio::test]
async fn limit_of_a_cooldown_holds_for_all_runs_of_the_node() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let cooldown = draft.after(draft.trigger, "out", "cooldown", json!({ "global_secs": 3600 }));
    let passed = draft.notify(cooldown, "out", "passed");
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let first = stage.start(automation).await;
    stage.ended(first).await;
    let second = stage.start(automation).await;
    assert_eq!(stage.ended(second).await.status, "succeeded");
    assert_eq!(stage.outline(first).await.len(), 2);
    assert_eq!(stage.outline(first).await[1].0, passed);
    let steps = stage.steps(second).await;
    assert_eq!((steps.len(), steps[0].branch.as_deref()), (1, Some("false")));
    stage.end(running).await;
}
