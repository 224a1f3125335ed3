//! Regular expressions of runs (reference/automations.md#regular-expressions).

use automation_model::conditions::MAX_PATTERNS;
use serde_json::{Value, json};

use super::stage::{Draft, Stage};

/// Condition that a text matches a regular expression a number of times.
fn matches(left: &str, right: &str, times: usize) -> Value {
    json!({ "all": vec![json!({ "left": left, "op": "matches", "right": right }); times] })
}

fn variable() -> Value {
    json!({ "name": "x", "value": 1 })
}

#[tokio::test]
async fn patterns_beyond_the_budget_fail_the_run_of_a_stored_graph() {
    let stage = Stage::new().await;
    let draft = |more: usize| {
        let mut draft = Draft::manual();
        let first = draft.after(draft.trigger, "out", "condition", matches("a", "a", MAX_PATTERNS - 1));
        draft.after(first, "true", "condition", matches("a", "a", more));
        draft
    };
    let (allowed, beyond) = (stage.automation(&draft(1)).await, stage.automation(&draft(2)).await);
    let (run, refused) = (stage.start(allowed).await, stage.start(beyond).await);
    let running = stage.workers().await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    let refused_run = stage.ended(refused).await;
    assert_eq!(refused_run.status, "failed");
    assert_eq!(refused_run.error.as_deref(), Some("A graph must have at most 50 regular expressions"));
    assert!(stage.steps(refused).await.is_empty());
    stage.end(running).await;
}

#[tokio::test]
async fn patterns_too_large_for_their_texts_fail_their_step() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let small = draft.after(draft.trigger, "out", "condition", matches("hello", "^h.*o$", 3));
    let of_text = matches("{{trigger.payload.text}}", r"^\w\w", MAX_PATTERNS - 3);
    let large = draft.after(small, "true", "condition", of_text);
    let handled = draft.after(large, "error", "set_variable", variable());
    draft.after(large, "true", "set_variable", variable());
    let automation = stage.automation(&draft).await;
    let start = async |text: String| {
        stage.start_of(stage.owner.account_id, automation, json!({ "text": text })).await
    };
    let (short, long) = (start("ab".to_owned()).await, start("a".repeat(60_000)).await);
    let running = stage.workers().await;
    assert_eq!(stage.ended(short).await.status, "succeeded");
    let branches: Vec<_> = stage.steps(short).await.into_iter().filter_map(|step| step.branch).collect();
    assert_eq!(branches, ["true", "true"]);
    assert_eq!(stage.ended(long).await.status, "succeeded", "the failure is handled");
    let expected = [(small, "succeeded"), (large, "failed"), (handled, "succeeded")];
    assert_eq!(stage.outline(long).await, expected.map(|(node, status)| (node, status.to_owned())));
    let failed = stage.steps(long).await.into_iter().find(|step| step.node_id == large).unwrap();
    assert_eq!(
        failed.error.as_deref(),
        Some("the regular expressions are too large for texts of this length")
    );
    stage.end(running).await;
}
