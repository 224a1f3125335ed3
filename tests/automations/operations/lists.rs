//! Statements of the lists: their number does not depend on that of the rows.

use lumio_tests::{Caller, Statements, TestApp};
use serde_json::json;

use crate::common::{AUTOMATIONS, execute, path, ready};

#[tokio::test]
async fn automations_are_listed_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let thousand = "INSERT INTO automations (id, account_id, name)
        SELECT gen_random_uuid(), $1, 'A' || n FROM generate_series(1, 1000) AS n";
    execute(&app, thousand, owner.account_id).await;
    statements.list_a_thousand(&app, &owner, AUTOMATIONS, "automations").await;
    app.stop().await;
}

#[tokio::test]
async fn automation_runs_take_as_many_statements_for_a_thousand_as_for_one() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    statements.to(&app);
    let id = ready(&owner).await.id;
    let runs = |number: u32| {
        format!(
            "INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key)
             SELECT gen_random_uuid(), account_id, id, 'succeeded', '{{}}', gen_random_uuid()::text
             FROM automations CROSS JOIN generate_series(1, {number}) WHERE id = $1"
        )
    };
    let list = format!("{}/runs?limit=100", path(id));
    execute(&app, &runs(1), id).await;
    let few = listed(&statements, &owner, &list).await;
    execute(&app, &runs(999), id).await;
    let many = listed(&statements, &owner, &list).await;
    assert_eq!((few.0, many.0), (1, 100));
    assert_eq!(many.1, few.1, "statements for a thousand runs and for one");
    let total = owner.get(&list).await.body["_meta"]["total"].clone();
    assert_eq!(total, json!(1000));
    app.stop().await;
}

#[tokio::test]
async fn automation_run_takes_as_many_statements_for_a_thousand_steps_as_for_one() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    statements.to(&app);
    let id = ready(&owner).await.id;
    let run = "INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key)
        SELECT id, account_id, id, 'succeeded', '{}', 'one' FROM automations WHERE id = $1";
    execute(&app, run, id).await;
    let steps = |first: u32, last: u32| {
        format!(
            "INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input)
             SELECT account_id, id, position, gen_random_uuid(), 'succeeded', '{{}}'
             FROM automation_runs CROSS JOIN generate_series({first}, {last}) AS position WHERE id = $1"
        )
    };
    let shown = async || {
        let (answer, sent) =
            statements.of(async || owner.get(&format!("/v1/automation/runs/{id}")).await).await;
        (answer.data()["steps"].as_array().map(Vec::len), answer.data()["step_count"].clone(), sent.len())
    };
    execute(&app, &steps(0, 0), id).await;
    let few = shown().await;
    execute(&app, &steps(1, 999), id).await;
    let many = shown().await;
    assert_eq!((few.0, few.1), (Some(1), json!(1)));
    assert_eq!((many.0, many.1), (Some(200), json!(1000)));
    assert_eq!(many.2, few.2, "statements for a thousand steps and for one");
    app.stop().await;
}

/// Numbers of rows and of statements of a list.
async fn listed(statements: &Statements, caller: &Caller, path: &str) -> (usize, usize) {
    let (answer, sent) = statements.of(async || caller.get(path).await).await;
    (answer.data().as_array().expect("a list").len(), sent.len())
}
