//! Runs of automations (reference/automations.md#runs).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::common::{
    AUTOMATIONS, RUN, create, edge, enable, execute, graphql, id_of, make, node, path, put, ready,
};

const SUMMARY: &str = "{ items { id automationId status trigger isTest parentRunId error createdAt startedAt finishedAt } total page }";

async fn start(caller: &Caller, id: Uuid, body: Value) -> Answer {
    caller.post(&format!("{}/execute", path(id)), body).await
}

async fn gql_start(caller: &Caller, id: Uuid, input: Value, trigger: Option<Uuid>) -> Answer {
    let document = "mutation($id: UUID!, $input: JSON, $trigger: UUID) {
        executeAutomation(id: $id, input: $input, triggerNodeId: $trigger) { runId } }";
    caller.graphql(document, json!({ "id": id, "input": input, "trigger": trigger })).await
}

async fn gql_runs(caller: &Caller, id: Uuid) -> Answer {
    graphql(caller, "query", "automationRuns", &[("id", id)], SUMMARY).await
}

/// Adds a run with a status; returns its id.
async fn run(app: &TestApp, automation: Uuid, status: &str) -> Uuid {
    let sql = format!(
        "INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key)
         SELECT gen_random_uuid(), account_id, id, '{status}', '{{\"type\": \"manual\"}}', gen_random_uuid()::text
         FROM automations WHERE id = $1 RETURNING id"
    );
    make(app, automation, &sql).await
}

#[derive(QueryableByName)]
struct Stored {
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Jsonb)]
    trigger: Value,
}

async fn stored(app: &TestApp, run: Uuid) -> Stored {
    let mut db = app.databases.postgres.get().await.unwrap();
    let sql = "SELECT status, trigger FROM automation_runs WHERE id = $1";
    sql_query(sql).bind::<SqlUuid, _>(run).get_result(&mut *db).await.unwrap()
}

#[tokio::test]
async fn execute_automation_queues_a_run_of_the_trigger() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let ready = ready(&owner).await;
    let off = start(&owner, ready.id, json!({})).await;
    both_refused(
        &off,
        &gql_start(&owner, ready.id, Value::Null, None).await,
        409,
        "CONFLICT",
        "Automation is disabled",
    );
    enable(&owner, ready.id).await.expect(200);
    let answer = start(&owner, ready.id, json!({ "input": { "name": "Ada" } })).await;
    let run: Uuid = answer.expect(202)["data"]["run_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(answer.body["_links"]["self"], json!(format!("/v1/automation/runs/{run}")));
    let found = stored(&app, run).await;
    assert_eq!(found.status, "queued");
    let expected = json!({ "node_id": ready.trigger, "type": "manual", "payload": { "name": "Ada" } });
    assert_eq!(found.trigger, expected);
    let entry = app.audited_once("automation:executed").await;
    assert_eq!(entry.metadata, json!({ "run_id": run, "status": "queued" }));
    let gql = gql_start(&owner, ready.id, json!({ "a": 1 }), Some(ready.trigger)).await;
    assert!(gql.field("executeAutomation")["run_id"].is_string());
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let rest = start(&member, ready.id, json!({})).await;
    let gql = gql_start(&member, ready.id, Value::Null, None).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:execute");
    let rest = start(&stranger, ready.id, json!({})).await;
    let gql = gql_start(&stranger, ready.id, Value::Null, None).await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Automation not found");
    app.stop().await;
}

#[tokio::test]
async fn execute_automation_checks_input_and_trigger() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ready = ready(&owner).await;
    enable(&owner, ready.id).await.expect(200);
    for (input, message) in [
        (json!("x".repeat(64 * 1024)), "input must have at most 65536 bytes of JSON"),
        (json!({ "a": "\0" }), "input must not contain the character NUL"),
    ] {
        let rest = start(&owner, ready.id, json!({ "input": input })).await;
        let gql = gql_start(&owner, ready.id, json!({ "v": input }), None).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
    }
    for node in [ready.action, Uuid::now_v7()] {
        let rest = start(&owner, ready.id, json!({ "trigger_node_id": node })).await;
        let gql = gql_start(&owner, ready.id, Value::Null, Some(node)).await;
        both_refused(&rest, &gql, 404, "NOT_FOUND", "Trigger node not found");
    }
    let empty = id_of(&create(&owner, "Empty").await);
    let rest = start(&owner, empty, json!({})).await;
    let gql = gql_start(&owner, empty, Value::Null, None).await;
    both_refused(&rest, &gql, 409, "CONFLICT", "Automation has no trigger");
    app.stop().await;
}

#[tokio::test]
async fn execute_automation_prefers_the_manual_trigger_and_skips_above_its_rate() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (id, online, manual, action) =
        (id_of(&create(&owner, "Two").await), Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    let nodes = [
        node(online, "stream_online", json!({})),
        node(manual, "manual", json!({})),
        node(action, "set_variable", json!({ "name": "x", "value": "1" })),
    ];
    put(&owner, id, 1, &nodes, &[edge(online, "out", action), edge(manual, "out", action)]).await.expect(200);
    enable(&owner, id).await.expect(200);
    let mut last = Uuid::nil();
    for _ in 0..61 {
        let answer = start(&owner, id, json!({})).await;
        last = answer.expect(202)["data"]["run_id"].as_str().unwrap().parse().unwrap();
    }
    let found = stored(&app, last).await;
    assert_eq!((found.status.as_str(), &found.trigger["node_id"]), ("skipped", &json!(manual)));
    app.stop().await;
}

#[tokio::test]
async fn automation_runs_lists_the_runs_newest_first_by_status() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (ready, other) = (ready(&owner).await, ready(&owner).await);
    run(&app, other.id, "queued").await;
    let failed = run(&app, ready.id, "failed").await;
    let queued = run(&app, ready.id, "queued").await;
    let runs = format!("{}/runs", path(ready.id));
    let answer = owner.get(&runs).await;
    let ids = |answer: &Answer| {
        let rows = answer.data().as_array().unwrap().clone();
        let mut ids: Vec<Uuid> = rows.iter().map(id_of).collect();
        ids.sort();
        ids
    };
    let mut both = vec![failed, queued];
    both.sort();
    assert_eq!(ids(&answer), both);
    assert_eq!(answer.body["_meta"]["total"], 2);
    assert!(answer.data()[0].get("steps").is_none());
    assert_eq!(ids(&owner.get(&format!("{runs}?status=failed")).await), [failed]);
    assert_eq!(owner.get(&format!("{runs}?page=2&limit=1")).await.data().as_array().map(Vec::len), Some(1));
    owner.get(&format!("{runs}?status=lost")).await.refused_with("VALIDATION_ERROR");
    owner.get(&format!("{runs}?limit=101")).await.refused_with("VALIDATION_ERROR");
    assert_eq!(gql_runs(&owner, ready.id).await.field("automationRuns")["total"], 2);
    let gql = gql_runs(&stranger, ready.id).await;
    both_refused(&stranger.get(&runs).await, &gql, 404, "NOT_FOUND", "Automation not found");
    let outsider = app.member_with(owner.account_id, &["chat:read"]).await;
    let gql = gql_runs(&outsider, ready.id).await;
    let missing = "Missing permission: automations:read";
    both_refused(&outsider.get(&runs).await, &gql, 403, "FORBIDDEN", missing);
    app.stop().await;
}

#[tokio::test]
async fn automation_run_returns_the_last_steps() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let ready = ready(&owner).await;
    let id = run(&app, ready.id, "succeeded").await;
    let sql = "INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input, output, duration_ms)
        SELECT account_id, id, number, gen_random_uuid(), 'succeeded', '{}', '{\"a\": 1}', 3
        FROM automation_runs, generate_series(0, 209) AS number WHERE id = $1";
    execute(&app, sql, id).await;
    let found = owner.get(&format!("/v1/automation/runs/{id}")).await.data().clone();
    let steps = found["steps"].as_array().unwrap();
    assert_eq!((&found["step_count"], steps.len()), (&json!(210), 200));
    assert_eq!((&steps[0]["position"], &steps[199]["position"]), (&json!(10), &json!(209)));
    assert_eq!((&steps[0]["output"], &steps[0]["duration_ms"]), (&json!({ "a": 1 }), &json!(3)));
    let gql = graphql(&owner, "query", "automationRun", &[("runId", id)], RUN).await;
    let gql = gql.field("automationRun");
    assert_eq!((&gql["id"], &gql["status"]), (&found["id"], &json!("SUCCEEDED")));
    assert_eq!((&gql["step_count"], &gql["steps"][0]["output"]), (&json!(210), &steps[0]["output"]));
    let rest = stranger.get(&format!("/v1/automation/runs/{id}")).await;
    let gql = graphql(&stranger, "query", "automationRun", &[("runId", id)], RUN).await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Run not found");
    let outsider = app.member_with(owner.account_id, &["chat:read"]).await;
    let rest = outsider.get(&format!("/v1/automation/runs/{id}")).await;
    let gql = graphql(&outsider, "query", "automationRun", &[("runId", id)], RUN).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:read");
    app.stop().await;
}

#[tokio::test]
async fn cancel_automation_run_ends_a_queued_run_and_requests_the_end_of_a_running_one() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let ready = ready(&owner).await;
    let (queued, running, ended) = (
        run(&app, ready.id, "queued").await,
        run(&app, ready.id, "running").await,
        run(&app, ready.id, "failed").await,
    );
    let cancelled = |id: Uuid| format!("/v1/automation/runs/{id}/cancel");
    let gql = graphql(&stranger, "mutation", "cancelAutomationRun", &[("runId", queued)], RUN).await;
    let rest = stranger.post(&cancelled(queued), json!({})).await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Run not found");
    let member = app.member_with(owner.account_id, &["automations:read"]).await;
    let gql = graphql(&member, "mutation", "cancelAutomationRun", &[("runId", queued)], RUN).await;
    let rest = member.post(&cancelled(queued), json!({})).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: automations:execute");
    let answer = owner.post(&cancelled(queued), json!({})).await;
    assert_eq!(answer.expect(200)["data"]["status"], "cancelled");
    assert!(answer.data()["finished_at"].is_string());
    let entry = app.audited_once("automation:run_cancelled").await;
    assert_eq!(entry.metadata, json!({ "automation_id": ready.id }));
    for _ in 0..2 {
        let gql = graphql(&owner, "mutation", "cancelAutomationRun", &[("runId", running)], RUN).await;
        assert_eq!(gql.field("cancelAutomationRun")["status"], "RUNNING");
    }
    assert_eq!(app.audited("automation:run_cancelled").await.len(), 2, "a repetition changes nothing");
    let requested =
        "UPDATE automation_runs SET busy_ms = 0 WHERE id = $1 AND cancel_requested_at IS NOT NULL";
    execute(&app, requested, running).await;
    for id in [queued, ended] {
        let gql = graphql(&owner, "mutation", "cancelAutomationRun", &[("runId", id)], RUN).await;
        both_refused(&owner.post(&cancelled(id), json!({})).await, &gql, 409, "CONFLICT", "Run has ended");
    }
    assert!(owner.get(AUTOMATIONS).await.data().is_array());
    app.stop().await;
}
