//! Starts of other automations.

use automation_daemons::effects::RunIdentity;
use serde_json::json;
use shared::id;

use super::{Scene, make_automation, make_run_of};

#[tokio::test]
async fn effects_of_run_automation_start_a_run_of_the_own_account() {
    let scene = Scene::start().await;
    let target = make_automation(&scene.app, scene.owner.account_id).await;
    let other = scene.app.owner().await;
    let foreign = make_automation(&scene.app, other.account_id).await;
    let output =
        scene.output("run_automation", json!({ "automation_id": target, "input": { "a": 1 } })).await;
    let run = output["run_id"].as_str().unwrap();
    let row = format!(
        "SELECT concat_ws(' ', automation_id, depth, parent_run_id, status) AS text FROM automation_runs WHERE id = '{run}'"
    );
    assert_eq!(scene.found(&row).await, Some(format!("{target} 1 {} queued", scene.run.run_id)));
    for unknown in [foreign, id::new()] {
        let message = scene.refused("run_automation", json!({ "automation_id": unknown })).await;
        assert_eq!(message, "The automation is switched off or does not exist");
    }
    scene.alter(&format!("UPDATE automations SET enabled = false WHERE id = '{target}'")).await;
    let message = scene.refused("run_automation", json!({ "automation_id": target })).await;
    assert_eq!(message, "The automation is switched off or does not exist");
    scene.needs("feature:automations", "run_automation", json!({ "automation_id": target })).await;
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_run_automation_end_at_a_depth_of_three() {
    let scene = Scene::start().await;
    let target = make_automation(&scene.app, scene.owner.account_id).await;
    for (depth, is_started) in [(2, true), (3, false)] {
        let run = RunIdentity { run_id: id::new(), depth, ..scene.run };
        let run = make_run_of(&scene.app, run).await;
        let started =
            scene.perform_in(&run, "run_automation", None, json!({ "automation_id": target })).await;
        assert_eq!(started.is_ok(), is_started, "{started:?}");
    }
    scene.app.stop().await;
}
