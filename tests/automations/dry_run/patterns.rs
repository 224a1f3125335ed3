//! Regular expressions of dry runs (reference/automations.md#regular-expressions).

use lumio_tests::{TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{dry, gql_dry};
use crate::common::{create, edge, id_of, node, problems, put};

#[tokio::test]
async fn dry_run_automation_refuses_a_draft_with_too_many_regular_expressions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (id, trigger, condition) = (id_of(&create(&owner, "Patterns").await), Uuid::now_v7(), Uuid::now_v7());
    let compare = |right: &str| json!({ "left": "a", "op": "matches", "right": right });
    let config = |right: &str, number: usize| json!({ "all": vec![compare(right); number] });
    let nodes = [
        node(trigger, "manual", json!({})),
        node(condition, "condition", config(r"\w{5}", 50)),
        node(Uuid::now_v7(), "condition", config("a", 1)),
    ];
    let edges = [edge(trigger, "out", condition)];
    put(&owner, id, 1, &nodes, &edges).await.expect(200);
    let (rest, gql) = (dry(&owner, id, json!({})).await, gql_dry(&owner, id, &json!({})).await);
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "Graph is not valid");
    assert_eq!(problems(&rest), ["A graph must have at most 50 regular expressions"]);
    put(&owner, id, 2, &nodes[..2], &edges).await.expect(200);
    let answer = dry(&owner, id, json!({})).await;
    let step = answer.expect(200)["data"]["steps"][0].clone();
    assert_eq!(step["branch"], "false", "the text is too short for the first one");
    app.stop().await;
}
