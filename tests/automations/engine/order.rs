//! Order of steps, branches, and what is stored and published of them.

use automation_daemons::engine::MAX_EXCERPT_BYTES;
use lumio_tests::world;
use serde_json::json;

use super::stage::{Draft, Stage, eventually};

#[tokio::test]
async fn order_of_steps_follows_the_edges_and_branches() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    let trigger = draft.trigger;
    let set =
        draft.after(trigger, "out", "set_variable", json!({ "name": "n", "value": "{{trigger.payload.n}}" }));
    let check = draft.after(set, "out", "condition", json!({ "left": "{{vars.n}}", "op": "gt", "right": 5 }));
    let first = draft.notify(check, "true", "{{vars.n}}");
    let behind = draft.after(
        first,
        "out",
        "set_variable",
        json!({ "name": "m", "value": format!("{{{{steps.{first}.members}}}}") }),
    );
    let second = draft.notify(check, "true", "second");
    let other = draft.notify(check, "false", "{{account.name}}");
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;

    let run = stage.start_of(stage.owner.account_id, automation, json!({ "n": 7 })).await;
    let ended = stage.ended(run).await;
    assert_eq!((ended.status.as_str(), ended.error), ("succeeded", None));
    assert_eq!((ended.graph, ended.context), (None, json!({})), "what only the execution needs is removed");
    let steps = stage.steps(run).await;
    let nodes: Vec<_> = steps.iter().map(|step| step.node_id).collect();
    assert_eq!(nodes, [set, check, first, behind, second], "depth first, edges in their order");
    assert!(steps.iter().all(|step| step.status == "succeeded" && step.result.is_none()));
    assert_eq!(steps[1].branch.as_deref(), Some("true"));
    assert_eq!(steps[2].input["title"], "7");
    assert_eq!(steps[2].output, Some(json!({ "members": 1 })));
    assert_eq!(steps[3].output, Some(json!({ "value": 1 })));

    let run = stage.start_of(stage.owner.account_id, automation, json!({ "n": 3 })).await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    let steps = stage.steps(run).await;
    assert_eq!(steps.last().map(|step| step.node_id), Some(other));
    assert_eq!(steps.last().map(|step| step.input["title"].clone()), Some(json!("Test account")));
    let counted = stage.count("automations WHERE run_count = 2 AND last_run_at IS NOT NULL").await;
    assert_eq!(counted, 1);

    eventually("the events are published", async || {
        stage.published().await.iter().filter(|name| *name == "automation:run_finished").count() == 2
    })
    .await;
    let published = stage.published().await;
    let expected = ["automation:run_started"].into_iter();
    let expected = expected.chain(["automation:node_finished"; 5]).chain(["automation:run_finished"]);
    assert_eq!(published[..7], expected.collect::<Vec<_>>());
    let events = world::published(&stage.app, &format!("automations:{}", stage.owner.account_id)).await;
    assert_eq!(events[2]["data"]["branch"], "true");
    assert_eq!(events[6]["data"]["status"], "succeeded");
    stage.end(running).await;
}

#[tokio::test]
async fn order_of_steps_reaches_error_edges_or_fails_the_run() {
    let stage = Stage::new().await;
    let missing = || json!({ "sound_id": shared::id::new() });
    let running = stage.workers().await;
    let mut draft = Draft::manual();
    let failing = draft.after(draft.trigger, "out", "play_sound", missing());
    draft.notify(failing, "out", "never");
    let run = stage.start(stage.automation(&draft).await).await;
    let ended = stage.ended(run).await;
    assert_eq!(ended.status, "failed");
    assert!(ended.error.is_some());
    assert_eq!(ended.error, stage.steps(run).await[0].error);
    assert_eq!(stage.outline(run).await, [(failing, "failed".to_owned())]);

    let mut draft = Draft::manual();
    let failing = draft.after(draft.trigger, "out", "play_sound", missing());
    let instead = draft.notify(failing, "error", "instead");
    let run = stage.start(stage.automation(&draft).await).await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    let expected = [(failing, "failed".to_owned()), (instead, "succeeded".to_owned())];
    assert_eq!(stage.outline(run).await, expected);
    stage.end(running).await;
}

#[tokio::test]
async fn order_of_steps_stores_excerpts_of_large_values() {
    let stage = Stage::new().await;
    let mut draft = Draft::manual();
    draft.after(
        draft.trigger,
        "out",
        "set_variable",
        json!({ "name": "text", "value": "{{trigger.payload.text}}" }),
    );
    let automation = stage.automation(&draft).await;
    let running = stage.workers().await;
    let text = "\"".repeat(20_000);
    let run = stage.start_of(stage.owner.account_id, automation, json!({ "text": text })).await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    let step = stage.steps(run).await.remove(0);
    for value in [step.input, step.output.unwrap()] {
        assert_eq!(value["truncated"], true);
        assert!(value.to_string().len() <= MAX_EXCERPT_BYTES);
    }
    stage.end(running).await;
}
